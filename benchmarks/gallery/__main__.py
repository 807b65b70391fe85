"""`python -m benchmarks.gallery DIR LANGUAGE`: a picture of every page, and an index.

Shows each page of a workbench with made-up data, as the admin sees it, in both themes
and at two widths. Started by `./webrl gallery --out DIR`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.gallery.index import write_index
from benchmarks.gallery.pictures import take_pictures
from benchmarks.gallery.workbench import made_up_workbench


def main() -> int:
    """Write the pictures and index.html; return 1 if a page has a fault."""
    folder, language = Path(sys.argv[1]), sys.argv[2]
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="webrl-gallery-") as data,
        made_up_workbench(Path(data)) as (url, pages),
    ):
        pictures = take_pictures(url, pages, folder, language)
    write_index(pictures, folder)
    print(f"{len(pictures)} pictures of {len(pages)} pages in {folder / 'index.html'}")
    faulty = [picture for picture in pictures if picture.faults]
    for picture in faulty:
        print(f"{picture.file}: {'; '.join(picture.faults)}")
    return 1 if faulty else 0


if __name__ == "__main__":
    sys.exit(main())
