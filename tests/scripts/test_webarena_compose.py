"""The compose file of WebArena's images, its settings and its example files."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from curriculum.task_files.suites import KNOWN_SITES
from rollouts.site_settings.sign_in_file import parse_sign_ins
from rollouts.site_settings.site_hosts_file import parse_hosts
from rollouts.site_settings.site_interface_file import parse_interfaces
from rollouts.site_settings.site_reset_file import parse_resets
from scripts.workbench.paths import ROOT

FOLDER = ROOT / "deploy" / "webarena"
# As WebArena's instructions have them: image and port of each site.
PUBLISHED = {
    "shopping": ("shopping_final_0712", 7770),
    "shopping_admin": ("shopping_admin_final_0719", 7780),
    "forum": ("postmill-populated-exposed-withimg", 9999),
    "gitlab": ("gitlab-populated-final-port8023", 8023),
    "wikipedia": ("ghcr.io/kiwix/kiwix-serve:3.3.0", 8888),
}
PLACE = re.compile(r"\$\{(\w+):-([^}]*)\}")
SCRIPTS = ("prepare.sh", "reset.sh")


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
    return dict(found["services"])


def fill(text: str) -> str:
    """Put the default in place of each setting."""
    return PLACE.sub(lambda found: found[2], text)


def read_settings() -> dict[str, str]:
    lines = (FOLDER / "copy-1.env").read_text().splitlines()
    pairs = (line.partition("=") for line in lines if "=" in line and line[0] != "#")
    return {name: value for name, _, value in pairs}


def test_the_five_published_images_have_their_published_ports(
    services: dict[str, Any],
) -> None:
    found = {
        name: (fill(one["image"]), int(fill(one["ports"][0]).split(":")[0]))
        for name, one in services.items()
    }
    assert found == PUBLISHED


def test_each_service_tells_whether_it_is_well(services: dict[str, Any]) -> None:
    for one in services.values():
        health = one["healthcheck"]
        assert health["test"][0] == "CMD"
        assert {"interval", "timeout", "retries", "start_period"} <= set(health)


def test_a_check_in_php_escapes_what_compose_would_fill_in(
    services: dict[str, Any],
) -> None:
    code = services["shopping"]["healthcheck"]["test"][-1]
    assert "$$options" in code
    assert not re.search(r"(?<!\$)\$(?!\$)", code)


def test_gitlab_listens_inside_where_it_is_outside(services: dict[str, Any]) -> None:
    outside, inside = services["gitlab"]["ports"][0].rsplit("}:", 1)
    assert outside + "}" == inside


def test_the_settings_of_a_copy_are_those_that_the_files_read(
    services: dict[str, Any],
) -> None:
    text = (FOLDER / "compose.yaml").read_text()
    read = {name for name, _ in PLACE.findall(text)}
    script = (FOLDER / "prepare.sh").read_text()
    read |= set(re.findall(r"\$([A-Z_]+_URL)", script))
    settings = read_settings()
    assert set(settings) <= read | {"FORUM_URL"}
    for name, (_, port) in PUBLISHED.items():
        assert settings[f"{name.upper()}_PORT"] == str(port)


def test_every_site_has_a_host_name_of_its_own() -> None:
    urls = [url for name, url in read_settings().items() if name.endswith("_URL")]
    hosts = [url.split("//")[1].split(":")[0] for url in urls]
    assert len(set(hosts)) == len(hosts) == 4


def test_the_example_asks_each_shop_itself() -> None:
    shops = parse_interfaces((FOLDER / "interfaces.example.json").read_text())
    assert set(shops) == {"shopping"}
    assert shops["shopping"].names_instance


def test_the_example_names_routers_geocoder_and_tiles_of_the_map() -> None:
    hosts = parse_hosts((FOLDER / "hosts.example.json").read_text())
    assert [host.port for host in hosts["map"]] == [5000, 5001, 5002, 8085, 8080]


def test_the_example_files_are_read_and_name_known_sites() -> None:
    resets = parse_resets((FOLDER / "resets.example.json").read_text())
    sign_ins = parse_sign_ins((FOLDER / "sign-ins.example.json").read_text())
    assert set(resets) == set(sign_ins) <= set(KNOWN_SITES)
    assert all(reset.names_instance for reset in resets.values())


def test_the_example_resets_name_services_that_there_are(
    services: dict[str, Any],
) -> None:
    data = json.loads((FOLDER / "resets.example.json").read_text())
    assert {one["command"][1] for one in data.values()} <= set(services)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_right_for_the_shell(name: str) -> None:
    subprocess.run(["sh", "-n", str(FOLDER / name)], check=True)
    assert (FOLDER / name).stat().st_mode & 0o111


def play(tmp_path: Path, *arguments: str) -> list[str]:
    """Run a script with a docker that only writes down how it is called."""
    folder = tmp_path / "webarena"
    shutil.copytree(FOLDER, folder)
    docker = tmp_path / "docker"
    docker.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n')
    docker.chmod(0o755)
    script, *rest = arguments
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    subprocess.run([str(folder / script), *rest], check=True, env=environment)
    return (tmp_path / "calls").read_text().splitlines()


def test_a_reset_makes_one_service_of_one_copy_anew_and_prepares_it(
    tmp_path: Path,
) -> None:
    calls = play(tmp_path, "reset.sh", "shopping", "1")

    assert all(call.startswith("compose --project-name webarena-1") for call in calls)
    assert "--force-recreate" in calls[0]
    assert calls[0].endswith(" shopping")
    assert any("--base-url=http://shopping.webarena.lab:7770" in one for one in calls)
    assert not any("gitlab" in call for call in calls)
    assert calls[-1].endswith("up --detach --wait shopping")


def test_preparing_a_copy_tells_three_sites_their_addresses(tmp_path: Path) -> None:
    calls = play(tmp_path, "prepare.sh", "1")

    told = [url for url in read_settings().values() if url.startswith("http")]
    assert {url for url in told if any(url in call for call in calls)} == {
        url for url in told if "forum" not in url
    }
    assert sum("cache:flush" in call for call in calls) == 2
    assert any("gitlab-ctl reconfigure" in call for call in calls)
