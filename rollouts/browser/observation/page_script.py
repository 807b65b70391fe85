"""The script that is installed in every page and frame, put together from its files."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Literal

Form = Literal["compact", "webrl", "accessibility_tree"]
SCRIPT_FOLDER = Path(__file__).parent / "script"
_PARTS = (
    *("notes.js", "activity.js", "listeners.js", "frames.js", "elements.js"),
    *("parts.js", "html.js", "walk.js", "graft.js", "snapshot.js", "act.js"),
    *("scroll.js", "answers.js"),
)
# Vendored code that computes roles and names; see VENDOR.md there.
_NAMES_FOLDER = SCRIPT_FOLDER / "vendor" / "dom-accessibility-api"
_MODULE = "{name}: (module, exports, require) => {{\n{code}\n}},\n"


@cache
def page_script(form: Form = "compact") -> str:
    """Return the script for pages that are observed in this form."""
    tree = _tree_script() if form == "accessibility_tree" else "const treeForm = null;"
    webrl = (
        _read(SCRIPT_FOLDER / "webrl.js")
        if form == "webrl"
        else "const webrlForm = null;"
    )
    body = "\n".join([*(_read(SCRIPT_FOLDER / part) for part in _PARTS), tree, webrl])
    return f'(() => {{ "use strict";\n{body}\n}})();'


def _tree_script() -> str:
    """The form's script, after the vendored files, each in a function of its own."""
    modules = [
        _MODULE.format(name=json.dumps(_name_of(path)), code=_read(path))
        for path in sorted(_NAMES_FOLDER.rglob("*.js"))
    ]
    rest = "\n".join(_read(SCRIPT_FOLDER / name) for name in ("names.js", "axtree.js"))
    return f"const modules = {{\n{''.join(modules)}}};\n{rest}"


def _name_of(path: Path) -> str:
    return path.relative_to(_NAMES_FOLDER).with_suffix("").as_posix()


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
