"""What the code marks for translation, found without the gettext tools."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
APPS = ("curriculum", "rollouts", "training", "webrl_site")
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static").glob("*.js"))
MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext"}
MARKED_TEXT = re.compile(
    r"""(?:\b_|\bn?gettext)\(\s*(?P<text>u?"(?:[^"\\]|\\.)*"|u?'(?:[^'\\]|\\.)*')"""
)
# `templatize` writes these for texts with a context.
IN_CONTEXT = ("pgettext", "pgettext_lazy")
MARKED_IN_CONTEXT = re.compile(r"""\bpgettext\(u?(".*?"|'.*?'), (u?".*?"|u?'.*?')\)""")
WHOLE_BLOCK = re.compile(r"{% (blocktranslate|comment)\b.*?{% end\1 %}", re.DOTALL)
TEMPLATE_PARTS = re.compile(r"{#.*?#}|{%.*?%}|{{.*?}}", re.DOTALL)
# Attributes that people read or hear.
SPOKEN = {"title", "aria-label", "alt", "placeholder"} | {
    f"data-{name}" for name in ("label", "confirm", "title", "base")
}
WRITTEN = {"prose", "mono"}
VOID = {"br", "hr", "img", "input", "link", "meta"}
UNSPOKEN = {"kbd", "code", "pre", "script", "style"}
# Names and signs that are the same in every language.
SAME_EVERYWHERE = re.compile(
    r"\b(?:WebRL Workbench|JSON|CSV|PNG|SVG|UTC|KL|YES|NO|ms|starter/critic)\b"
    r"|P\(YES\)|--size-"
)


def marked_in_templates() -> Iterator[tuple[str, str]]:
    """Yield (context, text) of each text that a template marks."""
    for path in TEMPLATES:
        source = templatize(path.read_text(encoding="utf-8"))
        for found in MARKED_TEXT.finditer(source):
            yield "", ast.literal_eval(found["text"])
        for context, text in MARKED_IN_CONTEXT.findall(source):
            yield ast.literal_eval(context), ast.literal_eval(text)


def marked_in_python() -> Iterator[tuple[str, str]]:
    """Yield (context, text); a mark around a name repeats a text marked elsewhere."""
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call):
                    continue
                if _is_mark(node):
                    yield "", ast.literal_eval(node.args[0])
                elif isinstance(node.func, ast.Name) and node.func.id in IN_CONTEXT:
                    context, text = map(ast.literal_eval, node.args)
                    yield context, text


def _is_mark(call: ast.Call) -> bool:
    is_named = isinstance(call.func, ast.Name) and call.func.id in MARKS
    return is_named and not isinstance(call.args[0], ast.Name)


def marked_in_scripts() -> Iterator[str]:
    for path in SCRIPTS:
        for found in MARKED_TEXT.finditer(path.read_text(encoding="utf-8")):
            yield ast.literal_eval(found["text"])


def find_unmarked(template: str) -> list[str]:
    """Return the words of a template that no translation would reach."""
    bare = TEMPLATE_PARTS.sub(" ", WHOLE_BLOCK.sub(" ", template))
    reader = _Reader()
    reader.feed(bare)
    said = (SAME_EVERYWHERE.sub("", text).strip() for text in reader.texts)
    return [text for text in said if re.search(r"[A-Za-z]{2,}", text)]


class _Reader(HTMLParser):
    """Gathers what people read: texts, and the attributes that are read out."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hushed = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hushed += tag in UNSPOKEN
        self.texts += [value for name, value in attrs if name in SPOKEN and value]

    def handle_endtag(self, tag: str) -> None:
        self._hushed -= tag in UNSPOKEN

    def handle_data(self, data: str) -> None:
        if not self._hushed:
            self.texts.append(data)


class _PageReader(_Reader):
    """Leaves out what people and programs wrote: prose and machine words."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value for name, value in attrs if name in SPOKEN and value]
        if tag not in VOID:
            classes = (dict(attrs).get("class") or "").split()
            self._open.append(tag in UNSPOKEN or not WRITTEN.isdisjoint(classes))
            self._hushed = sum(self._open)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and self._open:
            self._open.pop()
            self._hushed = sum(self._open)


def read_texts(page: str) -> list[str]:
    """Return what a rendered page says in the interface's words, piece by piece."""
    reader = _PageReader()
    reader.feed(page)
    return [text.strip() for text in reader.texts if text.strip()]
