from __future__ import annotations

from html.parser import HTMLParser

import pytest

from webrl_site.markdown import TAGS, render_markdown

KNOWN = TAGS | {"h3", "h4", "h5", "h6", "pre", "code", "br", "hr", "a"}
OWN = ' rel="noopener noreferrer"'


class Reader(HTMLParser):
    """Collects what a browser would take for tags and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**b** *i* ~~s~~", "<p><strong>b</strong> <em>i</em> <s>s</s></p>"),
        ("# Title", "<h3>Title</h3>"),
        ("###### Deep", "<h6>Deep</h6>"),
        ("- one\n- two", "<ul><li>one</li><li>two</li></ul>"),
        ("1. one", "<ol><li>one</li></ol>"),
        ("> said", "<blockquote><p>said</p></blockquote>"),
        ("`a < b`", "<p><code>a &lt; b</code></p>"),
        ("```\n<b>\n```", "<pre><code>&lt;b&gt;\n</code></pre>"),
        ("a  \nb", "<p>a<br>b</p>"),
        ("---", "<hr>"),
        ("[w](https://a.b)", f'<p><a href="https://a.b"{OWN}>w</a></p>'),
        ("[w](/review/)", f'<p><a href="/review/"{OWN}>w</a></p>'),
    ],
)
def test_markdown_becomes_html(text: str, html: str):
    assert render_markdown(text) == html


def test_a_table_becomes_one():
    html = render_markdown("|a|\n|-|\n|1|")

    assert html.startswith("<table><thead><tr><th>a</th>")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "[x](javascript:alert(1))",
        "[x](JaVaScript:alert(1))",
        "[x](data:text/html,<script>)",
        "[x](vbscript:x)",
        "[x](//evil.example)",
        "[x](\\\\evil.example)",
        "![x](https://evil.example/pixel.png)",
        '[x](https://a.b "\\" onclick=alert(1)")',
        "<javascript:alert(1)>",
        '```"><script>\nx\n```',
        '[x](https://a.b/"onmouseover="alert(1))',
        "&lt;script&gt; &#60;script&#62;",
    ],
)
def test_nothing_of_the_text_becomes_a_tag_or_an_attribute(text: str):
    reader = Reader()
    reader.feed(render_markdown(text))

    assert reader.tags <= KNOWN
    for name, value in reader.attributes:
        assert name in ("href", "rel")
        assert name == "rel" or (value or "").startswith("https://")
