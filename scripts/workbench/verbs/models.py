"""The verbs about models: pretrained ones, reward models, demonstrations."""

from __future__ import annotations

import argparse
from pathlib import Path

from scripts.workbench import up
from scripts.workbench.install import model
from scripts.workbench.verbs.arguments import (
    PHASE_HELP,
    RUN_HELP,
    WEIGHTS_HELP,
    Call,
    count,
    phase_name,
    weights_name,
)

CLONE_OPTIONS = {
    "base": "address that it goes on from; usually smollm2/base",
    "site": "only this site; usually all five",
    "per-template": "demonstrations of each template; usually 8",
    "epochs": "passes; usually 3",
    "lora-rank": "of the adapters; usually 16, 0 trains all weights",
    "learning-rate": "peak; usually 1e-3",
    "batch-size": "demonstrated steps of an optimiser step; usually 32",
}
NUMBERS: dict[str, type[int] | type[float]] = {
    "per-template": int,
    "epochs": int,
    "lora-rank": int,
    "learning-rate": float,
    "batch-size": int,
    "copies": int,
}
SFT_OPTIONS = ("run", "base", "learning_rate", "epochs", "batch_size", "copies")


def model_verb(verb: argparse.ArgumentParser) -> Call:
    kinds = verb.add_subparsers(required=True, metavar="add | list | clone")
    adder = kinds.add_parser("add", help="download a published model, once")
    adder.add_argument("key", choices=sorted(model.ADDABLE), help="which one")
    adder.set_defaults(act=lambda given: model.add(given.key))
    lister = kinds.add_parser("list", help="name the models, and those to add")
    lister.set_defaults(act=lambda given: model.list_all())
    cloner = kinds.add_parser("clone", help="let one learn careful demonstrations")
    cloner.add_argument("name", type=weights_name, metavar="NAME", help=WEIGHTS_HELP)
    cloner.add_argument("--background", action="store_true", help="return at once")
    for name, what in CLONE_OPTIONS.items():
        kind = NUMBERS.get(name, str)
        cloner.add_argument(f"--{name}", type=kind, metavar="N", help=what)
    cloner.set_defaults(act=_clone)
    return lambda given: int(given.act(given))


def _clone(given: argparse.Namespace) -> int:
    values = {name: getattr(given, name.replace("-", "_")) for name in CLONE_OPTIONS}
    words = [
        f"--{name}={value}" for name, value in values.items() if value not in (None, "")
    ]
    return model.clone(given.name, words, in_background=given.background)


def orm_verb(verb: argparse.ArgumentParser) -> Call:
    kinds = verb.add_subparsers(required=True, metavar="train | use")
    trainer = kinds.add_parser("train", help="let it learn from what people judged")
    trainer.add_argument("name", type=weights_name, metavar="NAME", help=WEIGHTS_HELP)
    trainer.add_argument(
        "--run", type=count, required=True, metavar="RUN", help=RUN_HELP
    )
    trainer.add_argument("--base", metavar="ADDRESS", help="what it goes on from")
    trainer.add_argument(
        "--only-run", action="store_true", help="only the run's own episodes"
    )
    trainer.set_defaults(act=_train_orm)
    user = kinds.add_parser("use", help="judge the phase after PHASE with it")
    user.add_argument("name", metavar="NAME", help="as given to train, or an address")
    user.add_argument("phase", type=phase_name, metavar="PHASE", help=PHASE_HELP)
    user.set_defaults(act=lambda given: up.manage(["use_orm", given.name, given.phase]))
    return lambda given: int(given.act(given))


def _train_orm(given: argparse.Namespace) -> int:
    words = ["train_orm", given.name, f"--run={given.run}"]
    words += [f"--base={given.base}"] if given.base else []
    return up.manage(words + (["--only-run"] if given.only_run else []))


def sft_verb(verb: argparse.ArgumentParser) -> Call:
    verb.add_argument("name", type=weights_name, metavar="NAME", help=WEIGHTS_HELP)
    source = verb.add_argument_group("what is learnt from")
    source.add_argument("--run", type=count, metavar="RUN", help=RUN_HELP)
    source.add_argument("--rows", metavar="FILE", help="rows of WebRL's SFT format")
    verb.add_argument("--base", metavar="ADDRESS", help="what it goes on from")
    for name in ("learning-rate", "epochs", "batch-size"):
        help_text = "instead of the paper's"
        verb.add_argument(f"--{name}", type=NUMBERS[name], metavar="N", help=help_text)
    verb.add_argument(
        "--copies",
        type=NUMBERS["copies"],
        metavar="N",
        help="also learn so many copies of each step, with other names and numbers",
    )

    def call(given: argparse.Namespace) -> int:
        named = {k: v for k, v in vars(given).items() if k in SFT_OPTIONS}
        words = [
            f"--{k.replace('_', '-')}={v}" for k, v in named.items() if v is not None
        ]
        # As the caller's folder has it; the command runs in the repository's.
        words += [f"--rows={Path(given.rows).resolve()}"] if given.rows else []
        return up.manage(["train_sft", given.name, *words])

    return call
