from __future__ import annotations

import pytest
from django.utils import translation

from webrl_site.i18n.row_counts import count_rows


@pytest.mark.parametrize(
    ("language", "one", "many"),
    [
        ("en", "1 run", "12 runs"),
        ("es", "1 ejecución", "12 ejecuciones"),
        ("zh-hans", "1 个运行", "12 个运行"),
    ],
)
def test_rows_are_counted_in_the_readers_grammar(language: str, one: str, many: str):
    with translation.override(language):
        said = [count_rows("runs", n) for n in (1, 12)]

    assert said == [one, many]
