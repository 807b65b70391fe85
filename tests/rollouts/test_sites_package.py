"""The package of the practice sites holds and requires all that it imports."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "packages" / "webrl-sites"
EXAMPLES = (PACKAGE / "README.md", ROOT / "docs" / "environment.md")
IMPORTED = re.compile(r"^from (rollouts[\w.]*) import ", re.MULTILINE)
COMMAND = "rollouts.sites.sandbox.server"
# They run in a Python of their own, or need BrowserGym, which is optional.
APART = (
    "rollouts/browser/verified/script.py",
    "rollouts/sites/browsergym_suite/",
    "rollouts/sites/oscar/project/",
)


def read_project() -> dict[str, Any]:
    return tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that holds what the package's wheel holds."""
    tree = tmp_path_factory.mktemp("wheel")
    built = read_project()["tool"]["hatch"]["build"]["targets"]["wheel"]
    for source, target in built["force-include"].items():
        there = tree / target
        there.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (PACKAGE / source).is_dir() else shutil.copyfile
        copy(PACKAGE / source, there)
    return tree


def documented() -> list[str]:
    texts = [path.read_text(encoding="utf-8") for path in EXAMPLES]
    return sorted(
        {COMMAND, *(name for text in texts for name in IMPORTED.findall(text))}
    )


def list_imports(tree: Path) -> Iterator[tuple[str, str]]:
    """Yield each file with each module that it imports, at once or later."""
    for path in sorted(tree.rglob("*.py")):
        name = str(path.relative_to(tree))
        if name.startswith(APART):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                yield from ((name, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield name, node.module


def test_the_documented_modules_can_be_imported_from_the_package_alone(laid_out: Path):
    code = "import " + ", ".join(documented())
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=laid_out,
        env={"PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_package_holds_what_its_modules_import(laid_out: Path):
    missing = {
        module: name
        for name, module in list_imports(laid_out)
        if module.startswith(("curriculum", "rollouts"))
        and not (path := laid_out / module.replace(".", "/")).is_dir()
        and not path.with_suffix(".py").is_file()
    }
    assert missing == {}


def test_the_package_requires_what_its_modules_import(laid_out: Path):
    required = set(read_project()["project"]["dependencies"])
    own = {path.name for path in laid_out.iterdir()} | set(sys.stdlib_module_names)
    packages = packages_distributions()
    missing = {
        root: name
        for name, module in list_imports(laid_out)
        if (root := module.partition(".")[0]) not in own
        and required.isdisjoint(map(str.lower, packages.get(root, [root])))
    }
    assert missing == {}
