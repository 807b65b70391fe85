"""The verbs that write lists to files, and that import other tools' episodes."""

from __future__ import annotations

import argparse
from pathlib import Path

from scripts.workbench import up
from scripts.workbench.verbs.arguments import Call

# The one format that is a folder; another command writes it.
DATASET = "dataset"
# Those of rollouts.interchange.formats, which a bare Python cannot import.
IMPORTED = ("browsergym", "dataset", "sft", "vab")


def review_verb(verb: argparse.ArgumentParser) -> Call:
    acts = verb.add_subparsers(required=True, metavar="export")
    _add_export(acts.add_parser("export", help="write them to a file"), "reviews")
    return lambda given: int(given.act(given))


def trajectories_verb(verb: argparse.ArgumentParser) -> Call:
    acts = verb.add_subparsers(required=True, metavar="export | import")
    exporter = acts.add_parser("export", help="write them to a file or a dataset")
    _add_export(exporter, "trajectories")
    exporter.add_argument(
        "--steps",
        dest="kind",
        action="store_const",
        const="steps",
        help="steps instead of trajectories",
    )
    importer = acts.add_parser("import", help="read episodes of others, to replay them")
    importer.add_argument("path", type=Path, metavar="PATH", help="a folder or file")
    importer.add_argument("--name", metavar="NAME", help="of the new run; unique")
    importer.add_argument("--policy", metavar="NAME", help="who acted")
    importer.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help="JSON: the settings of the runs, by section; charts compare runs by them",
    )
    importer.add_argument(
        "--format", choices=IMPORTED, help="where the files do not say it"
    )
    importer.set_defaults(act=_import)
    return lambda given: int(given.act(given))


def _add_export(export: argparse.ArgumentParser, kind: str) -> None:
    export.add_argument("file", metavar="FILE", help="its ending says the format")
    export.add_argument(
        "filters",
        nargs="*",
        metavar="NAME=VALUE",
        help="only those; may be left out; docs/api.md names the filters",
    )
    export.add_argument(
        "--format", metavar="FORMAT", help="where the ending does not say it"
    )
    export.set_defaults(kind=kind, act=_export)


def _export(given: argparse.Namespace) -> int:
    file = given.file if given.file == "-" else str(Path(given.file).absolute())
    if given.format == DATASET and given.kind == "trajectories":
        return up.manage(["export_dataset", file, *given.filters])
    words = [given.kind, file, *given.filters]
    return up.manage(
        ["export_list", *words, *([f"--format={given.format}"] if given.format else [])]
    )


def _import(given: argparse.Namespace) -> int:
    options = {name: getattr(given, name) for name in ("name", "policy", "format")}
    words = [f"--{name}={value}" for name, value in options.items() if value]
    words += [f"--config={given.config.absolute()}"] if given.config else []
    return up.manage(["import_trajectories", str(given.path.absolute()), *words])
