"""Another user of the machine reads nothing of the deployment."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from webrl_site.private_files import PRIVATE_UMASK, keep_private

ROOT = Path(__file__).resolve().parents[2]
ENTRY_POINTS = {
    "manage.py": ["manage.py", "migrate", "contenttypes", "--verbosity=0"],
    "web": ["-c", "import webrl_site.asgi, pathlib; {write}"],
    "worker": ["-c", "import webrl_site.celery, pathlib; {write}"],
    "webrl": ["-c", "from scripts.workbench.start import main; main(['down'])"],
    "training": [
        "-c",
        "from training.rl.process import run_main; import sys, pathlib;"
        "run_main(lambda folder: {write}, None)",
    ],
}


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def list_open(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder))
        for path in [folder, *folder.rglob("*")]
        if stat.S_IMODE(path.lstat().st_mode) & PRIVATE_UMASK
    )


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_what_an_entry_point_writes_is_for_its_owner_alone(name: str, tmp_path: Path):
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    write = f"pathlib.Path({str(folder / 'written')!r}).write_text('x')"
    words = [word.format(write=write) for word in ENTRY_POINTS[name]]
    env = {"PATH": os.environ["PATH"], "WEBRL_DATA_DIR": str(folder)}

    done = subprocess.run(
        [sys.executable, *words, *([str(folder)] if name == "training" else [])],
        cwd=ROOT,
        env=env,
        umask=0o022,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert list_open(folder) == []
    assert name == "webrl" or any(path.is_file() for path in folder.rglob("*"))


def test_what_an_earlier_version_left_readable_is_mended(tmp_path: Path):
    folder = tmp_path / "data"
    (folder / "log").mkdir(parents=True)
    for path in (folder / "webrl.sqlite3", folder / "log" / "web.log"):
        path.write_text("x")
    assert len(list_open(folder)) == 4

    keep_private(folder)

    assert list_open(folder) == []


def test_a_folder_that_everybody_shares_stays_as_it_is(tmp_path: Path):
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    (folder / "theirs").write_text("x")

    keep_private(folder)

    assert list_open(folder) == [".", "theirs"]


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path):
    outside = tmp_path / "outside"
    outside.write_text("x")
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "link").symlink_to(outside)

    keep_private(folder)

    assert stat.S_IMODE(outside.lstat().st_mode) == 0o644
