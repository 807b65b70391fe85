from __future__ import annotations

import pytest
from django.template import Context, Template


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("a{% oneline %}\n  , b\n{% endoneline %}", "a, b"),
        (
            "{% oneline %}{% if yes %}\n a\n{% else %}\n b{% endif %}{% endoneline %}",
            "a",
        ),
        ("{% oneline %}{{ text }}\n  {{ text }}{% endoneline %}", "x\n yx\n y"),
        ("{% oneline %}a b  c{% endoneline %}\n d", "a b  c\n d"),
    ],
)
def test_line_breaks_of_the_template_alone_are_left_out(source: str, written: str):
    template = Template("{% load layout %}" + source)

    assert template.render(Context({"yes": True, "text": "x\n y"})) == written
