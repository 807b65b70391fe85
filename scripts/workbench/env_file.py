"""The file .env of this checkout: deployment settings, one NAME=value per line."""

from __future__ import annotations

import difflib
import os
import re
import sys
from pathlib import Path

from scripts.workbench.errors import WorkbenchError

ENV_FILE = Path(__file__).resolve().parents[2] / ".env"
# Lists every variable of the deployment, which a test checks.
EXAMPLE = ENV_FILE.with_name(".env.example")
# Names that came from the file; the tests run without them.
loaded: set[str] = set()


def load(file: Path = ENV_FILE) -> None:
    """Add the file's variables to the environment; those set already take precedence.

    Reports names that look like ours but are not: they would have no effect.

    Raises:
        WorkbenchError: The file cannot be read, or a line is neither empty, a comment
            nor NAME=value.
    """
    text = _read(file)
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        name, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not name.isidentifier():
            raise WorkbenchError(f"{file.name}, line {number}: expected NAME=value.")
        if hint := find_misspelling(name):
            print(f"{file.name}, line {number}: {hint}", file=sys.stderr)
        if name not in os.environ:
            os.environ[name] = value.strip("\"'")
            loaded.add(name)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise WorkbenchError(
            f"{file} cannot be read: {error.strerror}. It must be a file that your "
            "account may read."
        ) from None
    except UnicodeDecodeError:
        raise WorkbenchError(f"{file} is not UTF-8 text: save it as UTF-8.") from None


def reload(file: Path = ENV_FILE) -> None:
    """Read the file again, after removing the variables that came from it.

    Raises:
        WorkbenchError: See `load`.
    """
    for name in loaded:
        os.environ.pop(name, None)
    loaded.clear()
    load(file)


def find_misspelling(name: str) -> str:
    """Return which of our names an unknown name may mean, or "" if none is similar."""
    known = set(re.findall(r"^#? ?(\w+)=", EXAMPLE.read_text("utf-8"), re.MULTILINE))
    if name.removesuffix("_FILE") in known or name in ("WEBRL_CHROMIUM", *known):
        return ""
    [near] = difflib.get_close_matches(name, known, n=1, cutoff=0.8) or [""]
    if near:
        return f"{name} is no setting of the workbench. Did you mean {near}?"
    prefixes = {one.partition("_")[0] for one in known}
    if "_" in name and name.partition("_")[0] in prefixes:
        return f"{name} is no setting of the workbench: docs/configuration.md has all."
    return ""
