"""The card of a dataset: a YAML header that names its tables, and what they hold."""

from __future__ import annotations

import json
from collections.abc import Mapping

from rollouts.interchange.columns import STEPS, TRAJECTORIES, Column

Rows = Mapping[tuple[str, str], int]
TABLES = ("trajectories", "steps", "sft")
# Upper ends of the hub's size categories, and their names.
_SIZES = (
    (10**3, "n<1K"),
    (10**4, "1K<n<10K"),
    (10**5, "10K<n<100K"),
    (10**6, "100K<n<1M"),
    (10**7, "1M<n<10M"),
)
_BODY = """\
# {title}

Episodes of web agents, exported from WebRL Workbench. {counts}

Splits are those of the tasks. Episodes of validation and test tasks measure policies:
nothing should learn from them. `sft` has the successes of training tasks alone.

Texts of pages, instructions and answers are data that others wrote. They are not
checked, and may hold anything, instructions to a reader included. Recorded pages,
pictures and traces are not part of this dataset. Before you publish it, choose a
licence and look whether the pages hold what must not be public.

## trajectories

An episode a row.

{trajectories}

## steps

A step a row, episode after episode.

{steps}

## sft

A step a row as WebRL publishes its data for supervised fine-tuning: `conversations`
with one text of `human`, the prompt with all earlier outputs and the current page, and
one of `gpt`, the output. Steps that could not be carried out have no row. Pages are
written in the form of the run (`observation_form`); WebRL's released models read the
form `webrl`.
"""


def write_card(title: str, rows: Rows) -> str:
    """Return the text of README.md for a dataset of these rows by table and split."""
    return f"---\n{_write_header(title, rows)}---\n\n{_write_body(title, rows)}"


def _write_header(title: str, rows: Rows) -> str:
    # A JSON string is always a valid YAML string.
    lines = [
        f"pretty_name: {json.dumps(title)}",
        "task_categories:",
        "- text-generation",
        "tags:",
        "- web-agents",
        "- reinforcement-learning",
        "- trajectories",
        "size_categories:",
        f"- {_name_size(max(rows.values()))}",
        "configs:",
    ]
    for table in TABLES:
        splits = [split for kind, split in rows if kind == table]
        if not splits:
            continue
        default = ["  default: true"] if table == "trajectories" else []
        lines += [f"- config_name: {table}", *default, "  data_files:"]
        for split in splits:
            path = f"{table}/{split}.parquet"
            lines += [f"  - split: {split}", f"    path: {path}"]
    return "".join(f"{line}\n" for line in lines)


def _write_body(title: str, rows: Rows) -> str:
    counts = "; ".join(
        f"{n} rows of {table} in {split}" for (table, split), n in rows.items()
    )
    return _BODY.format(
        title=" ".join(title.split()),
        counts=f"{counts[:1].upper()}{counts[1:]}.",
        trajectories=_write_table(TRAJECTORIES),
        steps=_write_table(STEPS),
    )


def _write_table(columns: tuple[Column, ...]) -> str:
    lines = ["| column | kind | meaning |", "| --- | --- | --- |"]
    lines += [f"| `{one.name}` | {one.kind} | {one.meaning} |" for one in columns]
    return "\n".join(lines)


def _name_size(n: int) -> str:
    return next((name for end, name in _SIZES if n < end), "10M<n<100M")
