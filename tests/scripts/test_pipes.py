from __future__ import annotations

import os
import subprocess
import sys

import pytest

from scripts.workbench.pipes import READER_LEFT, until_reader_leaves

SAYS = """
from scripts.workbench.pipes import until_reader_leaves
with until_reader_leaves():
    print('x' * {length})
"""


@pytest.mark.parametrize("length", [1_000_000, 1], ids=["at once", "at the end"])
def test_a_command_whose_reader_has_left_ends_quietly(length: int) -> None:
    command = [sys.executable, "-c", SAYS.format(length=length)]
    reads, writes = os.pipe()
    os.close(reads)
    try:
        ended = subprocess.run(
            command, stdout=writes, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writes)

    assert ended.stderr == b""
    assert ended.returncode == READER_LEFT


def test_another_broken_pipe_is_an_error() -> None:
    with pytest.raises(BrokenPipeError), until_reader_leaves():
        raise BrokenPipeError
