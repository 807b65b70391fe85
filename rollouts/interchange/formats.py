"""Recognises the format of a path's files and gives its reader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from rollouts.interchange.browsergym import is_browsergym, read_browsergym
from rollouts.interchange.dataset import is_dataset, read_dataset
from rollouts.interchange.episodes import EpisodeFileError, FileEpisode
from rollouts.interchange.sft import read_sft
from rollouts.interchange.vab import is_vab, read_vab

Reader = Callable[[Path, str], Iterator[FileEpisode]]
READERS: dict[str, Reader] = {
    "dataset": read_dataset,
    "vab": read_vab,
    "browsergym": read_browsergym,
    "sft": read_sft,
}


def recognise(path: Path) -> str:
    """Return the name of the format of a file or folder.

    Raises:
        EpisodeFileError: The format is unknown.
    """
    if path.is_file() and path.suffix in (".json", ".jsonl"):
        return "sft"
    for name, is_one in (
        ("dataset", is_dataset),
        ("vab", is_vab),
        ("browsergym", is_browsergym),
    ):
        if path.is_dir() and is_one(path):
            return name
    known = ", ".join(READERS)
    raise EpisodeFileError(f"{path} holds no episodes in a known format ({known}).")
