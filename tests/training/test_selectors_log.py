from __future__ import annotations

from pathlib import Path

import pytest

from training.selectors.log import LOG, LOOKED_AT, SHOWN, read_log


def write(folder: Path, text: str) -> Path:
    (folder / LOG).write_bytes(text.encode())
    return folder


def lines(folder: Path, text: str = "") -> tuple[str, ...]:
    tail = read_log(folder, text)
    assert tail is not None
    return tail.lines


def test_without_a_log_there_is_nothing(tmp_path: Path):
    assert read_log(tmp_path) is None


def test_the_newest_lines_are_shown_oldest_first(tmp_path: Path):
    write(tmp_path, "\n".join(map(str, range(SHOWN + 50))))

    assert lines(tmp_path)[0] == "50"
    assert lines(tmp_path)[-1] == str(SHOWN + 49)


def test_a_search_ignores_case(tmp_path: Path):
    write(tmp_path, "epoch 1\nWARNING: slow\nepoch 2\n")

    assert lines(tmp_path, "warning") == ("WARNING: slow",)


def test_a_progress_bar_shows_its_last_state(tmp_path: Path):
    write(tmp_path, "10%\r50%\r\x1b[31m100%\x1b[0m\r\n")

    assert lines(tmp_path) == ("100%",)


def test_of_a_long_file_only_the_end_is_read(tmp_path: Path):
    write(tmp_path, "first\n" + "x" * 100 + "\n" * LOOKED_AT + "last\n")
    tail = read_log(tmp_path)

    assert tail is not None
    assert tail.lines == ("last",)
    assert not tail.is_whole


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b""])
def test_bytes_that_are_no_text_do_no_harm(tmp_path: Path, data: bytes):
    (tmp_path / LOG).write_bytes(data)

    assert read_log(tmp_path) is not None
