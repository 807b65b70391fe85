from __future__ import annotations

import fcntl
import os
import socket
import sys
import tempfile
from pathlib import Path

import pytest

from scripts.workbench import demo, env_file, testing, up
from scripts.workbench.cli import build_parser
from scripts.workbench.console import format_seconds
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import chromium, debian, venv
from scripts.workbench.paths import ROOT
from scripts.workbench.processes import running, stack
from scripts.workbench.processes.cleanup import free_port


def test_a_variable_that_is_set_wins_over_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr(env_file, "loaded", set())
    monkeypatch.setenv("WEBRL_ONE", "ours")
    monkeypatch.setenv("WEBRL_TWO", "")
    monkeypatch.delenv("WEBRL_TWO")
    (tmp_path / ".env").write_text("# words\n\nWEBRL_ONE=file\nWEBRL_TWO='two words'\n")

    env_file.load(tmp_path / ".env")

    assert os.environ["WEBRL_ONE"] == "ours"
    assert os.environ["WEBRL_TWO"] == "two words"
    assert env_file.loaded == {"WEBRL_TWO"}


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("TRACE_DASY", "Did you mean TRACE_DAYS?"),
        ("SITE_COLOUR", "docs/configuration.md has all"),
        ("SITE_RESETS_FILE", ""),
        ("OMP_NUM_THREADS", ""),
    ],
)
def test_names_that_only_look_like_ours_are_told(name: str, hint: str):
    found = env_file.find_misspelling(name)

    assert hint in found if hint else not found


def test_a_broken_line_of_the_file_is_named(tmp_path):
    (tmp_path / ".env").write_text("\nnonsense\n")

    with pytest.raises(WorkbenchError, match=r"\.env, line 2"):
        env_file.load(tmp_path / ".env")


def test_a_file_that_is_no_text_is_named(tmp_path):
    (tmp_path / ".env").write_bytes(b"A=\xff\n")

    with pytest.raises(WorkbenchError, match=r"\.env is not UTF-8 text"):
        env_file.load(tmp_path / ".env")


def test_a_folder_in_place_of_the_file_is_named(tmp_path):
    (tmp_path / ".env").mkdir()

    with pytest.raises(WorkbenchError, match=r"\.env cannot be read: Is a directory"):
        env_file.load(tmp_path / ".env")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59, "59 s"), (60, "1 min"), (80, "1 min 20 s")]
)
def test_times_are_written_for_people(seconds: float, text: str):
    assert format_seconds(seconds) == text


def test_the_locks_pin_everything_and_never_torch():
    pins = venv._pins(venv.RUNTIME_LOCK) + venv._pins(venv.DEV_LOCK)
    names = {pin.partition("==")[0] for pin in pins}

    assert all("==" in pin for pin in pins)
    assert not [name for name in names if name.startswith(("torch", "nvidia", "cuda"))]


def test_both_locks_agree_where_they_overlap():
    runtime, dev = (
        dict(pin.split("==") for pin in venv._pins(lock))
        for lock in (venv.RUNTIME_LOCK, venv.DEV_LOCK)
    )

    shared = runtime.keys() & dev.keys()
    assert {name: runtime[name] for name in shared} == {n: dev[n] for n in shared}


def test_everything_asked_for_is_locked():
    locked = {pin.partition("==")[0] for pin in venv._pins(venv.RUNTIME_LOCK)}
    lines = (ROOT / "requirements.in").read_text().splitlines()
    asked = [line for line in lines if line and not line.startswith("#")]
    names = {line.split("[")[0].split("=")[0].strip("~>< ") for line in asked}

    assert {name.replace("_", "-") for name in names} - locked == {"torch"}


def test_a_named_browser_that_does_not_start_is_refused(monkeypatch):
    monkeypatch.setenv("WEBRL_CHROMIUM", "/no/such/browser")

    with pytest.raises(WorkbenchError, match="/no/such/browser"):
        chromium.ensure()


def test_a_driver_that_does_not_start_is_told_before_any_browser(tmp_path, monkeypatch):
    monkeypatch.setattr(chromium, "DRIVER_STAMP", tmp_path / "stamp")
    monkeypatch.setattr(chromium, "PYTHON", tmp_path / "no-python")
    monkeypatch.setattr(debian, "can_install", lambda: False)

    with pytest.raises(WorkbenchError, match="libatomic1"):
        chromium.ensure()


def test_a_named_browser_is_taken(monkeypatch):
    monkeypatch.setenv("WEBRL_CHROMIUM", sys.executable)

    assert chromium.ensure() == sys.executable


def test_a_port_in_use_is_passed_over():
    first = free_port()

    assert free_port(first, avoid=[first]) != first


def test_a_second_supervisor_is_told_where_the_first_one_is(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "LOCK", tmp_path / "up.lock")
    monkeypatch.setattr(running, "STATE", tmp_path / "up.json")

    with running.claim():
        running.write_state(addresses={"DASHBOARD_URL": "http://localhost:8000"})
        assert running.is_running()
        with pytest.raises(WorkbenchError, match="http://localhost:8000"):
            running.claim().__enter__()

    assert not running.is_running()
    assert not running.stop()


def test_a_workbench_that_is_starting_has_no_address_yet(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "LOCK", tmp_path / "up.lock")
    monkeypatch.setattr(running, "STATE", tmp_path / "up.json")

    addresses = {"DASHBOARD_URL": "http://localhost:8000"}
    assert running.find_addresses() == {}
    with running.claim():
        assert running.find_addresses() == {}
        running.write_state(addresses=addresses)
        assert running.find_addresses() == addresses
    assert running.find_addresses() == {}


def test_a_command_finds_the_sandbox_where_the_running_workbench_has_it(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(running, "LOCK", tmp_path / "up.lock")
    monkeypatch.setattr(running, "STATE", tmp_path / "up.json")
    monkeypatch.setattr(up.venv, "ensure", lambda: None)
    monkeypatch.setattr(up.chromium, "ensure", lambda: "")
    given = {}
    monkeypatch.setattr(up, "pass_on", lambda command, env: given.update(env) or 0)
    monkeypatch.setenv("SANDBOX_CONTROL_URL", "http://127.0.0.1:8011")
    elsewhere = stack.Addresses(8000, 8001, 8010, 40123, 8002).environment()

    with running.claim():
        running.write_state(addresses=elsewhere)
        up.manage(["write_support", "lab.zip"])

    assert given["SANDBOX_CONTROL_URL"] == "http://127.0.0.1:40123"


def test_an_unknown_stage_of_the_tests_is_refused():
    with pytest.raises(WorkbenchError, match="No such stage: nonsense"):
        testing.test(["nonsense"])


def test_the_summary_fails_when_one_stage_failed(capsys):
    assert testing.summarize({"unit": (1.0, []), "lint": (70.0, ["mypy"])}) == 1
    assert testing.summarize({"unit": (1.0, [])}) == 0
    assert "1 min 10 s  FAILED: mypy" in capsys.readouterr().out


def test_all_commands_of_a_stage_run_and_each_that_fails_is_named(capfd, monkeypatch):
    def command(title: str, code: str) -> testing.Command:
        return testing.Command(title, (sys.executable, "-c", code))

    commands = [
        command("first", "raise SystemExit('no')"),
        command("second", "print('yes')"),
        command("third", "raise SystemExit(3)"),
    ]
    monkeypatch.setitem(testing.STAGES, "unit", lambda: commands)
    monkeypatch.setattr(testing.venv, "ensure", lambda *, dev: None)

    assert testing.test(["unit"]) == 1
    said = capfd.readouterr().out
    assert "FAILED: first, third" in said
    assert said.index("no\n") < said.index("-- second") < said.index("yes\n")


def test_the_stages_name_paths_that_exist():
    commands = [command for make in testing.STAGES.values() for command in make()]
    paths = [
        argument
        for command in commands
        for argument in command.arguments
        if argument.startswith("tests/")
    ]

    assert paths
    assert [path for path in paths if not Path(ROOT, path).exists()] == []


def test_success_is_shown_with_its_interval():
    rate = {"n": 60, "successes": 12, "rate": 0.2, "low": 0.118, "high": 0.318}

    assert demo.format_rate(rate) == "12 of 60 = 20.0 % [11.8, 31.8]"
    assert demo.format_rate({"n": 0, "successes": 0}) == "not measured"


def test_manage_passes_options_through():
    given = build_parser().parse_args(["manage", "migrate", "--plan"])

    assert given.arguments == ["migrate", "--plan"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["demo", "--phases", "0"],
        ["demo", "--json", "/no/such/folder/figures.json"],
        ["bench", "nonsense"],
        ["nonsense"],
        [],
    ],
)
def test_a_wrong_command_line_is_refused_before_anything_happens(
    arguments: list[str], capsys
):
    with pytest.raises(SystemExit) as ended:
        build_parser().parse_args(arguments)

    assert ended.value.code == 2
    assert "usage: ./webrl" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("setting", "listener"),
    [
        ("DASHBOARD_URL", "dashboard"),
        ("REPLAY_ORIGIN", "replay"),
        ("TRACE_ORIGIN", "trace"),
        ("SANDBOX_CONTROL_URL", "control"),
    ],
)
def test_a_listener_is_at_the_address_that_its_setting_names(
    setting, listener, monkeypatch
):
    port = free_port()
    monkeypatch.setenv(setting, f"http://localhost:{port}")

    assert getattr(stack.choose_addresses(), listener) == port


@pytest.mark.parametrize(
    "address",
    ["https://localhost:8443", "http://webrl.example:8443", "http://localhost:none"],
)
def test_addresses_of_others_name_no_port_of_ours(monkeypatch, address):
    monkeypatch.setenv("DASHBOARD_URL", address)

    assert stack.choose_addresses().dashboard != 8443


def test_a_port_where_a_proxy_listens_is_left_to_it(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        port = proxy.getsockname()[1]
        monkeypatch.setenv("DASHBOARD_URL", f"http://localhost:{port}")

        assert stack.choose_addresses().dashboard != port


def test_as_many_rollout_workers_run_as_the_setting_says(monkeypatch):
    monkeypatch.setenv("ROLLOUT_WORKERS", "3")

    names = [program.name for program in stack.programs(stack.choose_addresses())]

    workers = [name for name in names if name.startswith("worker-rollouts")]
    assert workers == ["worker-rollouts", "worker-rollouts-2", "worker-rollouts-3"]


def test_web_processes_listen_at_the_same_ports(monkeypatch):
    monkeypatch.setenv("WEB_PROCESSES", "2")

    found = [p for p in stack.programs(stack.choose_addresses()) if "web" in p.name]

    assert [one.name for one in found] == ["web", "web-2"]
    assert found[0].ports == found[1].ports


@pytest.mark.parametrize(("value", "runs"), [("", False), ("{}", True)])
def test_a_worker_for_sites_runs_where_resets_are_set(monkeypatch, value, runs):
    monkeypatch.setenv("SITE_RESETS", value)

    names = [program.name for program in stack.programs(stack.choose_addresses())]

    assert ("worker-sites" in names) is runs


def test_a_wrong_number_of_rollout_workers_is_refused(monkeypatch):
    monkeypatch.setenv("ROLLOUT_WORKERS", "many")

    with pytest.raises(WorkbenchError, match="ROLLOUT_WORKERS"):
        stack.programs(stack.choose_addresses())


def test_two_workbenches_do_not_start_at_the_same_moment(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with stack.starting_alone():
        other = os.open(stack.start_lock(), os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(other)


def test_the_lock_of_a_start_is_no_link_to_somewhere_else(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "kept").write_text("kept")
    stack.start_lock().symlink_to(tmp_path / "kept")
    with pytest.raises(OSError, match="symbolic"), stack.starting_alone():
        pass
