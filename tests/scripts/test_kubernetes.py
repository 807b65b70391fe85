"""The manifests for Kubernetes are valid, and run what compose.yaml runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from scripts.workbench.paths import ROOT

FOLDER = ROOT / "deploy" / "kubernetes"
# The oldest with sidecars, and the newest that the package knows.
VERSIONS = ("1.29", kubernetes_validate.latest_version())
# Of the servers alone; the workbench has them in addresses.
PASSWORDS = {"POSTGRES_PASSWORD", "REDIS_PASSWORD"}
Row = dict[str, Any]


def read_all(path: Path) -> list[Row]:
    return list(yaml.safe_load_all(path.read_text()))


def find_manifests(folder: Path = FOLDER) -> dict[str, Row]:
    """Return the manifests by kind and name."""
    found = {}
    for path in sorted(folder.rglob("*.yaml")):
        if path.name != "kustomization.yaml":
            for one in read_all(path):
                found[f"{one['kind']} {one['metadata']['name']}"] = one
    return found


def find_pods(folder: Path = FOLDER / "base") -> dict[str, Row]:
    """Return the pods of the manifests by the name of what makes them."""
    return {
        name: one["spec"]["template"]
        for name, one in find_manifests(folder).items()
        if "template" in one["spec"]
    }


def list_containers(pod: Row) -> Iterator[Row]:
    yield from pod["spec"].get("initContainers", [])
    yield from pod["spec"]["containers"]


def read_env(path: Path) -> dict[str, str]:
    lines = [line for line in path.read_text().splitlines() if line[:1] not in "#"]
    return dict(line.split("=", 1) for line in lines)


def read_kustomization(folder: Path) -> Row:
    found: Row = yaml.safe_load((folder / "kustomization.yaml").read_text())
    return found


def follow(document: Row, path: str) -> Any:
    """Return what a JSON pointer leads to; its last name may be new."""
    place: Any = document
    for word in path.strip("/").split("/")[:-1]:
        place = place[int(word) if isinstance(place, list) else word]
    return place


@pytest.fixture
def compose() -> Row:
    found: Row = yaml.safe_load((ROOT / "compose.yaml").read_text())
    return found


@pytest.fixture
def processes(compose: Row) -> dict[str, Row]:
    """The services of compose.yaml that always run the workbench's own image."""
    return {
        name: one
        for name, one in compose["services"].items()
        if one["image"] == "webrl" and "profiles" not in one
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_every_manifest_is_valid(version: str):
    for manifest in find_manifests().values():
        kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_misspelled_key_is_refused(version: str):
    manifest = find_manifests()["Deployment webrl-web"]
    manifest["spec"]["template"]["spec"]["containers"][0]["comand"] = ["python"]

    with pytest.raises(kubernetes_validate.ValidationError, match="comand"):
        kubernetes_validate.validate(manifest, version, strict=True)


def test_every_file_is_named_by_its_folder():
    for path in FOLDER.rglob("kustomization.yaml"):
        named = read_kustomization(path.parent)
        beside = {one.name for one in path.parent.glob("*.yaml")} - {path.name}
        resources = {one for one in named.get("resources", []) if "/" not in one}
        assert resources == beside, path

        folders = set(named.get("resources", [])) - resources
        folders |= set(named.get("components", []))
        assert all((path.parent / one).is_dir() for one in folders), path


def test_the_pods_run_the_commands_of_the_containers(processes: dict[str, Row]):
    found = {
        one["name"]: one["command"]
        for pod in find_pods().values()
        for one in list_containers(pod)
        if one["name"] != "wait"
    }

    assert found == {name: one["command"] for name, one in processes.items()}


def test_all_but_the_preparation_wait_for_it():
    for name, pod in find_pods().items():
        first, *_ = list_containers(pod)
        waits = first["command"] == ["python", "manage.py", "migrate", "--check"]
        assert waits is (name != "Job webrl-prepare"), name


def test_settings_and_secrets_are_those_of_the_containers(compose: Row):
    settings = read_env(FOLDER / "base" / "settings.env")
    secrets = read_env(FOLDER / "secrets.example.env")
    given = compose["services"]["web"]["environment"]
    # The image's own; only .env, which no pod reads, could say otherwise.
    del given["WEBRL_DATA_DIR"]

    assert settings.keys() | (secrets.keys() - PASSWORDS) == given.keys()
    assert not settings.keys() & secrets.keys()
    for name, value in settings.items():
        default = re.sub(r"^\$\{\w+(?::-|:\?)?(.*)\}$", r"\1", given[name])
        is_required = ":?" in given[name]
        assert value == ("" if is_required else default), name


def test_no_secret_is_in_a_file():
    documented = (ROOT / "docs" / "configuration.md").read_text()
    secret = set(re.findall(r"^\| `(\w+)` \|[^|]*\| \*Secret", documented, re.M))
    given = [read_env(FOLDER / name / "settings.env") for name in ("base", "example")]

    assert not secret & {name for one in given for name in one}
    secrets = read_env(FOLDER / "secrets.example.env")
    assert secrets.keys() - PASSWORDS <= secret
    assert not any(secrets.values())


def test_the_example_sets_what_there_is():
    changed = read_env(FOLDER / "example" / "settings.env")

    assert changed.keys() <= read_env(FOLDER / "base" / "settings.env").keys()


def test_every_process_has_all_settings_and_its_data():
    sources = [
        {"configMapRef": {"name": "webrl-settings"}},
        {"secretRef": {"name": "webrl-secrets"}},
    ]
    for name, pod in find_pods().items():
        for one in list_containers(pod):
            assert one["envFrom"] == sources, name
            places = [mount["mountPath"] for mount in one["volumeMounts"]]
            assert places == ["/var/lib/webrl"], name


def test_pods_end_as_slowly_as_containers(processes: dict[str, Row]):
    for name, pod in find_pods().items():
        seconds = f"{pod['spec']['terminationGracePeriodSeconds']}s"
        service = name.split()[1].removeprefix("webrl-")
        assert processes[service]["stop_grace_period"] == seconds, name
        # What stands for `init: true`.
        assert pod["spec"]["shareProcessNamespace"], name


def test_pods_run_as_the_user_of_the_image():
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    [uid] = re.findall(r"--uid (\d+)", dockerfile)
    for name, pod in find_pods().items():
        rules = pod["spec"]["securityContext"]
        users = {rules["runAsUser"], rules["runAsGroup"], rules["fsGroup"]}
        assert users == {int(uid)}, name
        assert rules["runAsNonRoot"], name
        assert rules["seccompProfile"] == {"type": "RuntimeDefault"}, name


def test_containers_have_no_more_rights_than_in_compose(processes: dict[str, Row]):
    for name, pod in find_pods().items():
        for one in list_containers(pod):
            rules = one["securityContext"]
            assert rules["capabilities"] == {"drop": ["ALL"]}, name
            assert rules["allowPrivilegeEscalation"] is False, name
            asked = processes.get(one["name"], {}).get("security_opt", [])
            assert ("seccompProfile" in rules) is ("seccomp:unconfined" in asked), name


def test_who_opens_browsers_has_a_sandbox_in_its_pod(processes: dict[str, Row]):
    shared = {name for name, one in processes.items() if "network_mode" in one}
    for name, pod in find_pods().items():
        sidecars = [
            one["name"]
            for one in list_containers(pod)
            if one.get("restartPolicy") == "Always"
        ]
        main = pod["spec"]["containers"][0]["name"]
        assert sidecars == (["sandbox"] if main in shared else []), name


def test_one_timer_runs_at_a_time():
    spec = find_manifests()["Deployment webrl-beat"]["spec"]

    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})


def test_selectors_find_their_pods_and_ports():
    pods = list(find_pods(FOLDER).values())
    for name, one in find_manifests().items():
        kind = name.split()[0]
        if kind == "Service":
            wanted, ports = one["spec"]["selector"], one["spec"].get("ports", [])
            names = {port["targetPort"] for port in ports}
        elif kind == "NetworkPolicy":
            wanted = one["spec"]["podSelector"]["matchLabels"]
            rules = one["spec"].get("ingress", [])
            names = {port["port"] for rule in rules for port in rule["ports"]}
        else:
            continue
        found = [p for p in pods if wanted.items() <= p["metadata"]["labels"].items()]
        assert found, name
        listening = [c for pod in found for c in list_containers(pod) if "ports" in c]
        assert names <= {port["name"] for c in listening for port in c["ports"]}, name


def test_settings_reach_the_manifests_that_need_them():
    for folder in ("settings", "ingress"):
        for one in read_kustomization(FOLDER / "components" / folder)["replacements"]:
            name = one["source"]["fieldPath"].removeprefix("data.")
            assert name in read_env(FOLDER / "base" / "settings.env")
            for target in one["targets"]:
                select = target["select"]
                assert f"{select['kind']} {select['name']}" in find_manifests()


def test_patches_change_what_is_there():
    manifests = find_manifests(FOLDER / "base")
    for folder in ("gpu", "shared-folder"):
        for patch in read_kustomization(FOLDER / "components" / folder)["patches"]:
            kinds = patch["target"]["kind"].split("|")
            changed = [one for one in manifests.values() if one["kind"] in kinds]
            assert changed
            for change in yaml.safe_load(patch["patch"]):
                assert all(follow(one, change["path"]) for one in changed)


def test_the_gpu_goes_to_the_worker_that_has_it_in_compose():
    gpu = yaml.safe_load((ROOT / "deploy" / "compose.gpu.yaml").read_text())
    [patch] = read_kustomization(FOLDER / "components" / "gpu")["patches"]

    assert [f"webrl-{name}" for name in gpu["services"]] == [patch["target"]["name"]]


def test_the_servers_are_those_of_the_containers(compose: Row):
    pods = find_pods(FOLDER / "components" / "servers")
    for kind, name in (("StatefulSet", "database"), ("Deployment", "redis")):
        [one] = list_containers(pods[f"{kind} webrl-{name}"])
        service = compose["services"][name]
        assert one["image"] == service["image"]
        asked = service["healthcheck"]["test"][1:]
        words = one["readinessProbe"]["exec"]["command"]
        assert words[-len(asked) :] == [word.replace("$$", "$") for word in asked]
        assert {variable["name"] for variable in one["env"]} >= set(
            service["environment"]
        )
    arguments = compose["services"]["redis"]["command"]
    password = [
        word.replace("${REDIS_PASSWORD:?}", "$(REDIS_PASSWORD)") for word in arguments
    ]
    [redis] = list_containers(pods["Deployment webrl-redis"])
    assert redis["args"] == password
