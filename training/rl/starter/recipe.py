"""Make the starter models: `python -m training.rl.starter.recipe --out models/starter`.

Each stage leaves its result in the work folder and is skipped when it is there, so a
stage is made again by deleting its file or folder.
"""

from __future__ import annotations

import argparse
import dataclasses
from pathlib import Path

import torch

from training.rl.starter import episodes
from training.rl.starter.pipeline import Pipeline
from training.rl.starter.recipe_numbers import Recipe


def main() -> None:
    """Parse the command line and run the pipeline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("var/starter"))
    parser.add_argument("--threads", type=int, default=2)
    for field in dataclasses.fields(Recipe):
        kind = float if field.type == "float" else int
        name = f"--{field.name.replace('_', '-')}"
        parser.add_argument(name, type=kind, default=field.default)
    arguments = vars(parser.parse_args())
    torch.set_num_threads(arguments.pop("threads"))
    out, work = arguments.pop("out"), arguments.pop("work")
    with episodes.sandbox_server() as control_url:
        Pipeline(Recipe(**arguments), work, out, control_url).run()


if __name__ == "__main__":
    main()
