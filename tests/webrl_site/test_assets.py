from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VENDOR = ROOT / "static/vendor"
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
SCRIPTS = sorted((ROOT / "static").glob("*.js"))
STYLES = sorted((ROOT / "static").glob("*.css"))


def test_vendored_files_are_those_that_are_written_down():
    lines = (VENDOR / "VENDOR.md").read_text().splitlines()
    listed = dict(
        re.findall(r"^\| `([^`]+)` .* `([0-9a-f]{64})` \|$", "\n".join(lines), re.M)
    )
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.glob("*.js")
    }

    assert listed == found


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_hold_no_script_no_style_and_no_other_host(path: Path):
    text = path.read_text()

    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"\sstyle=|\son[a-z]+=|<style", text)
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    assert "|safe" not in text


@pytest.mark.parametrize("path", SCRIPTS + STYLES, ids=lambda path: path.name)
def test_scripts_and_styles_ask_no_other_host(path: Path):
    text = path.read_text()

    assert not re.search(r"https?://", text)
    assert "innerHTML =" not in text and "eval(" not in text


def luminance(color: str) -> float:
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def read_tokens() -> list[dict[str, str]]:
    """Return the colours of the light and of the dark theme."""
    text = (ROOT / "static/tokens.css").read_text()
    pattern = r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)"
    found = re.findall(pattern, text)
    return [{name: pair[i] for name, *pair in found} for i in (0, 1)]


TEXT_ON = [
    ("text", ("bg", "surface", "sunken", "accent-soft", "plain-soft")),
    ("text", ("mark-add", "mark-drop", "bad-soft")),
    ("muted", ("bg", "surface", "sunken", "accent-soft")),
    ("accent", ("bg", "surface", "accent-soft")),
    ("on-accent", ("accent",)),
    ("good", ("surface", "good-soft", "bg", "accent-soft")),
    ("bad", ("surface", "bad-soft")),
    ("warn", ("surface", "warn-soft", "bg", "accent-soft")),
]


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "grounds"), TEXT_ON)
def test_text_has_enough_contrast(theme: int, text: str, grounds: tuple[str, ...]):
    tokens = read_tokens()[theme]

    for ground in grounds:
        assert contrast(tokens[text], tokens[ground]) >= 4.5, (text, ground)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("mark", ["line-strong", *(f"plot-{i}" for i in range(1, 7))])
def test_marks_and_borders_of_controls_can_be_seen(theme: int, mark: str):
    tokens = read_tokens()[theme]

    assert contrast(tokens[mark], tokens["surface"]) >= 3
