"""The style sheets are one system: only tokens, and no rule that nothing uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STYLES = sorted((ROOT / "static").glob("*.css"))
SCREENS = [path for path in STYLES if path.name != "tokens.css"]
TOKENS = (ROOT / "static/tokens.css").read_text()
COLOR = re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|light-dark)\(")
SIZE = re.compile(r"var\(--size-\w+\)|0?\.\d+em")
LENGTH = re.compile(r"(?:var\(--[\w-]+\)|0|1px|50%|0?\.\d+em)(?: |$)")
# Written by Django and by htmx.
FROM_OUTSIDE = {"errorlist", "htmx-request"}
# Set by the replay on each frame.
FROM_SCRIPTS = {"scale", "page-width"}


def read_rules(path: Path) -> str:
    return re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)


def read_sources() -> str:
    """Everything that may name a class: templates, scripts and Python."""
    found = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "static").glob("*.js")]
    for app in ("webrl_site", "training", "rollouts", "curriculum"):
        found += (ROOT / app).rglob("*.py")
    return "\n".join(path.read_text() for path in found)


def is_named(name: str, sources: str) -> bool:
    """Say whether a class stands there, whole or as the start of a filled-in one."""
    if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", sources):
        return True
    starts = [name[: i + 1] for i, letter in enumerate(name) if letter == "-"]
    return any(re.search(re.escape(start) + r"\$?\{", sources) for start in starts)


def find_dead(rules: str, sources: str) -> set[str]:
    selectors = re.findall(r"([^{}]+)\{", rules)
    names = {one for text in selectors for one in re.findall(r"\.([a-z][\w-]*)", text)}
    return {name for name in names - FROM_OUTSIDE if not is_named(name, sources)}


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_every_class_is_used(path: Path):
    assert find_dead(read_rules(path), read_sources()) == set()


def test_a_dead_class_is_found_and_a_filled_in_one_is_not():
    rules = ".gone { } .badge-good, .row:hover { }"

    assert find_dead(rules, '<p class="row badge-{{ tone }}">') == {"gone"}


@pytest.mark.parametrize("path", SCREENS, ids=lambda path: path.name)
def test_colours_and_text_sizes_come_from_the_tokens(path: Path):
    rules = read_rules(path)
    sizes = re.findall(r"font-size: ([^;]+);", rules)

    assert COLOR.findall(rules) == []
    assert [size for size in sizes if not SIZE.fullmatch(size)] == []


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_gaps_layers_and_corners_come_from_the_tokens(path: Path):
    found = re.findall(r"(?:gap|z-index|border-radius): ([^;]+);", read_rules(path))

    assert [one for one in found if LENGTH.sub("", one)] == []


def test_every_token_is_defined_and_used():
    rules = "\n".join(map(read_rules, STYLES)) + read_sources()
    defined = set(re.findall(r"^\s*--([\w-]+):", TOKENS, re.M))
    used = set(re.findall(r"var\(--([\w-]+)", rules)) | FROM_SCRIPTS
    # The charts choose a line's colour by its number.
    counted = {f"plot-{i}" for i in range(1, 7)}
    in_scripts = {name for name in defined if f'"--{name}"' in rules}

    assert used - FROM_SCRIPTS - defined == set()
    assert defined - used - in_scripts - counted == set()
