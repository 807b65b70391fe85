"""The verbs of `./webrl`. To add one, add a function to `VERBS`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from scripts.workbench import bench, docs, gallery, safety, testing, up
from scripts.workbench import demo as demo_verb
from scripts.workbench.install import chromium, site, venv
from scripts.workbench.verbs import exports, models
from scripts.workbench.verbs.arguments import (
    PHASE_HELP,
    SITE_HELP,
    Call,
    count,
    new_file,
    phase_name,
)


def run_verb(arguments: Sequence[str]) -> int:
    """Parse the command line and run its verb; return the exit code."""
    given = build_parser().parse_args(arguments)
    return int(given.call(given))


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; each verb sets `call`, which returns an exit code."""
    parser = argparse.ArgumentParser(
        prog="./webrl", description="WebRL Workbench: one command for everything."
    )
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB")
    for name, (summary, add) in VERBS.items():
        verb = verbs.add_parser(name, help=summary, description=f"{summary}.")
        call = add(verb)
        verb.set_defaults(call=call)
    return parser


# Those of webrl_site.runs.config, which needs Django.
PRESETS = (
    *("browsergym", "demo", "paper", "pretrained", "reference", "starter"),
    *("webarena", "webarena-lite", "webrl"),
)


def _demo(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument("--exit", action="store_true", help="stop everything at the end")
    verb.add_argument("--json", type=new_file, metavar="FILE", help="write the figures")
    verb.add_argument("--phases", type=count, default=1, metavar="N", help="default: 1")
    verb.add_argument("--seed", type=int, default=0, metavar="S", help="0 if none")
    return demo_verb.demo


def _up(verb: argparse.ArgumentParser) -> Call:
    return lambda given: up.up()


def _down(verb: argparse.ArgumentParser) -> Call:
    return lambda given: up.down()


def _restart(verb: argparse.ArgumentParser) -> Call:
    return lambda given: up.restart()


def _setup(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument("--dev", action="store_true", help="what tests need, as well")
    verb.add_argument("--s3", action="store_true", help="what reads a bucket, as well")

    def call(given: argparse.Namespace) -> int:
        venv.ensure(dev=given.dev, s3=given.s3)
        chromium.ensure()
        return 0

    return call


def _test(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument(
        "stages", nargs="*", metavar="STAGE", help=", ".join(testing.STAGES)
    )
    return lambda given: testing.test(given.stages)


def _lint(verb: argparse.ArgumentParser) -> Call:
    return lambda given: testing.test(["lint"])


def _bench(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument("name", choices=bench.NAMES, help="what to measure")
    verb.add_argument("--json", type=new_file, metavar="FILE", help="write the records")
    verb.add_argument(
        "--list", action="store_true", help="of learning: print its methods"
    )
    verb.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="its numbers",
    )

    def call(given: argparse.Namespace) -> int:
        if given.list:
            return bench.list_methods()
        words = [word for pair in given.set for word in ("--set", pair)]
        return bench.bench(given.name, given.json, words=words)

    return call


def _drill(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument(
        "names", nargs="*", metavar="NAME", help="bars as R1 and S4, or all"
    )
    verb.add_argument(
        "--profile", choices=safety.PROFILES, default="embedded", help="what runs it"
    )
    verb.add_argument("--list", action="store_true", help="name the bars, run nothing")
    verb.add_argument(
        "--quiet", action="store_true", help="nothing else runs here: measure times too"
    )
    verb.add_argument(
        "--table", type=new_file, metavar="FILE", help="write a table in Markdown, too"
    )
    return lambda given: safety.drill(
        given.names,
        given.profile,
        is_list=given.list,
        is_quiet=given.quiet,
        table=given.table,
    )


def _backup(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument("file", type=new_file, metavar="FILE", help="must not exist")
    return lambda given: safety.back_up(given.file)


def _restore(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument("file", type=Path, metavar="FILE", help="made by backup")
    return lambda given: safety.restore(given.file)


def _support(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument("file", type=new_file, metavar="FILE", help="must not exist")
    return lambda given: safety.write_support(given.file)


def _gallery(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="where they go"
    )
    verb.add_argument(
        "--language",
        choices=("en", "es", "zh-hans"),
        default="en",
        help="what the browser asks for",
    )
    return lambda given: gallery.gallery(given.out, given.language)


def _tasks(verb: argparse.ArgumentParser) -> Call:
    kinds = verb.add_subparsers(required=True, dest="kind", metavar="import | lint")
    importer = kinds.add_parser("import", help="add tasks in WebArena's JSON format")
    linter = kinds.add_parser("lint", help="name the tasks that cannot be scored")
    for parser in (importer, linter):
        parser.add_argument(
            "file", type=Path, metavar="FILE", help="a JSON list, JSON lines, or CSV"
        )
    return lambda given: up.manage([f"{given.kind}_tasks", str(given.file.absolute())])


def _launch(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument(
        "file", nargs="?", type=Path, metavar="FILE", help="a run in JSON"
    )
    verb.add_argument("--preset", choices=PRESETS, help="what the file leaves unsaid")
    verb.add_argument("--name", metavar="NAME", help="of the run; unique")
    verb.add_argument("--seed", type=int, metavar="S", help="of all chance; usually 0")

    def call(given: argparse.Namespace) -> int:
        words = [str(given.file.absolute())] if given.file else []
        for option in ("preset", "name", "seed"):
            if (value := getattr(given, option)) is not None:
                words.append(f"--{option}={value}")
        return up.manage(["launch_run", *words])

    return call


def _steer(command: str) -> Callable[[argparse.ArgumentParser], Call]:
    """Return a function that adds a verb which takes the name of a phase."""

    def add(verb: argparse.ArgumentParser) -> Call:
        verb.add_argument("phase", type=phase_name, metavar="PHASE", help=PHASE_HELP)
        return lambda given: up.manage([command, given.phase])

    return add


def _runs(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument("--last", type=count, metavar="N", help="only so many runs")

    def call(given: argparse.Namespace) -> int:
        return up.manage(
            ["list_runs", *([f"--last={given.last}"] if given.last else [])]
        )

    return call


def _site(verb: argparse.ArgumentParser) -> Call:
    kinds = verb.add_subparsers(
        required=True, metavar="add | list | address | instance | reset | open"
    )
    adder = kinds.add_parser("add", help="download a published site, add its tasks")
    adder.add_argument("key", choices=sorted(site.ADDABLE), help="which one")
    adder.set_defaults(act=lambda given: site.add(given.key))
    lister = kinds.add_parser("list", help="name the sites, and those to add")
    lister.set_defaults(act=lambda given: site.list_all())
    mover = kinds.add_parser("address", help="say where an external site is")
    mover.add_argument("key", metavar="KEY", help=SITE_HELP)
    mover.add_argument("url", help='an http(s) address; "" takes it away')
    mover.set_defaults(
        act=lambda given: up.manage(["set_site_address", given.key, given.url])
    )
    copier = kinds.add_parser("instance", help="say where one more instance of it is")
    copier.add_argument("key", metavar="KEY", help=SITE_HELP)
    copier.add_argument("url", nargs="?", default="", help="an http(s) address")
    copier.add_argument("--remove", metavar="NUMBER", default="", help="take one away")
    copier.set_defaults(act=_change_instance)
    resetter = kinds.add_parser("reset", help="put a site back to its first state")
    opener = kinds.add_parser("open", help="open a site that was closed for failing")
    for parser, command in ((resetter, "reset_site"), (opener, "open_site")):
        parser.add_argument("key", metavar="KEY", help=SITE_HELP)
        parser.add_argument("--number", default="1", help="of the instance")
        parser.set_defaults(command=command, act=_call_on_instance)
    return lambda given: int(given.act(given))


def _change_instance(given: argparse.Namespace) -> int:
    number = ["--remove", given.remove] if given.remove else []
    url = [given.url] if given.url else []
    return up.manage(["set_site_instance", given.key, *url, *number])


def _call_on_instance(given: argparse.Namespace) -> int:
    number = [] if given.number == "1" else ["--number", given.number]
    return up.manage([given.command, given.key, *number])


def _evidence(verb: argparse.ArgumentParser) -> Call:
    for kind in ("trace", "screenshot", "page"):
        for unit, rule in (("days", "older than N days"), ("gib", "above N GiB")):
            verb.add_argument(
                f"--{kind}-{unit}", type=int, metavar="N", help=f"{kind}s {rule}"
            )
    verb.add_argument("--remove", action="store_true", help="let it go now")

    def call(given: argparse.Namespace) -> int:
        named = {k: v for k, v in vars(given).items() if k.endswith(("_days", "_gib"))}
        words = [
            f"--{name.replace('_', '-')}={value}"
            for name, value in named.items()
            if value is not None
        ]
        return up.manage(
            ["show_evidence", *words, *(["--remove"] if given.remove else [])]
        )

    return call


def _seed(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument(
        "--scale",
        choices=("small", "large"),
        default="small",
        help="small, or fifty times as much",
    )

    def call(given: argparse.Namespace) -> int:
        failed = up.manage(["migrate", "--no-input", "--verbosity", "0"])
        return failed or up.manage(["seed_examples", "--scale", given.scale])

    return call


def _docs(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument(
        "--serve", type=count, metavar="PORT", help="show them until Ctrl-C"
    )
    verb.add_argument(
        "--pictures", action="store_true", help="take the pictures anew first"
    )
    return lambda given: docs.docs(port=given.serve, pictures=given.pictures)


def _manage(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="...", help="its words"
    )
    return lambda given: up.manage(given.arguments)


def _lock(verb: argparse.ArgumentParser) -> Call:
    return lambda given: venv.lock()


VERBS: dict[str, tuple[str, Callable[[argparse.ArgumentParser], Call]]] = {
    "demo": ("Run one whole phase from nothing and leave the dashboard up", _demo),
    "up": ("Run the dashboard until Ctrl-C", _up),
    "down": ("End what `up` or `demo` runs in another terminal", _down),
    "restart": ("Replace the running processes, one by one, by new ones", _restart),
    "test": ("Run all tests, or the named stages", _test),
    "lint": ("Run the linters and type checks alone", _lint),
    "bench": ("Measure something and write its records", _bench),
    "drill": ("Break something and measure whether a promise holds", _drill),
    "backup": ("Write all rows and files to one file, while everything runs", _backup),
    "restore": ("Write a backup into an empty folder and database", _restore),
    "support": ("Write versions, settings, health and logs without secrets", _support),
    "launch": ("Make a run and open its first phase", _launch),
    "runs": ("List runs with their phases and what they are called", _runs),
    "watch": ("Follow a phase until it is closed", _steer("watch_phase")),
    "stop": ("Stop a phase; it can resume", _steer("stop_phase")),
    "resume": ("Resume a phase where it stopped", _steer("resume_phase")),
    "review": ("Export decisions", exports.review_verb),
    "trajectories": (
        "Export trajectories, or import those of others",
        exports.trajectories_verb,
    ),
    "tasks": ("Import tasks, or look for mistakes in them", _tasks),
    "orm": (
        "Train a reward model on people's verdicts, or choose one",
        models.orm_verb,
    ),
    "model": ("Add a pretrained model, list models, clone one", models.model_verb),
    "site": ("Add a published site, list the sites, reset or open one", _site),
    "sft": ("Start a policy from the demonstrations of a run", models.sft_verb),
    "evidence": ("Say what pictures, pages and traces take, or let go", _evidence),
    "seed": ("Fill an empty database with made-up runs", _seed),
    "gallery": ("Take a picture of every page", _gallery),
    "docs": ("Build the docs as pages, and serve them", _docs),
    "manage": ("Pass a command on to manage.py", _manage),
    "setup": ("Install what the other verbs need", _setup),
    "lock": ("Resolve the dependencies into the lock files", _lock),
}
