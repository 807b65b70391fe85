"""The docs name everything that exists, and nothing that does not."""

from __future__ import annotations

import dataclasses
import importlib
import re
from pathlib import Path

import pytest

from curriculum.phase_config import CurriculumConfig, ReviewConfig, RolloutConfig
from scripts.workbench.bench import NAMES
from scripts.workbench.cli import VERBS
from scripts.workbench.testing import STAGES
from training.rl import metric_names
from training.rl.orm.config import OrmConfig
from training.rl.webrl_config import WebRLConfig

ROOT = Path(__file__).resolve().parent.parent
README_LINES = 110
GUIDES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
FOLDERS = [ROOT / "docs", ROOT / "benchmarks"]
ALL_DOCS = GUIDES + sorted(
    str(path.relative_to(ROOT)) for folder in FOLDERS for path in folder.rglob("*.md")
)
READ_VARIABLE = re.compile(r'env\.\w+\(\s*"([A-Z][A-Z0-9_]*)"')
# The training process has no settings of Django: it reads the environment itself.
READ_IN_TRAINING = re.compile(r'os\.environ\.get\("([A-Z][A-Z0-9_]*)"')
# What accelerate, torch's launcher and `training.rl.launch` set, not the operator.
SET_BY_LAUNCHERS = {
    *("ACCELERATE_USE_FSDP", "FSDP_VERSION", "OMP_NUM_THREADS"),
    *("LOCAL_RANK", "RANK", "WORLD_SIZE"),
}
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
# Words of the house; each is defined in the glossary.
TERMS = (
    *("task", "job", "site", "sandbox", "environment", "evaluator", "outcome"),
    *("observation", "action", "step", "terminated", "truncated"),
    *("episode", "rollout", "trajectory", "reward", "return", "reward model"),
    *("policy", "critic", "value", "advantage", "perplexity", "replay buffer"),
    *("experience", "phase", "run", "curriculum", "checkpoint", "SFT"),
    *("claim", "lease", "heartbeat", "attempt", "wake-up", "sweep"),
)

# Phrases of the docs that have a plain successor; tests/test_words.py has the words.
RETIRED = re.compile(r"sites? elsewhere|somebody|phases? that rests?", re.IGNORECASE)
# The glossary names what is not to be said; the archive is kept as it was written.
QUOTING = {"docs/glossary.md", "docs/experiments/archive.md"}


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def describe(field: dataclasses.Field[object]) -> str:
    """The line of docs/configuration.md that a field must have."""
    low, high = field.metadata.get("low"), field.metadata.get("high")
    limits = "" if low is None and high is None else f"{show(low)} to {show(high)}"
    text = field.metadata["help"]
    return f"| `{field.name}` | {show(field.default)} | {limits} | {text} |"


def show(value: object) -> str:
    if value is None:
        return "any"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def list_variables() -> list[str]:
    found: set[str] = set()
    for folder, pattern in (
        ("webrl_site", READ_VARIABLE),
        ("training/rl", READ_IN_TRAINING),
    ):
        for file in (ROOT / folder).rglob("*.py"):
            found.update(pattern.findall(file.read_text()))
    return sorted(found - SET_BY_LAUNCHERS)


@pytest.mark.parametrize(
    ("name", "path"),
    re.findall(
        r"^# (\w+)=((?:curriculum|training|rollouts)\..*)$", read(".env.example"), re.M
    ),
)
def test_a_dotted_path_of_the_example_is_there(name: str, path: str):
    module, _, attribute = path.rpartition(".")
    assert hasattr(importlib.import_module(module), attribute), name


@pytest.mark.parametrize("name", list_variables())
def test_every_variable_is_explained_and_shown_in_the_example(name: str):
    assert f"| `{name}` |" in read("docs/configuration.md")
    assert re.search(rf"^#? ?{name}=", read(".env.example"), re.MULTILINE)


@pytest.mark.parametrize(
    "field",
    [
        pytest.param(field, id=f"{config.__name__}.{field.name}")
        for config in (
            CurriculumConfig,
            ReviewConfig,
            RolloutConfig,
            WebRLConfig,
            OrmConfig,
        )
        for field in dataclasses.fields(config)
    ],
)
def test_every_number_of_a_run_is_explained(field: dataclasses.Field[object]):
    assert describe(field) in read("docs/configuration.md")


@pytest.mark.parametrize("term", TERMS)
def test_every_term_is_defined(term: str):
    assert f"\n| {term} |" in read("docs/glossary.md")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_explained(verb: str):
    assert f"`./webrl {verb}" in read("CONTRIBUTING.md")


@pytest.mark.parametrize("stage", STAGES)
def test_every_stage_of_the_tests_is_explained(stage: str):
    assert f"| `{stage}` |" in read("CONTRIBUTING.md")


@pytest.mark.parametrize("name", NAMES)
def test_every_benchmark_is_explained(name: str):
    assert f"./webrl bench {name}" in read("benchmarks/README.md")


@pytest.mark.parametrize("name", metric_names.ALL)
def test_every_metric_is_explained(name: str):
    assert f"`{name}`" in read("docs/operations.md")


@pytest.mark.parametrize("document", sorted(set(ALL_DOCS) - QUOTING))
def test_no_retired_phrase_is_used(document: str):
    assert RETIRED.findall(read(document)) == []


@pytest.mark.parametrize("document", ALL_DOCS)
def test_links_lead_somewhere(document: str):
    folder = (ROOT / document).parent
    targets = [link.partition("#")[0] for link in LINK.findall(read(document))]
    local = [target for target in targets if target and "://" not in target]

    assert [target for target in local if not (folder / target).exists()] == []


@pytest.mark.parametrize("document", ALL_DOCS)
def test_paths_in_code_marks_exist(document: str):
    marked = re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", read(document))
    ours = {path for path in marked if (ROOT / path.split("/")[0]).exists()}

    made_at_run_time = {path for path in ours if path.startswith("var/")}
    missing = {path for path in ours if not (ROOT / path).exists()}
    assert missing - made_at_run_time == set()


def test_the_readme_fits_on_its_pages():
    assert len(read("README.md").splitlines()) <= README_LINES


def test_the_readme_gives_both_commands():
    assert "./webrl demo" in read("README.md")
    assert "./webrl test" in read("README.md")
