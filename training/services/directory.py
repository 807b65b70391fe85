"""The training directory: what the subprocess reads, and what it leaves behind."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.text import slugify

from curriculum.errors import CheckpointError
from curriculum.models import Phase, Run
from curriculum.rules.checkpoints import (
    is_served,
    resolve_adapter,
    resolve_checkpoint,
)
from rollouts.policies.trained_prompts import read_prompt
from rollouts.services import draw_seed
from training.rl.launch import LOCK, alone_in
from training.rl.training_data import (
    DEMONSTRATIONS,
    FRESH,
    METRICS,
    REPLAY,
    RESULT,
    SCORES,
    SPEC,
    drop_half_written,
    name_weights,
    write_lines,
    write_text,
)
from training.selectors.demonstrations import read_demonstrations
from training.selectors.loop import (
    find_rewards,
    list_fresh_ids,
    list_replay_ids,
    read_episodes,
)

log = logging.getLogger(__name__)

# Enough to show that a folder belongs to this phase and not to one of the same
# number in a database that no longer exists.
IDENTITY = "phase.json"
MAX_RUN_NAME = 32  # characters in a folder's name


def name_directory(phase: Phase) -> Path:
    """Return where the phase trains; its weights stay there.

    People read the name as an address, so it has run and phase. A phase that an
    earlier version began keeps its folder.
    """
    root = Path(settings.CHECKPOINTS_DIR)
    earlier = root / f"phase-{phase.pk}"
    if _read_json(earlier / IDENTITY) == _identify(phase):
        return earlier
    return root / name_run(phase.run) / f"phase-{phase.number}"


def name_run(run: Run) -> str:
    """Return a name for files, different for every run."""
    return f"{slugify(run.name)[:MAX_RUN_NAME] or 'run'}-{run.pk}"


def write_directory(
    phase: Phase, should_stop: Callable[[], bool] = lambda: False
) -> Path:
    """Write the phase's episodes and numbers, unless they exist already.

    `spec.json` comes last: a folder that has it is complete, and training it again
    resumes. The episodes are frozen from then on. After a change of settings a trainer
    of the earlier ones may still save there: then this waits.

    Raises:
        CheckpointError: The weights cannot be read, or are served elsewhere.
        TrainingStopped: `should_stop` said so before that trainer had ended.
    """
    directory, identity = name_directory(phase), _identify(phase)
    if _is_complete(directory, identity):
        return directory
    spec = _build_spec(phase, directory)
    directory.mkdir(parents=True, exist_ok=True)
    with alone_in(directory, should_stop):
        # Another worker may have written it meanwhile.
        if not _is_complete(directory, identity):
            _fill(phase, directory, identity, spec)
    return directory


def _is_complete(directory: Path, identity: dict[str, Any]) -> bool:
    """Whether all is there, of this phase and its present settings."""
    is_same = _read_json(directory / IDENTITY) == identity
    return is_same and (directory / SPEC).exists()


def _fill(
    phase: Phase, directory: Path, identity: dict[str, Any], spec: dict[str, Any]
) -> None:
    if _read_json(directory / IDENTITY) != identity:
        _empty(directory)
    # Episodes take gigabytes.
    drop_half_written(directory)
    write_text(directory / IDENTITY, json.dumps(identity))
    fresh, replay = list_fresh_ids(phase.pk), list_replay_ids(phase)
    if not spec["config"].get("use_replay", True):
        replay = []
    rewards = find_rewards(phase)
    for name, ids in ((FRESH, fresh), (REPLAY, replay)):
        episodes = read_episodes(ids, rewards)
        write_lines(directory / name, map(dataclasses.asdict, episodes))
    if spec["config"].get("use_demonstrations"):
        _write_demonstrations(phase, directory)
    write_text(directory / SPEC, json.dumps(spec, indent=1))


def _empty(directory: Path) -> None:
    """Remove all but the lock, which keeps a second trainer out."""
    for path in directory.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        elif path.name != LOCK:
            path.unlink()


def _write_demonstrations(phase: Phase, directory: Path) -> None:
    # The person who kept them saw them succeed; the reward model's verdict is ignored.
    shown = read_demonstrations(phase.run_id)
    rows = (dataclasses.asdict(episode) | {"reward": 1.0} for episode in shown)
    write_lines(directory / DEMONSTRATIONS, rows)


def _build_spec(phase: Phase, directory: Path) -> dict[str, Any]:
    for uri in (phase.policy_uri, phase.critic_uri):
        if is_served(uri):
            raise CheckpointError(f"{uri} is served elsewhere; it cannot train here.")
    served = phase.served_uri
    base = resolve_checkpoint(phase.run.policy_uri) if served else ""
    is_first = phase.policy_uri == phase.run.policy_uri
    before = resolve_adapter(phase.policy_uri) if served and not is_first else ""
    algorithm = phase.run.config.get("algorithm", {})
    # Each phase of expert iteration trains the run's first policy again.
    anew = algorithm.get("objective") == "expert_iteration"
    first = resolve_checkpoint(phase.run.policy_uri) if anew else ""
    return {
        # Its server keeps these weights and loads what is added to them.
        "adapter_base": name_weights(directory, base) if base else "",
        # What the phases before have added.
        "adapter_before": name_weights(directory, before) if before else "",
        "prompt": dataclasses.asdict(read_prompt(phase.run.config.get("rollout", {}))),
        "config": algorithm,
        "seed": draw_training_seed(phase),
        "policy": name_weights(directory, resolve_checkpoint(phase.policy_uri)),
        "critic": name_weights(directory, resolve_checkpoint(phase.critic_uri)),
        "first": name_weights(directory, first) if first else "",
    }


def draw_training_seed(phase: Phase) -> int:
    """Return the seed of a phase's training, which differs from its run's."""
    return draw_seed(phase.run.seed, phase.number, "training")


def _identify(phase: Phase) -> dict[str, str]:
    """Name the phase and its numbers; with other numbers, training starts again."""
    config = json.dumps(phase.run.config.get("algorithm", {}), sort_keys=True)
    return {
        "config": hashlib.sha256(config.encode()).hexdigest(),
        "run": phase.run.name,
        "phase": str(phase.number),
        "opened": phase.created_at.isoformat(),
    }


def _read_json(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


class MetricReader:
    """Reads the lines that were added to `metrics.jsonl` since the last call.

    A line that a killed trainer left unfinished is skipped and counted in `skipped`.
    """

    def __init__(self, directory: Path) -> None:
        self._path = directory / METRICS
        self._offset = 0
        self.skipped = 0

    def read(self) -> list[dict[str, Any]]:
        """Return new whole lines; half a line waits for its end."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except OSError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        lines = [line for line in whole.splitlines() if line.strip()]
        found = [one for one in map(_read_metric, lines) if one is not None]
        if len(found) < len(lines):
            self.skipped += len(lines) - len(found)
            log.warning("%s: %s lines skipped", self._path, self.skipped)
        return found


def _read_metric(line: bytes) -> dict[str, Any] | None:
    """Return one number with its name and step; None if the line has another form."""
    try:
        raw = json.loads(line)
        return {
            "name": str(raw["name"]),
            "step": int(raw["step"]),
            "value": float(raw["value"]),
        }
    except (ValueError, KeyError, TypeError):
        return None


def read_scores(directory: Path) -> Iterator[dict[str, Any]]:
    """Yield what training made of each step."""
    path = directory / SCORES
    if not path.exists():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def read_result(directory: Path) -> dict[str, Any]:
    """Return `result.json`, which is written last."""
    result = _read_json(directory / RESULT)
    if not isinstance(result, dict):
        raise CheckpointError("Training ended without a result.")
    return result
