"""Compile translations: `python -m webrl_site.i18n.catalogues FILE.po ...`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import polib


def compile_all(sources: Iterable[Path]) -> None:
    """Write the `.mo` next to each `.po`.

    Each is written under another name and renamed: several processes may do it at once.
    """
    for source in sources:
        aside = source.with_suffix(f".{os.getpid()}")
        polib.pofile(str(source)).save_as_mofile(str(aside))
        aside.replace(source.with_suffix(".mo"))


if __name__ == "__main__":
    compile_all(map(Path, sys.argv[1:]))
