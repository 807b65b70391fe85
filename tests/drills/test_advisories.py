"""What S13 says of files and of a pip-audit that it is given."""

from __future__ import annotations

import datetime as dt
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from drills.hostile.advisories import (
    Answer,
    Hole,
    NoAdvisories,
    ask_pip_audit,
    read_file,
)
from drills.hostile.known_holes import look_up

PINS = {"django": Version("5.2.19"), "py-yaml": Version("6.0")}


def record(name: str, package: str, *events: dict[str, str], **more: Any) -> Any:
    affected: dict[str, Any] = {"package": {"ecosystem": "PyPI", "name": package}}
    affected["ranges"] = [{"type": "ECOSYSTEM", "events": list(events)}]
    return {"id": name, "affected": [affected], **more}


def severity(word: str) -> dict[str, Any]:
    return {"database_specific": {"severity": word}}


ALL = {"introduced": "0"}
HIGH = record("GHSA-1", "Django", ALL, {"fixed": "5.2.20"}, **severity("HIGH"))
LOW = record("GHSA-2", "py_yaml", ALL, **severity("MODERATE"))


def write(path: Path, *records: Any) -> Path:
    path.write_text(json.dumps(records))
    return path


def test_a_high_hole_breaks_the_bar_and_a_lower_one_is_named(tmp_path: Path) -> None:
    high = look_up("2 pinned", PINS, str(write(tmp_path / "a.json", HIGH, LOW)))
    low = look_up("2 pinned", PINS, str(write(tmp_path / "b.json", LOW)))

    assert high.ok is False
    assert high.note == "django GHSA-1, py-yaml GHSA-2"
    assert low.ok is True
    assert low.measured.endswith(": 0 high, 1 lower")
    assert "offline, 1 records of b.json, newest of 20" in low.measured


@pytest.mark.parametrize(
    "other",
    [
        record("A", "django", ALL, {"fixed": "5.2.19"}),
        record("B", "django", ALL, {"last_affected": "5.2.18"}),
        record("C", "django", {"introduced": "6.0"}),
        record("D", "django", ALL, {"fixed": "5"}, {"introduced": "6"}),
        record("E", "flask", ALL),
        record("F", "django", ALL, withdrawn="2026-01-01T00:00:00Z"),
        {"id": "G", "affected": [{"package": {"ecosystem": "npm", "name": "django"}}]},
    ],
    ids=lambda one: one["id"],
)
def test_what_is_about_others_is_none(tmp_path: Path, other: Any) -> None:
    assert read_file(write(tmp_path / "osv.json", other), PINS) == Answer(1, [])


def test_listed_versions_count_and_an_unknown_severity_is_a_high_one(
    tmp_path: Path,
) -> None:
    listed = record("PYSEC-1", "django")
    listed["affected"][0]["versions"] = ["5.2.18", "5.2.19"]

    answer = read_file(write(tmp_path / "osv.json", listed), PINS)

    assert [hole.is_high for hole in answer.holes] == [True]


def test_two_records_of_one_hole_are_one_with_the_severity_that_is_known(
    tmp_path: Path,
) -> None:
    unknown = record("PYSEC-2", "py-yaml", ALL, aliases=["GHSA-2"])

    answer = read_file(write(tmp_path / "osv.json", unknown, LOW), PINS)

    assert answer.holes == [Hole("py-yaml", "GHSA-2", "moderate")]


def test_a_zip_and_a_folder_are_read_as_well(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("GHSA-1.json", json.dumps(HIGH))
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "GHSA-1.json").write_text(json.dumps(HIGH))

    assert read_file(tmp_path / "all.zip", PINS) == read_file(folder, PINS)


def test_the_yaml_files_of_the_python_packaging_authority_are_read(
    tmp_path: Path,
) -> None:
    (tmp_path / "django").mkdir()
    (tmp_path / "README.md").write_text("not a record")
    (tmp_path / "django" / "PYSEC-1.yaml").write_text(
        """
        id: PYSEC-1
        modified: 2026-08-07T17:22:10.804411Z
        affected:
        - package: {ecosystem: PyPI, name: django}
          versions: ["5.2.18", 5.2.19]
        """
    )

    answer = read_file(tmp_path, PINS)

    assert answer == Answer(1, [Hole("django", "PYSEC-1", "")], dt.date(2026, 8, 7))


def test_old_records_show_a_hole_and_do_not_show_that_there_is_none(
    tmp_path: Path,
) -> None:
    old = {"modified": "2024-10-10T00:00:00Z"}
    clean = look_up("2 pinned", PINS, str(write(tmp_path / "a.json", LOW | old)))
    holed = look_up("2 pinned", PINS, str(write(tmp_path / "b.json", HIGH | old)))

    assert clean.ok is None
    assert clean.note.endswith("days old: download the records again. py-yaml GHSA-2")
    assert "1 records of a.json, newest of 2024-10-10: 0 high" in clean.measured
    assert holed.ok is False


def report(**versions: str) -> dict[str, Any]:
    vulnerable = {"name": "Django", "version": "5.2.19", "vulns": [{"id": "PYSEC-3"}]}
    other = {"name": "py.yaml", "version": "6.0", "vulns": []} | versions
    return {"dependencies": [vulnerable, other], "fixes": []}


def test_a_report_of_pip_audit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report()))

    assert read_file(path, PINS) == Answer(2, [Hole("django", "PYSEC-3", "")])


def test_a_report_about_other_versions_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report(version="5.0")))

    found = look_up("2 pinned", PINS, str(path))

    assert found.ok is None
    assert found.note.startswith("The report is about other versions: py-yaml.")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "[1]", "[" * 9999, '[{"affected": 3}]']
)
def test_a_file_that_says_nothing_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "osv.json").write_text(text)

    with pytest.raises(NoAdvisories):
        read_file(tmp_path / "osv.json", PINS)


def program(tmp_path: Path, says: str) -> str:
    """Write a stand-in for pip-audit."""
    path = tmp_path / "pip-audit"
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o700)
    return str(path)


def test_pip_audit_is_asked_about_every_pinned_version(tmp_path: Path) -> None:
    (tmp_path / "answer").write_text(json.dumps(report()))
    seen = tmp_path / "seen"

    found = ask_pip_audit(
        program(tmp_path, f'cp "$2" {seen}; cat {tmp_path}/answer; exit 1'), PINS
    )

    assert found == Answer(2, [Hole("django", "PYSEC-3", "")])
    assert seen.read_text() == "django==5.2.19\npy-yaml==6.0\n"


def test_a_pip_audit_without_answers_says_nothing(tmp_path: Path) -> None:
    with pytest.raises(NoAdvisories, match="failed: no route to host"):
        ask_pip_audit(program(tmp_path, "echo no route to host >&2; exit 1"), PINS)
    with pytest.raises(NoAdvisories, match="not installed"):
        ask_pip_audit(str(tmp_path / "nothing"), PINS)
