"""Published advisories about packages, from a file or from pip-audit.

A file is what the operator has downloaded: records in the Open Source Vulnerability
format (https://ossf.github.io/osv-schema/), as a zip or a folder of JSON or YAML files
or one JSON list, or the report of `pip-audit --format json`.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import json
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from packaging.version import InvalidVersion, Version

LIMIT_S = 120.0
OPTIONS = (
    *("--no-deps", "--disable-pip"),
    *("--format", "json", "--progress-spinner", "off"),
)
# A record without a severity counts as high, since nothing shows that it is lower.
HARMLESS = frozenset({"low", "moderate", "medium"})
# libyaml's is ten times as fast, if PyYAML was built with it. Both build plain values.
_SafeLoader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SEPARATORS = re.compile(r"[-_.]+")

Pins = Mapping[str, Version]


class NoAdvisories(Exception):
    """There is no source of advisories; the message states why."""


@dataclasses.dataclass(frozen=True, slots=True)
class Hole:
    """One advisory about a pinned package; `severity` is "" if it states none."""

    package: str
    name: str
    severity: str

    @property
    def is_high(self) -> bool:
        """Whether it counts against the bar."""
        return self.severity not in HARMLESS


class Answer(NamedTuple):
    """A source's result: how many records or packages it checked, and what it found.

    `newest` is the day of the record that changed last, None if no record states it.
    """

    looked: int
    holes: list[Hole]
    newest: dt.date | None = None


def normalise(name: str) -> str:
    """Return a package's name in the form that registries compare."""
    return _SEPARATORS.sub("-", name).lower()


def read_file(path: Path, pins: Pins) -> Answer:
    """Return a file's advisories about the pinned versions.

    Raises:
        NoAdvisories: It cannot be read, or has neither format.
    """
    try:
        documents = list(_open(path))
    except (
        *(OSError, ValueError, RecursionError),
        *(zipfile.BadZipFile, yaml.YAMLError),
    ) as error:
        raise NoAdvisories(f"{path} cannot be read: {error}") from error
    if len(documents) == 1 and _is_report(documents[0]):
        return read_report(documents[0], pins)
    records = [one for one in documents if isinstance(one, dict) and "affected" in one]
    if not records:
        raise NoAdvisories(f"{path} holds neither OSV records nor a pip-audit report.")
    try:
        return Answer(len(records), _find(records, pins), _find_newest(records))
    except (AttributeError, KeyError, TypeError) as error:
        raise NoAdvisories(f"{path} is not as OSV writes it: {error!r}") from error


def ask_pip_audit(program: str, pins: Pins) -> Answer:
    """Look the pinned versions up on the network with pip-audit.

    Raises:
        NoAdvisories: It is not installed, or did not get its answers.
    """
    text = "".join(f"{name}=={version}\n" for name, version in pins.items())
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
            wanted.write(text)
            wanted.flush()
            done = subprocess.run(
                [program, "--requirement", wanted.name, *OPTIONS],
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
            )
        # It exits with 1 both if it has found something and if it has failed.
        return read_report(json.loads(done.stdout), pins)
    except FileNotFoundError as error:
        raise NoAdvisories("pip-audit is not installed.") from error
    except subprocess.TimeoutExpired as error:
        raise NoAdvisories(f"pip-audit got no answer in {LIMIT_S:.0f} s.") from error
    except ValueError as error:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise NoAdvisories(f"pip-audit failed: {last[:200]}") from error


def read_report(report: Any, pins: Pins) -> Answer:
    """Return how many of the pinned packages a report covers, and their advisories.

    Raises:
        NoAdvisories: It is not a report, or is about other versions than ours.
    """
    if not _is_report(report):
        raise NoAdvisories("That is no report of pip-audit.")
    known = {
        normalise(str(one["name"])): one
        for one in report["dependencies"]
        if isinstance(one, dict) and "name" in one and "version" in one
    }
    missing = [
        name
        for name, version in pins.items()
        if name not in known or str(known[name]["version"]) != str(version)
    ]
    if missing:
        raise NoAdvisories(
            f"The report is about other versions: {', '.join(sorted(missing)[:3])}."
        )
    found = [
        Hole(name, str(hole.get("id", "")), "")
        for name in pins
        for hole in known[name].get("vulns", ())
    ]
    return Answer(len(known), found)


def _is_report(document: Any) -> bool:
    return isinstance(document, dict) and isinstance(document.get("dependencies"), list)


def _open(path: Path) -> Iterator[Any]:
    if path.is_dir():
        for file in sorted(filter(Path.is_file, path.rglob("*"))):
            yield from _read_record(file.name, file.read_bytes)
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                yield from _read_record(name, functools.partial(archive.read, name))
    else:
        found = json.loads(path.read_bytes())
        yield from found if isinstance(found, list) else [found]


def _read_record(name: str, read: Callable[[], bytes]) -> Iterator[Any]:
    """Read a record according to its file's suffix; other files are not records."""
    if name.endswith(".json"):
        yield json.loads(read())
    elif name.endswith((".yaml", ".yml")):
        yield _SafeLoader(read()).get_single_data()


def _find_newest(records: Iterable[dict[str, Any]]) -> dt.date | None:
    days = (str(record.get("modified", ""))[:10] for record in records)
    return max((day for day in map(_read_day, days) if day), default=None)


def _read_day(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        return None


def _find(records: Iterable[dict[str, Any]], pins: Pins) -> list[Hole]:
    """Return one hole for each advisory and package; aliases are the same advisory."""
    found: dict[tuple[str, frozenset[str]], Hole] = {}
    seen: dict[tuple[str, str], tuple[str, frozenset[str]]] = {}
    for record in records:
        for package in _list_touched(record, pins):
            names = frozenset({str(record.get("id")), *record.get("aliases", ())})
            key = next((seen[package, n] for n in names if (package, n) in seen), None)
            key = key or (package, names)
            seen |= dict.fromkeys(((package, name) for name in names), key)
            earlier = found.get(key)
            # Of two records of one hole, the one that states its severity counts.
            if earlier is None or not earlier.severity:
                found[key] = Hole(package, str(record.get("id")), _severity(record))
    return list(found.values())


def _list_touched(record: dict[str, Any], pins: Pins) -> set[str]:
    if record.get("withdrawn"):
        return set()
    touched = set()
    for affected in record["affected"]:
        package = affected.get("package", {})
        name = normalise(str(package.get("name", "")))
        is_ours = package.get("ecosystem") == "PyPI" and name in pins
        if is_ours and _covers(affected, pins[name]):
            touched.add(name)
    return touched


def _covers(affected: dict[str, Any], version: Version) -> bool:
    """Return whether a record's versions or ranges include this one."""
    listed = map(_read_version, affected.get("versions", ()))
    ranges = (r for r in affected.get("ranges", ()) if r.get("type") == "ECOSYSTEM")
    return version in listed or any(_is_inside(r, version) for r in ranges)


def _is_inside(span: dict[str, Any], version: Version) -> bool:
    """Follow a range's events up to the version: the last one decides."""
    inside = False
    events = [
        (_read_version(bound), kind)
        for event in span.get("events", ())
        for kind, bound in event.items()
        if kind in ("introduced", "fixed", "last_affected")
    ]
    for bound, kind in sorted(events, key=lambda event: event[0]):
        if kind == "last_affected":
            inside = inside and version <= bound
        elif bound <= version:
            inside = kind == "introduced"
    return inside


def _read_version(text: Any) -> Version:
    """Return a version; an invalid one sorts before all others."""
    try:
        return Version(str(text))
    except InvalidVersion:
        return Version("0.dev0")


def _severity(record: dict[str, Any]) -> str:
    specific = record.get("database_specific")
    found = specific.get("severity") if isinstance(specific, dict) else None
    return found.lower() if isinstance(found, str) else ""
