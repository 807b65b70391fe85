"""What the house forbids, checked: imports, heavy modules, long files, calls."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent
LINE_LIMIT = 500
TEMPLATE_COLUMNS = 120
MODULE_LIMIT = 15
SOURCE_SUFFIXES = {".py", ".html", ".css", ".js"}
NOT_OURS = re.compile(r"(^|/)(vendor|migrations)/")
PACKAGES = ("webrl_site", "training", "rollouts", "curriculum")
HEAVY = {"torch", "transformers", "trl", "playwright", "pyarrow"}
FORBIDDEN_NAMES = {"eval", "exec", "mark_safe"}
FORBIDDEN_ATTRIBUTES = {("torch", "load"), ("yaml", "load"), ("yaml", "unsafe_load")}
FORBIDDEN_MODULES = {"pickle", "cPickle", "dill", "shelve", "marshal"}
# Written in two parts, so that this file does not hold them.
UNFINISHED = [
    "TO" + "DO",
    "FIX" + "ME",
    "NotImplemented" + "Error",
    "pytest." + "skip",
    "x" + "fail",
]


def list_files() -> list[Path]:
    """Return the files that git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = [name for name in listed.stdout.decode().split("\0") if name]
    return [ROOT / name for name in names if not NOT_OURS.search(name)]


def list_sources(*suffixes: str) -> list[Path]:
    wanted = set(suffixes) or SOURCE_SUFFIXES
    return [path for path in list_files() if path.suffix in wanted and path.is_file()]


def parse(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def find_forbidden(tree: ast.Module) -> list[str]:
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in FORBIDDEN_NAMES:
                found.append(name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if (
                owner,
                name,
            ) in FORBIDDEN_ATTRIBUTES:
                found.append(f"{owner}.{name}")
            case ast.keyword(arg="shell", value=ast.Constant(value=True)):
                found.append("shell=True")
            case ast.Import() | ast.ImportFrom():
                found += sorted(roots(node) & FORBIDDEN_MODULES)
    return found


def roots(node: ast.Import | ast.ImportFrom) -> set[str]:
    if isinstance(node, ast.ImportFrom):
        return {(node.module or "").split(".")[0]}
    return {alias.name.split(".")[0] for alias in node.names}


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


def test_imports_go_down():
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_no_import_leads_back_to_its_module():
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    imports = {m: graph.find_modules_directly_imported_by(m) for m in graph.modules}
    try:
        TopologicalSorter(imports).prepare()
        cycle = []
    except CycleError as error:
        cycle = error.args[1]

    assert cycle == []


def test_features_never_import_each_others_views():
    found = []
    for path in sorted((ROOT / "webrl_site").rglob("*.py")):
        for node in ast.walk(parse(path)):
            if not isinstance(node, ast.ImportFrom) or node.module is None:
                continue
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            views = [n for n in names if re.match(r"webrl_site\.\w+\.(\w+_)?views", n)]
            found += [(path, n) for n in views if n.split(".")[1] != path.parent.name]

    assert found == []


def test_no_folder_holds_more_modules_than_a_reader_takes_in():
    modules = [path for path in list_sources(".py") if path.stem != "__init__"]
    # docs/structure.md counts the same folders.
    product = [
        p
        for p in modules
        if p.relative_to(ROOT).parts[0] not in ("tests", "benchmarks")
    ]
    counts = Counter(str(path.parent.relative_to(ROOT)) for path in product)

    assert {name: n for name, n in counts.items() if n > MODULE_LIMIT} == {}


@pytest.mark.parametrize(
    "modules",
    [
        pytest.param("webrl_site.urls, webrl_site.asgi", id="web"),
        pytest.param("webrl_site.celery", id="worker before it forks"),
        pytest.param("rollouts.sites.sandbox.server", id="sandbox"),
    ],
)
def test_the_process_starts_without_what_is_heavy(modules: str):
    code = (
        "import sys, django; django.setup();"
        f"import {modules};"
        "from celery import current_app;"
        "current_app.loader.import_default_modules();"
        f"print(*sorted({HEAVY!r} & set(sys.modules)))"
    )

    done = run_python(code)

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == ""


def test_no_file_is_longer_than_the_hard_stop():
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_bytes().splitlines())
        for path in list_sources()
    }

    too_long = {name: lines for name, lines in lengths.items() if lines > LINE_LIMIT}
    assert too_long == {}


def test_no_template_line_is_wider_than_an_editor():
    wide = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in list_sources(".html")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if len(line) > TEMPLATE_COLUMNS
    ]

    assert wide == []


def test_no_dangerous_call_is_made():
    found = {
        str(path.relative_to(ROOT)): calls
        for path in list_sources(".py")
        if (calls := find_forbidden(parse(path)))
    }

    assert found == {}


def test_jobs_are_enqueued_where_a_missing_broker_is_borne():
    calls = re.compile(r"\.(delay|delay_on_commit|apply_async)\(")
    callers = {
        str(path.relative_to(ROOT))
        for app in ("curriculum", "training", "rollouts", "webrl_site")
        for path in (ROOT / app).rglob("*.py")
        if calls.search(path.read_text())
    }
    assert callers == {"webrl_site/loop/wakeups.py"}


def test_templates_never_switch_escaping_off():
    pattern = re.compile(r"\|\s*safe\b|autoescape\s+(off|false)")
    found = [
        str(path.relative_to(ROOT))
        for path in list_sources(".html")
        if pattern.search(path.read_text(encoding="utf-8"))
    ]

    assert found == []


def test_nothing_is_left_unfinished():
    found = {
        str(path.relative_to(ROOT)): word
        for path in list_sources()
        for word in UNFINISHED
        if word in path.read_text(encoding="utf-8")
    }

    assert found == {}


def test_the_entry_script_needs_only_the_standard_library():
    allowed = set(sys.stdlib_module_names) | {"scripts"}
    paths = [*(ROOT / "scripts").rglob("*.py"), ROOT / "webrl"]
    nodes = [node for path in paths for node in ast.walk(parse(path))]
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]

    foreign = set().union(*map(roots, imports)) - allowed
    assert foreign == set()


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("eval('1')", ["eval"]),
        ("import pickle", ["pickle"]),
        ("torch.load('x')", ["torch.load"]),
        ("run('ls', shell=True)", ["shell=True"]),
        ("page.eval('1'); model.eval()", []),
    ],
)
def test_the_search_for_dangerous_calls_finds_them(code: str, found: list[str]):
    assert find_forbidden(ast.parse(code)) == found
