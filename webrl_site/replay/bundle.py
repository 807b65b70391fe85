"""An episode as one archive that opens from a disk, without server or network."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils import translation

from rollouts.api import StepSerializer, TrajectorySerializer
from rollouts.artifacts import ArtifactError
from rollouts.models import Trajectory
from training.models import Experience
from webrl_site.i18n.language import FOR_PROGRAMS
from webrl_site.recorded.inert import make_inert
from webrl_site.recorded.pages import read_page, read_picture, scroll_style
from webrl_site.replay.archive import Entry, stream
from webrl_site.replay.episode import VIEWPORT
from webrl_site.replay.film import make_film
from webrl_site.replay.steps import StepDetail, describe_step, load_episode
from webrl_site.replay.timeline import write_timeline
from webrl_site.replay.verdicts import describe_verdicts

FORMAT = "webrl-episode/1"
STYLES = (
    *("tokens.css", "frame.css", "app.css", "controls.css", "components.css"),
    *("data.css", "screens.css", "replay.css", "replay_panels.css", "film.css"),
    "film_cells.css",
)
SCRIPTS = ("texts.js", "theme.js", "app.js", "replay.js")
EXPERIENCE = ("source", "value", "advantage", "perplexity", "log_ratio", "was_used")


@dataclasses.dataclass(frozen=True, slots=True)
class FileAddresses:
    """Addresses of files next to the bundle's page, which holds every step."""

    def page(self, digest: str) -> str:
        return f"pages/{digest}.html"

    def screenshot(self, digest: str) -> str:
        return f"screenshots/{digest}.jpg"

    def step(self, number: int) -> str:
        return f"#step-{number}"


class Bundle:
    """Reads all rows at once; the files are read one by one while they are sent.

    A bundle is kept and compared, so it is in English for every reader.
    """

    @translation.override(FOR_PROGRAMS)
    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.episode = load_episode(trajectory, FileAddresses())
        self.details = [
            describe_step(self.episode, o.number) for o in self.episode.outlines
        ]
        self.verdicts = describe_verdicts(trajectory, AnonymousUser())
        self.name = f"episode-{trajectory.pk}"

    def stream(self) -> Iterator[bytes]:
        """Yield the archive in pieces."""
        about = {"format": FORMAT, "trajectory": self.trajectory.pk}
        return stream(self.name, self._entries(), about)

    def _entries(self) -> Iterator[Entry]:
        missing = []
        for entry, path in self._recorded():
            if entry is None:
                missing.append(path)
            else:
                yield entry
        yield Entry("index.html", self._page(missing).encode())
        for name in STYLES + SCRIPTS:
            yield Entry(f"viewer/{name}", _read_static(name))
        with translation.override(FOR_PROGRAMS):
            timeline = write_timeline(self.trajectory, self.details, self.verdicts)
        yield Entry("timeline.txt", timeline.encode())
        record = json.dumps(self._record(missing), indent=1, ensure_ascii=False)
        yield Entry("episode.json", record.encode())

    def _recorded(self) -> Iterator[tuple[Entry | None, str]]:
        """Yield each recorded file once, without an entry for a removed one."""
        steps, row = [o.step for o in self.episode.outlines], self.trajectory
        pages = [*(step.snapshot for step in steps), row.final_snapshot]
        pictures = [*(step.screenshot for step in steps), row.final_screenshot]
        addresses = self.episode.addresses
        for digest in dict.fromkeys(filter(None, pages)):
            path = addresses.page(digest)
            yield _read_inert(digest, path), path
        for digest in dict.fromkeys(filter(None, pictures)):
            path = addresses.screenshot(digest)
            yield _read_picture(digest, path), path

    @translation.override(FOR_PROGRAMS)
    def _page(self, missing: list[str]) -> str:
        context = {
            **self.verdicts,
            "film": make_film(self.episode.outlines),
            "details": self.details,
            "current": 1,
            "viewport": VIEWPORT,
            "missing": missing,
            "styles": STYLES,
            "scripts": SCRIPTS,
            "is_offline": True,
        }
        return render_to_string("replay/bundle.html", context)

    def _record(self, missing: list[str]) -> dict[str, Any]:
        """Return the rows in the API's form, with their context."""
        row = self.trajectory
        return {
            "format": FORMAT,
            "trajectory": TrajectorySerializer(row).data,
            "checks": row.outcome_checks,
            "final_observation": row.final_observation,
            "verdicts": [_opinion(o) for o in self.verdicts["opinions"]],
            "steps": [_step(one) for one in self.details],
            "missing_files": missing,
        }


def _step(one: StepDetail) -> dict[str, Any]:
    data = dict(StepSerializer(one.outline.step).data)
    return data | {
        "prompt": one.prompt.messages,
        "experiences": [_experience(e) for e in one.outline.experiences],
    }


def _experience(row: Experience) -> dict[str, Any]:
    numbers = {name: getattr(row, name) for name in EXPERIENCE}
    reason = row.left_out_reason
    phase = row.training_run.phase.number
    return {"phase_number": phase, "left_out_reason": reason, **numbers}


def _opinion(opinion: Any) -> dict[str, Any]:
    data = dataclasses.asdict(opinion)
    return data | {"at": opinion.at.isoformat() if opinion.at else None}


def _read_inert(digest: str, path: str) -> Entry | None:
    try:
        content = read_page(digest)
    except ArtifactError:
        return None
    clean = make_inert(content.decode(errors="replace")).encode()
    return Entry(path, clean + scroll_style(content))


def _read_picture(digest: str, path: str) -> Entry | None:
    try:
        return Entry(path, read_picture(digest))
    except ArtifactError:
        return None


def _read_static(name: str) -> bytes:
    found = finders.find(name)
    if not isinstance(found, str):
        raise FileNotFoundError(f"static/{name} is missing from this installation")
    return Path(found).read_bytes()
