"""compose.yaml and the systemd units start what `./webrl up` starts."""

from __future__ import annotations

import configparser
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.workbench import up
from scripts.workbench.paths import ROOT
from scripts.workbench.processes.child import STOP_LIMIT_S
from scripts.workbench.processes.stack import Addresses, programs
from training.rl.launch import MAX_STOP_S
from webrl_site.management.commands import prepare

UNITS = ROOT / "deploy" / "systemd"
SECRETS = ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD")
# Options that hold a place, and differ between a machine, a container and a checkout.
PLACES = ("--host", "--suites", "--hostname")
# Units of several queues, and those that an operator enables by name.
INSTANCES = {
    "worker-rollouts": "webrl-rollouts@.service",
    "worker-training": "webrl-worker@training.service",
    "worker-loop": "webrl-worker@loop.service",
    "worker-takeover": "webrl-threads@takeover.service",
    "worker-sites": "webrl-threads@sites.service",
    "web": "webrl-web.service",
    "sandbox": "webrl-sandbox.service",
    "beat": "webrl-beat.service",
}


def normalise(arguments: list[str]) -> set[str]:
    """Write options as `--name=value`, without the program and without places."""
    text = " ".join(arguments[1:])
    joined = re.sub(r"(--[\w-]+) (?=[\w.:/]*\d)", r"\1=", text)
    return {word for word in joined.split() if word.split("=")[0] not in PLACES}


@pytest.fixture
def expected(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    for name in ("ROLLOUT_WORKERS", "SITE_RESETS_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SITE_RESETS", "{}")
    ports = Addresses(
        dashboard=8000, replay=8001, sandbox=8010, control=8011, trace=8002
    )
    found = {one.name: normalise(list(one.command)) for one in programs(ports)}
    # Added by the operator; it runs in an environment of its own.
    del found["oscar"]
    return found


@pytest.fixture
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return found


def read_unit(name: str) -> configparser.SectionProxy:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.optionxform = str  # type: ignore[assignment]
    parser.read_string((UNITS / name).read_text())
    return parser["Service"]


def test_the_containers_run_what_up_runs(
    compose: dict[str, Any], expected: dict[str, set[str]]
):
    services = compose["services"]
    servers = {"database", "redis", "prepare"}

    assert set(services) - servers == set(expected)
    for name, options in expected.items():
        assert normalise(services[name]["command"]) == options, name


def test_the_units_run_what_up_runs(expected: dict[str, set[str]]):
    assert set(INSTANCES) == set(expected)
    for name, unit in INSTANCES.items():
        file = re.sub(r"@\w+\.", "@.", unit)
        _, _, instance = unit.removesuffix(".service").partition("@")
        command = read_unit(file)["ExecStart"].replace("%i", instance)
        assert normalise(shlex.split(command)) == expected[name], name


def test_containers_and_units_prepare_what_up_prepares(compose: dict[str, Any]):
    command = compose["services"]["prepare"]["command"]
    before_web = read_unit("webrl-web.service")["ExecStartPre"].split()

    assert command[1:] == before_web[1:] == ["manage.py", "prepare"]
    assert tuple(key for _, key, _ in up.PREPARING) == prepare.STEPS
    # systemd's own limit of 90 seconds would end a migration.
    assert read_unit("webrl-web.service")["TimeoutStartSec"] == "1h"


def test_every_unit_belongs_to_the_target_and_keeps_files_private():
    for path in UNITS.glob("*.service"):
        assert "PartOf=webrl.target" in path.read_text(), path.name
        assert read_unit(path.name)["UMask"] == "0077", path.name
        assert read_unit(path.name)["User"] == "webrl", path.name


def test_workers_start_when_the_database_is_prepared():
    preparing = {"webrl-web.service", "webrl-sandbox.service"}
    for path in UNITS.glob("*.service"):
        after = re.findall(r"^After=(.*)", path.read_text(), re.MULTILINE)[0].split()
        assert ("webrl-web.service" in after) == (path.name not in preparing), path.name


def test_episodes_and_trainings_leave_the_processor_to_pages(compose: dict[str, Any]):
    background = {"worker-rollouts", "worker-training"}
    lowered = {name for name, one in compose["services"].items() if "cpu_shares" in one}
    dropped_in = "webrl-worker@training.service.d/priority.conf"

    assert lowered == background
    assert read_unit("webrl-rollouts@.service")["CPUWeight"] == "10"
    assert read_unit(dropped_in)["CPUWeight"] == "10"
    assert "CPUWeight" not in read_unit("webrl-worker@.service")


def test_only_a_training_may_take_longer_to_end(compose: dict[str, Any]):
    ports = Addresses(0, 0, 0, 0, 0)
    limits = {one.name: one.stop_limit_s for one in programs(ports)}
    longer = limits.pop("worker-training")
    dropped_in = "webrl-worker@training.service.d/saving.conf"

    # The trainer's own limit comes first: the worker then gives its work back.
    assert longer > MAX_STOP_S
    assert set(limits.values()) == {STOP_LIMIT_S}
    period = compose["services"]["worker-training"]["stop_grace_period"]
    assert period == f"{longer:.0f}s"
    assert read_unit(dropped_in)["TimeoutStopSec"] == f"{longer:.0f}"


def test_what_a_container_waits_for_and_stores_is_there(compose: dict[str, Any]):
    services = compose["services"]
    for name, service in services.items():
        for awaited, how in service.get("depends_on", {}).items():
            assert awaited in services, f"{name} waits for {awaited}"
            if how["condition"] == "service_healthy":
                assert "healthcheck" in services[awaited], awaited
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            assert source in compose["volumes"] or source[0] in "./$", name


def test_who_opens_browsers_shares_the_sandboxs_network(compose: dict[str, Any]):
    for name in ("worker-rollouts", "worker-takeover"):
        assert compose["services"][name]["network_mode"] == "service:sandbox"


def test_no_container_has_a_password_that_everybody_knows(compose: dict[str, Any]):
    text = (ROOT / "compose.yaml").read_text()

    for name in SECRETS:
        given = re.findall(rf"\$\{{{name}([^}}]*)\}}", text)
        assert given, name
        assert all(one.startswith(":?") for one in given), name


def test_all_settings_of_env_reach_the_containers(compose: dict[str, Any]):
    for name, service in compose["services"].items():
        if service["image"] == "webrl":
            assert service["env_file"] == [{"path": ".env", "required": False}], name
            # The volume is there, wherever the machine keeps its own data.
            where = service["environment"]["WEBRL_DATA_DIR"]
            assert service["volumes"] == [f"data:{where}"], name


def test_the_containers_settings_are_documented(compose: dict[str, Any]):
    documented = (ROOT / "docs" / "configuration.md").read_text()

    for name in compose["services"]["web"]["environment"]:
        assert f"`{name}`" in documented, name


def test_the_image_holds_no_secret_of_the_checkout():
    ignored = Path(ROOT / ".dockerignore").read_text().split()

    assert {".env", "var", ".git"} <= set(ignored)


def test_the_documented_workers_are_those_of_up_each_with_its_name(
    expected: dict[str, set[str]],
):
    text = (ROOT / "docs" / "operations.md").read_text()
    found = re.findall(
        r"^    celery .*worker --hostname=(\w+)@%h ([^#\n]*)", text, re.M
    )

    wanted = {name for name in expected if name.startswith("worker-")}
    assert sorted(f"worker-{name}" for name, _ in found) == sorted(wanted)
    for name, options in found:
        assert set(options.split()) <= expected[f"worker-{name}"], name
