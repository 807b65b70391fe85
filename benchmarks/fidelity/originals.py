"""Loads the published evaluators and the published parser from their own folders.

Imports that a comparison does not need (models, images, requests to shops) are
replaced by empty modules. Their judge is replaced by a verdict that the comparison
chooses. The parser's type checks (`beartype`) are used if installed: they are part of
what it accepts.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import sys
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

WEBARENA = Path("webarena")
LITE = Path("VisualAgentBench/VAB-WebArena-Lite/new")
BROWSERGYM = Path("BrowserGym/browsergym/webarenalite/src/browsergym/webarenalite")
WEBARENA_TASKS = WEBARENA / "config_files/test.raw.json"
LITE_TASKS = LITE / "test_webarena_lite.raw.json"
_STUBBED = (
    *("evaluate", "PIL", "requests", "openai", "browser_env", "evaluation_harness"),
    *("llms", "webarena"),
)
_TYPE_CHECKS = ("beartype", "beartype.door", "beartype.typing")


class _Nothing(types.ModuleType):
    """A module, or an attribute of one, that has every attribute and does nothing."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class _Finder:
    """Supplies an empty module for every stubbed name and those below it."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.split(".")[0] not in _STUBBED:
            return None
        return importlib.util.spec_from_loader(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> types.ModuleType:
        return _Nothing(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """There is nothing to run."""


@contextlib.contextmanager
def _stubs(*, checks_types: bool = False) -> Iterator[None]:
    """Let imports find empty modules within this block.

    Evaluators run without type checks, since their pages here are stand-ins.
    """
    kept = {name: one for name, one in sys.modules.items() if _is_stubbed(name)}
    for name in kept:
        del sys.modules[name]
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    if not checks_types or importlib.util.find_spec("beartype") is None:
        _stub_type_checks()
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if _is_stubbed(name)]:
            del sys.modules[name]
        sys.modules.update(kept)


def _is_stubbed(name: str) -> bool:
    return name.split(".")[0] in (*_STUBBED, "beartype")


def _stub_type_checks() -> None:
    """Make the decorator leave functions unchanged."""
    whole, door, typing = (_Nothing(name) for name in _TYPE_CHECKS)
    vars(whole)["beartype"] = lambda function: function
    vars(door)["is_bearable"] = lambda *_: True
    vars(typing).update(Dict=dict, List=list)
    sys.modules.update(zip(_TYPE_CHECKS, (whole, door, typing), strict=True))


def _load(name: str, path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Evaluators:
    """One published set of evaluators, asked about one task at a time."""

    def __init__(self, module: types.ModuleType) -> None:
        """`module` is the one that defines `evaluator_router`."""
        self._module = module
        self._rules = "{}"
        self._word = 0.0
        vars(module).update(
            open=lambda *_: io.StringIO(self._rules),
            time=types.SimpleNamespace(sleep=lambda _: None),
            llm_fuzzy_match=self._judge,
            llm_ua_match=self._judge,
        )

    def _judge(self, *_: Any, **__: Any) -> float:
        return self._word

    def decide(self, task: Mapping[str, Any], answer: str, page: Any) -> bool | None:
        """Return the outcome; None if it depends on the judge's verdict.

        Raises:
            Exception: Any exception of the original.
        """
        said = {self._score(task, answer, page, word) for word in (0.0, 1.0)}
        return said.pop() > 0 if len(said) == 1 else None

    def _score(
        self, task: Mapping[str, Any], answer: str, page: Any, word: float
    ) -> float:
        self._rules, self._word = json.dumps(task), word
        evaluators = self._module.evaluator_router("a file")
        trajectory = [{}, {"answer": answer}]
        score = 1.0
        for evaluator in evaluators.evaluators:
            score *= evaluator(trajectory, "a file", page)
        return score


def load_evaluators(folder: Path) -> dict[str, Evaluators]:
    """Return the published evaluators by our names for their rule sets.

    Raises:
        FileNotFoundError: One of the three originals is not in the folder.
    """
    plain = {
        "webarena": (
            folder / WEBARENA / "evaluation_harness/helper_functions.py",
            folder / WEBARENA / "evaluation_harness/evaluators.py",
        ),
        "webarena-lite": (
            folder / LITE / "helper_functions_eval.py",
            folder / LITE / "evaluators.py",
        ),
    }
    found: dict[str, Evaluators] = {}
    for name, (helpers, evaluators) in plain.items():
        with _stubs():
            _load("evaluation_harness.helper_functions", helpers)
            found[name] = Evaluators(_load(f"original_{name}", evaluators))
    with _stubs():
        package = types.ModuleType("original_browsergym")
        package.__path__ = [str(folder / BROWSERGYM)]
        sys.modules["original_browsergym"] = package
        path = folder / BROWSERGYM / "evaluators.py"
        module = _load("original_browsergym.evaluators", path)
        found["browsergym"] = Evaluators(module)
    return found


def load_parser(folder: Path) -> types.ModuleType:
    """Return VisualAgentBench's `actions.py`, with WebArena's constants."""
    with _stubs(checks_types=True):
        _load("browser_env.constants", folder / WEBARENA / "browser_env/constants.py")
        return _load("original_actions", folder / LITE / "actions.py")


def load_tasks(path: Path) -> list[dict[str, Any]]:
    """Return a published task file with its placeholders replaced by addresses."""
    text = path.read_text(encoding="utf-8")
    sites = ("GITLAB", "REDDIT", "SHOPPING_ADMIN", "SHOPPING", "WIKIPEDIA", "MAP")
    for port, site in enumerate(sites, 7770):
        text = text.replace(f"__{site}__", f"http://host.example:{port}")
    tasks: list[dict[str, Any]] = json.loads(text)
    return tasks
