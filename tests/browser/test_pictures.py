"""The docs' pictures can be taken anew; `./webrl docs --pictures` keeps them."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from tests.browser.conftest import OpenPage, Server
from tests.browser.pictures import HEIGHT, PICTURES, WIDTH

pytestmark = pytest.mark.browser


def read_size(file: Path) -> tuple[int, int]:
    """Return width and height of a PNG file, in pixels."""
    width, height = struct.unpack(">II", file.read_bytes()[16:24])
    return width, height


@pytest.mark.parametrize("name", PICTURES)
def test_the_docs_show_pages_that_are_there(
    name: str, open_page: OpenPage, server: Server, tmp_path: Path
):
    picture = PICTURES[name]
    file = Path(os.environ.get("DOCS_PICTURES", tmp_path)) / f"{name}.png"

    picture.take(open_page(picture.who), server.url, file)

    assert read_size(file) == (WIDTH, HEIGHT)
