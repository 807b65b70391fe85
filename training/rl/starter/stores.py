"""What the recipe's stages keep in folders, each made once: episodes and weights."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rollouts.policies.protocol import Policy
from rollouts.sites.kit.drawing import Task
from rollouts.sites.sandbox.catalog import load_tasks
from training.rl import checkpoints
from training.rl.starter.episodes import (
    RecordedEpisode,
    collect_episodes,
    load_episodes,
    save_episodes,
)
from training.rl.starter.fitting import Curriculum, fit
from training.rl.starter.optimizers import Kind
from training.rl.starter.progress import Progress
from training.rl.starter.recipe_numbers import Recipe

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

STEP_LIMIT = 12
SEED_STRIDE = 1_000_003


class Stores:
    """Makes what a stage needs, or takes it from an earlier run's folder."""

    def __init__(self, recipe: Recipe, work: Path, out: Path, control_url: str) -> None:
        """Load the tasks and make the folders."""
        self.recipe, self.work, self.out = recipe, work, out
        self.control_url = control_url
        self.train_tasks = [t for t in load_tasks() if t["split"] == "train"]
        work.mkdir(parents=True, exist_ok=True)
        self.curves: dict[str, list[list[float]]] = {}

    def fit(
        self,
        name: str,
        model: PreTrainedModel,
        curriculum: Curriculum,
        kind: Kind = "adamw",
    ) -> None:
        """Fit with the steps and the learning rate that the recipe has for the name."""
        steps = getattr(self.recipe, f"{name}_steps")
        fit(
            model,
            curriculum,
            steps=steps,
            learning_rate=getattr(self.recipe, f"{name}_learning_rate"),
            on_step=self.logger(name, steps),
            kind=kind,
        )
        self.keep_curves(name)

    def episodes(
        self, name: str, policy: Policy, tasks: Sequence[Task]
    ) -> list[RecordedEpisode]:
        """Play the tasks in their order."""
        path = self.work / f"{name}.jsonl"
        if path.exists():
            return load_episodes(path)
        progress = Progress(name, len(tasks))
        found = collect_episodes(
            policy,
            tasks,
            control_url=self.control_url,
            step_limit=STEP_LIMIT,
            seeds=[self.recipe.seed * SEED_STRIDE + n for n in range(len(tasks))],
            on_end=lambda episode: progress.add(episode.outcome),
        )
        # In the order of the tasks, not the order in which they ended.
        found.sort(key=lambda episode: episode.trajectory.trajectory_id)
        save_episodes(path, found)
        return found

    def ship(
        self,
        name: str,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerBase,
        **more: Any,
    ) -> None:
        """Save in bfloat16 with its provenance; the model itself stays float32."""
        small = type(model)(model.config).bfloat16()
        small.load_state_dict(model.state_dict())
        checkpoints.save_checkpoint(
            self.out / name, small, tokenizer, extra={"made": self._made()}, **more
        )

    def _made(self) -> dict[str, Any]:
        curves = {
            path.stem: json.loads(path.read_text())
            for path in sorted(self.work.glob("*.curve.json"))
        }
        digests = {
            path.stem: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(self.work.glob("*.jsonl"))
        }
        return {
            "command": "python -m training.rl.starter.recipe --out models/starter",
            "recipe": dataclasses.asdict(self.recipe),
            "data_sha256": digests,
            "curves": curves,
        }

    def logger(self, name: str, steps: int) -> Callable[[int, float, float], None]:
        """Return a function that adds step, loss and accuracy to the curve."""
        recent: list[float] = []
        started = time.monotonic()
        curve = self.curves.setdefault(name, [])

        def log(step: int, loss: float, accuracy: float) -> None:
            recent.append(accuracy)
            if step % 50 and step != steps - 1:
                return
            mean = sum(recent) / len(recent)
            recent.clear()
            curve.append([step, round(loss, 4), round(mean, 4)])
            seconds = time.monotonic() - started
            sys.stderr.write(
                f"{name} {step}/{steps} loss {loss:.3f} "
                f"accuracy {mean:.3f} {seconds:.0f} s\n"
            )

        return log

    def keep_curves(self, name: str) -> None:
        """Write the named curve next to what the stage made."""
        path = self.work / f"{name}.curve.json"
        path.write_text(json.dumps(self.curves.get(name, [])))
