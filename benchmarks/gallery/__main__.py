"""`python -m benchmarks.gallery DIR`: a picture of every page, and an index of them.

Each page of a made-up workbench, as the admin sees it, in both themes and at two
widths. Started by `./webrl gallery --out DIR`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.gallery.index import write_index
from benchmarks.gallery.pictures import take_pictures
from benchmarks.gallery.workbench import made_up_workbench


def main() -> None:
    """Write the pictures and index.html into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="webrl-gallery-") as data,
        made_up_workbench(Path(data)) as (url, pages),
    ):
        pictures = take_pictures(url, pages, folder)
    write_index(pictures, folder)
    print(f"{len(pictures)} pictures of {len(pages)} pages in {folder / 'index.html'}")


if __name__ == "__main__":
    main()
