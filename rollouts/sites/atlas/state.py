"""What an episode has changed on the map, and the map as Robin then sees it.

The change set is plain JSON and empty at the start. Every rule about lists, routes,
notes and reviews is here; pages only show and call.
"""

from __future__ import annotations

import re
from typing import Any

from rollouts.sites.atlas import data, robin
from rollouts.sites.atlas.data import Place, Review
from rollouts.sites.atlas.robin import Note, SavedRoute
from rollouts.sites.kit.episodes import Changes, set_flag
from rollouts.sites.kit.vocabulary import ME, slugify

MAX_TEXT_LENGTH = 200
MAX_LISTS = 12
LIST_NAME = re.compile(r"[A-Za-z0-9 ]{1,30}")


class AtlasError(ValueError):
    """The map refuses, with a message for the page."""


def new_changes() -> Changes:
    """The change set of an episode that has not begun."""
    return {
        "lists": {},
        "saved": {},
        "routes": {},
        "notes": {},
        "resolved": {},
        "reviews": {},
        "settings": {},
    }


class Atlas:
    """The map of one episode: base data below, the change set on top."""

    def __init__(self, changes: Changes) -> None:
        """Bind the episode's change set, which the methods change in place."""
        self._changes = changes

    @property
    def lists(self) -> dict[str, str]:
        """Names of Robin's lists by slug, oldest first."""
        names: dict[str, Any] = {**robin.LIST_NAMES, **self._changes["lists"]}
        return {slug: name for slug, name in names.items() if name}

    def add_list(self, name: str) -> str:
        """Begin an empty list; returns its slug."""
        if not LIST_NAME.fullmatch(name):
            raise AtlasError("A list's name has 1 to 30 letters, digits or spaces.")
        slug = slugify(name)
        if slug in self.lists:
            raise AtlasError(f'You have a list called "{self.lists[slug]}" already.')
        if len(self.lists) >= MAX_LISTS:
            raise AtlasError(f"You can have {MAX_LISTS} lists at most.")
        if robin.LIST_NAMES.get(slug) == name:
            del self._changes["lists"][slug]
            for place in robin.SAVED[slug]:
                self._changes["saved"][f"{slug}/{place}"] = False
        else:
            self._changes["lists"][slug] = name
        return slug

    def delete_list(self, slug: str) -> None:
        """Delete a list with all that it holds."""
        saved = self._changes["saved"]
        for key in [key for key in saved if key.startswith(f"{slug}/")]:
            del saved[key]
        if slug in robin.LIST_NAMES:
            self._changes["lists"][slug] = False
        else:
            self._changes["lists"].pop(slug, None)

    def places(self, slug: str) -> list[Place]:
        """What a list holds, by name."""
        base = {} if slug in self._changes["lists"] else robin.SAVED
        kept = {f"{slug}/{place}": True for place in base.get(slug, ())}
        flags = {**kept, **self._changes["saved"]}
        held = [key for key, value in flags.items() if value]
        own = [key.split("/")[1] for key in held if key.startswith(f"{slug}/")]
        return [data.PLACES[place] for place in sorted(own)]

    def set_saved(self, slug: str, place: Place, saved: bool) -> None:
        """Put a place on a list or take it off."""
        if slug not in self.lists:
            raise AtlasError("Choose a list.")
        is_own = slug not in self._changes["lists"] and slug in robin.SAVED
        base = is_own and place.slug in robin.SAVED[slug]
        set_flag(self._changes["saved"], f"{slug}/{place.slug}", saved, base=base)

    def lists_of(self, place: Place) -> list[str]:
        """Names of the lists that hold the place."""
        return [name for slug, name in self.lists.items() if place in self.places(slug)]

    @property
    def routes(self) -> list[SavedRoute]:
        """The saved routes, oldest first."""
        flags: dict[str, bool] = self._changes["routes"]
        kept = [key for key in robin.ROUTES if flags.get(key, True)]
        added = [key for key, saved in flags.items() if saved]
        return [SavedRoute(*key.split("/")) for key in kept + added]

    def set_route(self, route: SavedRoute, saved: bool) -> None:
        """Save a route or remove it."""
        base = route.key in robin.ROUTES
        set_flag(self._changes["routes"], route.key, saved, base=base)

    def report(self, place: Place) -> dict[str, str] | None:
        """What Robin has reported about the place."""
        found: dict[str, str] | None = self._changes["notes"].get(place.slug)
        return found

    @property
    def reports(self) -> list[tuple[Place, dict[str, str]]]:
        """All that Robin has reported, oldest first."""
        reports: dict[str, dict[str, str]] = self._changes["notes"]
        return [(data.PLACES[slug], report) for slug, report in reports.items()]

    def add_report(self, place: Place, problem: str, text: str) -> None:
        """Say what is wrong with a place; a later report replaces an earlier one."""
        if problem not in robin.PROBLEMS:
            raise AtlasError("Choose a problem.")
        text = text[:MAX_TEXT_LENGTH]
        self._changes["notes"][place.slug] = {"problem": problem, "text": text}

    def is_resolved(self, note: Note) -> bool:
        """Whether Robin has marked the note as done."""
        return str(note.number) in self._changes["resolved"]

    def set_resolved(self, note: Note, resolved: bool) -> None:
        """Mark a note as done or open it again."""
        flags = self._changes["resolved"]
        set_flag(flags, str(note.number), resolved, base=False)

    def reviews(self, place: Place) -> list[Review]:
        """The place's reviews, Robin's first."""
        own = self._changes["reviews"].get(place.slug)
        first = [Review(ME, own["stars"], own["text"])] if own else []
        return [*first, *place.reviews]

    def write_review(self, place: Place, stars: int, text: str) -> None:
        """Write a review, or write it again; text is needed, stars are 1 to 5."""
        if not text or not 1 <= stars <= 5:
            raise AtlasError("Please give stars and write a text.")
        own = {"stars": stars, "text": text[:MAX_TEXT_LENGTH]}
        self._changes["reviews"][place.slug] = own

    @property
    def settings(self) -> dict[str, str]:
        """Robin's town and way to travel."""
        return {**robin.SETTINGS, **self._changes["settings"]}

    def change_settings(self, town: str, mode: str) -> None:
        """Save what differs from the original settings."""
        if town not in data.TOWNS:
            raise AtlasError("Choose a town.")
        if mode not in robin.MODES:
            raise AtlasError("Choose a way to travel.")
        new = {"town": town, "mode": mode}
        self._changes["settings"] = {
            name: value for name, value in new.items() if value != robin.SETTINGS[name]
        }
