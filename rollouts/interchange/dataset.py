"""Episodes as a dataset that Hugging Face's tools load: Parquet files with a card.

    FOLDER/README.md                     the card, with its YAML header
    FOLDER/trajectories/SPLIT.parquet    an episode a row
    FOLDER/steps/SPLIT.parquet           a step a row, episode after episode
    FOLDER/sft/train.parquet             WebRL's rows of successful training episodes

SPLIT is that of the task. Recorded pages, pictures and traces stay where they are.
pyarrow is slow to import, so it is imported when a file is written or read.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rollouts.interchange.card import write_card
from rollouts.interchange.columns import (
    STEPS,
    TRAJECTORIES,
    Column,
    Row,
    read_step,
    read_trajectory,
    write_step,
    write_trajectory,
)
from rollouts.interchange.episodes import (
    MAX_STEPS,
    EpisodeFileError,
    FileEpisode,
    FileStep,
)
from rollouts.interchange.sft import write_rows

if TYPE_CHECKING:
    import pyarrow
    from pyarrow.parquet import ParquetWriter

SPLITS = ("train", "validation", "test")
# Rows that are held in memory before they are written, by table.
GROUPS = {"trajectories": 200, "steps": 500, "sft": 200}
CARD = "README.md"
# Of the card that is read: its header is at its beginning.
MAX_CARD_BYTES = 64 * 1024
_NAMED = re.compile(
    r"^    path: (trajectories|steps)/(train|validation|test)\.parquet$", re.MULTILINE
)
# Where a dataset is written until it is complete.
PARTIAL = ".part"


@dataclasses.dataclass(frozen=True, slots=True)
class DatasetEpisode:
    """An episode to write, and the first of its steps that SFT may use."""

    episode: FileEpisode
    first: int = 0


class _Tables:
    """The open files of a dataset, each made with its first row."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._writers: dict[tuple[str, str], ParquetWriter] = {}
        self._waiting: dict[tuple[str, str], list[Row]] = {}
        self.rows: Counter[tuple[str, str]] = Counter()

    def add(self, table: str, split: str, row: Row) -> None:
        place = (table, split)
        self.rows[place] += 1
        self._waiting.setdefault(place, []).append(row)
        if len(self._waiting[place]) >= GROUPS[table]:
            self._write(place)

    def finish(self) -> None:
        for place in [one for one, rows in self._waiting.items() if rows]:
            self._write(place)

    def _write(self, place: tuple[str, str]) -> None:
        import pyarrow
        from pyarrow import parquet

        table, split = place
        schema = _schema(table)
        if place not in self._writers:
            path = self._folder / table / f"{split}.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            writer = parquet.ParquetWriter(path, schema, compression="zstd")
            self._writers[place] = self._stack.enter_context(writer)
        batch = pyarrow.RecordBatch.from_pylist(self._waiting[place], schema=schema)
        self._writers[place].write_batch(batch)
        self._waiting[place] = []


def write_dataset(
    folder: Path, episodes: Iterable[DatasetEpisode], title: str
) -> dict[tuple[str, str], int]:
    """Write a dataset into an empty folder; return its rows by table and split.

    After an error the folder is as it was before.

    Raises:
        EpisodeFileError: The folder is not empty, or there is no episode.
        OSError: A file cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise EpisodeFileError(f"{folder} is no empty folder.")
    is_new = not folder.exists()
    partial = folder / PARTIAL
    try:
        partial.mkdir(parents=True)
    except FileExistsError:
        raise EpisodeFileError(f"{folder} is no empty folder.") from None
    try:
        rows = _write_files(partial, episodes)
        (partial / CARD).write_text(write_card(title, rows), encoding="utf-8")
        # A folder is a dataset once it has trajectories.
        for path in sorted(partial.iterdir()):
            path.rename(folder / path.name)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        if is_new and not any(folder.iterdir()):
            folder.rmdir()
    return rows


def _write_files(
    folder: Path, episodes: Iterable[DatasetEpisode]
) -> dict[tuple[str, str], int]:
    with contextlib.ExitStack() as stack:
        tables = _Tables(folder, stack)
        for number, one in enumerate(episodes):
            _add(tables, number, one)
        tables.finish()
    if not tables.rows:
        raise EpisodeFileError("No finished episode fits the filters.")
    return dict(tables.rows)


def _add(tables: _Tables, number: int, one: DatasetEpisode) -> None:
    episode, split = one.episode, one.episode.task.split
    tables.add("trajectories", split, write_trajectory(number, episode))
    for index, step in enumerate(episode.steps):
        tables.add("steps", split, write_step(number, index, step))
    # Episodes that measure policies are never offered for SFT.
    if split == "train" and episode.outcome:
        for row in write_rows(episode, one.first):
            tables.add("sft", split, row)


def is_dataset(folder: Path) -> bool:
    """Say whether the folder looks like a dataset of episodes."""
    return any((folder / "trajectories").glob("*.parquet"))


def read_dataset(folder: Path, policy: str = "") -> Iterator[FileEpisode]:
    """Yield the episodes of a dataset as they were numbered; memory stays flat.

    Raises:
        EpisodeFileError: A file is missing or not one that an export writes, or an
            episode is there twice.
    """
    splits = {path.stem for path in (folder / "trajectories").glob("*.parquet")}
    if unknown := sorted(splits - set(SPLITS)):
        told = f"trajectories/{unknown[0]}.parquet is of no known split; "
        raise EpisodeFileError(f"{told}name it after one of {', '.join(SPLITS)}.")
    _check_files(folder)
    for _, episode in _merge([_read_split(folder, split) for split in splits]):
        yield dataclasses.replace(episode, policy=policy or episode.policy)


def _check_files(folder: Path) -> None:
    """Refuse a dataset that was copied in part; its card names its files.

    Raises:
        EpisodeFileError: Names the first file that is missing.
    """
    card = folder / CARD
    if card.is_symlink() or not card.is_file():
        return
    with card.open("rb") as content:
        head = content.read(MAX_CARD_BYTES).decode("utf-8", "replace")
    for table, split in _NAMED.findall(head):
        if not (folder / table / f"{split}.parquet").is_file():
            told = f"{card} names {table}/{split}.parquet, which is missing; "
            raise EpisodeFileError(f"{told}without it episodes or steps would be lost.")


def _merge(
    streams: Sequence[Iterator[tuple[int, FileEpisode]]],
) -> Iterator[tuple[int, FileEpisode]]:
    """Yield the splits' episodes together, by rising number."""
    heads = [(next(stream, None), stream) for stream in streams]
    while alive := [pair for pair in heads if pair[0] is not None]:
        first = min(alive, key=lambda pair: pair[0][0] if pair[0] else 0)
        if first[0] is not None:
            yield first[0]
        heads = [(next(s, None), s) if s is first[1] else (h, s) for h, s in heads]


def _read_split(folder: Path, split: str) -> Iterator[tuple[int, FileEpisode]]:
    rows = _read_rows(folder / "steps" / f"{split}.parquet", STEPS, "steps")
    waiting = next(rows, None)
    path = folder / "trajectories" / f"{split}.parquet"
    seen: set[int | None] = set()
    for row in _read_rows(path, TRAJECTORIES, "trajectories"):
        if row["episode"] in seen:
            raise EpisodeFileError(f"{path} has episode {row['episode']} twice.")
        seen.add(row["episode"])
        steps: list[FileStep] = []
        while waiting is not None and waiting["episode"] == row["episode"]:
            if waiting["index"] != len(steps) or len(steps) >= MAX_STEPS:
                told = f"The steps of episode {row['episode']} are not in order."
                raise EpisodeFileError(told)
            steps.append(read_step(waiting))
            waiting = next(rows, None)
        yield row["episode"] or 0, read_trajectory(row, tuple(steps))
    if waiting is not None:
        told = f"Steps of episode {waiting['episode']} belong to no episode in order."
        raise EpisodeFileError(told)


def _read_rows(path: Path, columns: Sequence[Column], table: str) -> Iterator[Row]:
    """Yield a file's rows, group after group; no rows where there is no file."""
    import pyarrow
    from pyarrow import parquet

    if not path.exists():
        return
    names = [one.name for one in columns]
    try:
        file = parquet.ParquetFile(path)
        missing = [name for name in names if name not in file.schema_arrow.names]
        if missing:
            raise EpisodeFileError(f"{path} has no column {missing[0]}.")
        schema = _schema(table)
        for batch in file.iter_batches(batch_size=GROUPS[table], columns=names):
            whole = pyarrow.Table.from_batches([batch]).select(names).cast(schema)
            yield from whole.to_pylist()
    except (pyarrow.ArrowException, OSError) as error:
        told = str(error).splitlines()[0][:200].rstrip(".")
        raise EpisodeFileError(f"{path} cannot be read: {told}.") from None


def _schema(table: str) -> pyarrow.Schema:
    import pyarrow

    if table == "sft":
        turn = pyarrow.struct([("from", pyarrow.string()), ("value", pyarrow.string())])
        return pyarrow.schema([("conversations", pyarrow.list_(turn))])
    types: dict[str, Any] = {
        "text": pyarrow.string(),
        "integer": pyarrow.int64(),
        "number": pyarrow.float64(),
        "flag": pyarrow.bool_(),
        "time": pyarrow.timestamp("us", tz="UTC"),
        "json": pyarrow.string(),
        "integers": pyarrow.list_(pyarrow.int64()),
        "numbers": pyarrow.list_(pyarrow.float64()),
    }
    columns = TRAJECTORIES if table == "trajectories" else STEPS
    return pyarrow.schema([(one.name, types[one.kind]) for one in columns])
