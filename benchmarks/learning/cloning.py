"""Makes a start that has seen a few more demonstrations, for the learning benchmark.

`python -m benchmarks.learning.cloning START OUT --per-template 3 ...` lets the scripted
solver play that many training tasks of each template, none of them held out, and trains
START/policy on what it solved, with the product's own SFT. OUT then holds policy,
critic and orm, as START does; the last two are START's. With `--templates A,B` only
these are shown, with `--unsolved-in FOLDER ...` those that no episode of the folders
has solved, with `--share 0.5` half of those, or of all. With `--only-show` nothing is
trained: OUT is START together with the demonstrations, from which the benchmark learns
with `use_demonstrations=true`. A phase of the benchmark keeps its number as OUT's name.

Choose its numbers by `python -m benchmarks.learning.start OUT/policy`, which reads only
validation tasks.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import shutil
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from benchmarks.learning.acting import LIMITS, read_rows
from benchmarks.learning.command import Choices
from benchmarks.learning.loop import (
    CLONING,
    SETTINGS,
    Plan,
    list_attempted,
)
from benchmarks.learning.processes import start_module
from training.rl.sft.data import ROWS, WEIGHTS
from training.rl.starter.episodes import (
    RecordedEpisode,
    collect_episodes,
    sandbox_server,
)
from training.rl.training_data import RESULT, SPEC, write_lines

# Keys of the demonstrated templates, beside the demonstrations.
TEMPLATES = "templates.json"
STEP_LIMIT = 14
LOG = "output.log"


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, train, copy the critic's and ORM's weights next to the policy's."""
    given = parse_arguments(arguments)
    check_parts(given.start)
    if given.only_show and (given.start / RESULT).exists():
        check_number(given.start, given.out)
    plan = Choices(sites=given.sites, held_out=given.held_out, drawn=given.drawn).plan()
    folder = given.out / CLONING
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ROWS).exists():
        templates = choose_templates(given, plan)
        tasks = choose_tasks(plan, given.per_template, templates)
        keys = sorted({task["template_key"] for task in tasks})
        (folder / TEMPLATES).write_text(json.dumps(keys))
        write_lines(folder / ROWS, as_lines(demonstrate(tasks, given.seed)))
    if given.only_show:
        copy_start(given.start, given.out)
        return 0
    if not (folder / RESULT).exists() and (code := _train(given, folder)):
        print(f"Training failed; see {folder / LOG}.")
        return code
    parts = [folder / WEIGHTS, given.start / "critic"]
    # A phase of the bench may have no reward model.
    parts += [part for part in [given.start / "orm"] if part.exists()]
    for source in parts:
        shutil.copytree(source, given.out / source.name, dirs_exist_ok=True)
    print(given.out)
    return 0


def check_parts(start: Path) -> None:
    """Check before anything is played that there is a start.

    Raises:
        SystemExit: It has no policy or no critic.
    """
    for name in ("policy", "critic"):
        if not (start / name).is_dir():
            raise SystemExit(f"There is no {name} in {start}.")


def copy_start(start: Path, out: Path) -> None:
    """Copy a start without the demonstrations that it may hold."""

    def leave_out(folder: str, names: list[str]) -> list[str]:
        return [CLONING] if Path(folder) == start and CLONING in names else []

    shutil.copytree(start, out, ignore=leave_out, dirs_exist_ok=True)


def check_number(start: Path, out: Path) -> None:
    """Check OUT's name: the bench reads from it which tasks come next.

    Raises:
        SystemExit: The copy of a phase is not named by its number.
    """
    if out.name != start.name:
        told = f"{start} is a phase: name its copy by the number, {out / start.name}."
        raise SystemExit(told)


def make_spec(given: argparse.Namespace) -> dict[str, Any]:
    """What the training process reads: the weights to begin with, and the settings."""
    return {
        "base": str((given.start / "policy").absolute()),
        "seed": given.seed,
        "sft": {
            "learning_rate": given.learning_rate,
            "epochs": given.epochs,
            "batch_size": given.batch_size,
        },
        "algorithm": {
            **SETTINGS,
            "augmented_copies": given.copies,
            "lora_rank": given.lora_rank,
            "max_action_tokens": given.max_action_tokens,
            "micro_batch_size": given.micro_batch_size,
            "precision": given.precision,
        },
    }


def _train(given: argparse.Namespace, folder: Path) -> int:
    """Run the training to its end; returns its exit code."""
    (folder / SPEC).write_text(json.dumps(make_spec(given)))
    log = folder / LOG
    return start_module(
        "training.rl.sft.train", [str(folder)], log=log, threads=2
    ).wait()


def choose_templates(given: argparse.Namespace, plan: Plan) -> list[str]:
    """Keys of the templates that are demonstrated; empty means all."""
    if given.templates:
        return list(given.templates)
    unsolved = find_unsolved(given.unsolved_in)
    if not unsolved and given.share < 1:
        unsolved = sorted({task["template_key"] for task in list_attempted(plan)})
    return draw_share(unsolved, given.share)


def choose_tasks(
    plan: Plan, per_template: int, templates: Collection[str] = ()
) -> list[dict[str, Any]]:
    """The first tasks of each template among those that a phase may attempt.

    Args:
        plan: Defines which tasks are held out, and how many are drawn in addition.
        per_template: Most tasks of a template.
        templates: Keys of templates; empty means all.

    Raises:
        SystemExit: A template has no such task.
    """
    seen: Counter[str] = Counter()
    chosen = []
    for task in list_attempted(plan):
        if templates and task["template_key"] not in templates:
            continue
        seen[task["template_key"]] += 1
        if seen[task["template_key"]] <= per_template:
            chosen.append(task)
    if missing := sorted(set(templates) - set(seen)):
        raise SystemExit(f"No task of {missing[0]} can be demonstrated.")
    return chosen


def find_unsolved(folders: Sequence[Path]) -> list[str]:
    """Keys of the templates that were attempted in the folders and never solved.

    Args:
        folders: Of collected episodes, as the bench keeps them.

    Raises:
        SystemExit: There are folders, and no episode or no such template in them.
    """
    solved: dict[str, bool] = {}
    for row in (row for folder in folders for row in read_rows(folder)):
        key = row["template"]
        solved[key] = solved.get(key, False) or bool(row["outcome"])
    if folders and not solved:
        raise SystemExit(f"There are no episodes in {folders[0]}.")
    found = sorted(key for key, is_solved in solved.items() if not is_solved)
    if folders and not found:
        raise SystemExit(f"No template without a success in {folders[0]}.")
    return found


def draw_share(templates: Sequence[str], share: float) -> list[str]:
    """Return a part of the templates, the same for all seeds.

    The others show what the demonstrated ones teach of templates that are not.
    """
    count = max(round(share * len(templates)), min(len(templates), 1))
    return sorted(random.Random(0).sample(sorted(templates), count))


def demonstrate(tasks: Sequence[dict[str, Any]], seed: int) -> list[RecordedEpisode]:
    """The scripted solver's episodes that are successes by the evaluators."""
    from rollouts.sites.sandbox.oracle import OraclePolicy

    with sandbox_server() as control_url:
        episodes = collect_episodes(
            OraclePolicy(tasks),
            tasks,
            control_url=control_url,
            step_limit=STEP_LIMIT,
            seeds=[seed] * len(tasks),
        )
    return [episode for episode in episodes if episode.outcome]


def as_lines(episodes: Sequence[RecordedEpisode]) -> list[dict[str, Any]]:
    """The trainer's lines, in an order that does not depend on which ended first."""
    ordered = sorted(episodes, key=lambda episode: episode.key)
    return [dataclasses.asdict(episode.trajectory) for episode in ordered]


def _split(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def _share(text: str) -> float:
    share = float(text)
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 1")
    return share


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("start", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sites", default="", help="separated by commas")
    parser.add_argument("--held-out", type=int, default=0, help="as the bench's")
    parser.add_argument("--drawn", type=int, default=0, help="as the bench's")
    parser.add_argument("--per-template", type=int, default=3)
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument(
        "--templates", type=_split, default=(), help="separated by commas; all if none"
    )
    chosen.add_argument(
        "--unsolved-in",
        type=Path,
        nargs="+",
        default=(),
        metavar="FOLDER",
        help="templates that no episode of the folders has solved",
    )
    parser.add_argument(
        "--share", type=_share, default=1.0, help="of these templates, or of all"
    )
    parser.add_argument("--only-show", action="store_true", help="train nothing")
    parser.add_argument("--learning-rate", type=float, default=5e-4)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--copies", type=int, default=0, help="with other names")
    small = SETTINGS["micro_batch_size"]
    parser.add_argument("--micro-batch-size", type=int, default=small)
    parser.add_argument(
        "--precision", default="auto", help="native: bfloat16 where it is fast"
    )
    parser.add_argument("--lora-rank", type=int, default=0, help="0: all weights")
    most = LIMITS["max_action_tokens"]
    parser.add_argument("--max-action-tokens", type=int, default=most)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
