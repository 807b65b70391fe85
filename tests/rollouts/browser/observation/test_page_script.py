from __future__ import annotations

import hashlib
import re

from rollouts.browser.observation.page_script import SCRIPT_FOLDER, page_script

VENDOR = SCRIPT_FOLDER / "vendor" / "dom-accessibility-api"


def test_vendored_files_are_those_that_are_written_down():
    text = (VENDOR / "VENDOR.md").read_text()
    listed = dict(re.findall(r"^\| `([^`]+)` \| `([0-9a-f]{64})` \|$", text, re.M))
    found = {
        path.relative_to(VENDOR).as_posix(): hashlib.sha256(
            path.read_bytes()
        ).hexdigest()
        for path in VENDOR.rglob("*")
        if path.is_file() and path.name != "VENDOR.md"
    }
    assert listed == found


def test_what_computes_names_is_installed_only_where_it_is_used():
    assert "computeTextAlternative" not in page_script("compact")
    assert "computeTextAlternative" in page_script("accessibility_tree")
