"""The only file I/O of models: save, load, digest, verify.

A checkpoint is a directory of safetensors, JSON configuration and tokenizer, with a
`manifest.json` of every file's SHA-256. A model is loaded only when each file still
has its digest: safetensors alone does not notice a flipped bit.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import logging
import os
import shutil
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import load_file, save_file
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from training.rl.scale import parallel
from training.rl.training_data import sync

if TYPE_CHECKING:
    from peft import PeftConfig

log = logging.getLogger(__name__)

MANIFEST = "manifest.json"  # digests and provenance
HEADS = "value_heads.safetensors"  # both heads of a critic
ENDING_LENGTH = 8  # of a folder's name while it is written
# Tokens that vocabularies without a padding token keep for it.
SPARE_PADDING = ("<|finetune_right_pad_id|>", "<|pad|>", "<pad>")


# Instructions that multiply bfloat16, as torch names them.
BFLOAT16_CPU = ("avx512_bf16", "amx_bf16")
# Narrower models stay in float32: in bfloat16 an answer depends on the others in its
# batch. It would save a tenth of an episode's processor time (docs/pretrained.md).
BFLOAT16_WIDTH = 512


class CheckpointError(RuntimeError):
    """A checkpoint that is missing, incomplete or changed since it was saved."""


def save_checkpoint(
    directory: Path,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    *,
    heads: dict[str, torch.Tensor] | None = None,
    extra: dict[str, Any] | None = None,
    state: dict[str, torch.Tensor] | None = None,
    files: Sequence[Path] = (),
) -> str:
    """Write a whole checkpoint or nothing, and return its digest.

    Args:
        directory: Where to write it; replaced if it exists.
        model: A transformers model.
        tokenizer: Its tokenizer.
        heads: Tensors of the critic's heads, if it is a critic.
        extra: Facts to keep in the manifest (provenance), JSON values only.
        state: The weights, where the model itself holds only a share of them.
        files: Copied next to the weights, such as a licence.
    """
    with _writing(directory) as temporary:
        model.save_pretrained(temporary, state_dict=state)
        tokenizer.save_pretrained(temporary)
        for path in files:
            shutil.copyfile(path, temporary / path.name)
        if heads is not None:
            save_file(_as_plain(heads), temporary / HEADS)
        return write_manifest(temporary, extra or {})


def save_adapter(
    directory: Path, config: PeftConfig, tensors: dict[str, torch.Tensor]
) -> str:
    """Write an adapter as PEFT's files, whole or not at all; returns its digest."""
    with _writing(directory) as temporary:
        config.save_pretrained(str(temporary))
        save_file(_as_plain(tensors), temporary / "adapter_model.safetensors")
        return write_manifest(temporary, {})


def _as_plain(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: one.detach().cpu().contiguous() for name, one in tensors.items()}


def write_manifest(directory: Path, extra: dict[str, Any]) -> str:
    """Write `manifest.json` for the files present; returns the checkpoint's digest."""
    files = {
        path.name: _sha256(path)
        for path in sorted(directory.iterdir())
        # A manifest cannot hold its own digest.
        if path.is_file() and path.name != MANIFEST
    }
    digest = _digest(files)
    manifest = {"digest": digest, "files": files, **extra}
    with (directory / MANIFEST).open("w") as handle:
        json.dump(manifest, handle, indent=1, sort_keys=True)
        handle.flush()
        os.fsync(handle.fileno())
    return digest


def verify(directory: Path) -> str:
    """Check every file against the manifest and return the checkpoint's digest.

    A directory with a `config.json` but no manifest is a model from elsewhere: it is
    accepted, and its digest is computed from its files.

    Raises:
        CheckpointError: Missing, incomplete or changed; the message says what.
    """
    if not (directory / "config.json").is_file():
        raise CheckpointError(f"No checkpoint at {directory}: config.json is missing.")
    if not (directory / MANIFEST).is_file():
        names = sorted(p for p in directory.iterdir() if p.is_file())
        return _digest({path.name: _sha256(path) for path in names})
    return verify_files(directory)


def verify_files(directory: Path) -> str:
    """Check every file against the manifest and return the digest of all.

    Raises:
        CheckpointError: Missing, incomplete or changed; the message says what.
    """
    try:
        manifest = json.loads((directory / MANIFEST).read_text())
        files = dict(manifest["files"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CheckpointError(f"{directory / MANIFEST} is not readable.") from error
    for name, expected in files.items():
        # A manifest is a file from outside: its names must not leave the folder.
        path = directory / Path(name).name
        if not path.is_file():
            raise CheckpointError(f"{path} is missing.")
        if _sha256(path) != expected:
            raise CheckpointError(f"{path} has changed since it was saved.")
    return _digest(files)


def find_finished(directory: Path) -> str:
    """Return the digest of a part's whole checkpoint, or "" if it must be made.

    A damaged one is removed, with the reason in the log; with several processes the
    first does so.
    """
    is_first = parallel.find_rank() == 0
    digest = _find_whole(directory) if is_first else ""
    parallel.wait_for_all()
    # The other processes look after the first has decided.
    if not is_first and directory.exists():
        digest = verify(directory)
    return digest


def _find_whole(directory: Path) -> str:
    if not directory.exists():
        return ""
    try:
        return verify(directory)
    except CheckpointError as error:
        log.warning("%s is made anew: %s", directory.name, error)
        shutil.rmtree(directory)
        return ""


def load_tokenizer(directory: Path) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a checkpoint; no code from the checkpoint is run.

    If it has no token for padding (Llama 3.1), one that it reserves for that purpose is
    taken, or else the end of the turn: padding is masked by length, never by token.

    Raises:
        CheckpointError: No token ends a text; the message says where to name one.
    """
    # Files only: no network, and no Python that a checkpoint may bring.
    tokenizer = AutoTokenizer.from_pretrained(
        directory, local_files_only=True, trust_remote_code=False
    )
    if tokenizer.eos_token_id is None:
        raise CheckpointError(
            f"The tokenizer of {directory} has no token that ends an answer: name one "
            "as eos_token in its tokenizer_config.json."
        )
    if tokenizer.pad_token_id is None:
        known = tokenizer.get_vocab()
        spare = [token for token in SPARE_PADDING if token in known]
        tokenizer.pad_token = (*spare, tokenizer.eos_token)[0]
    return tokenizer


def load_policy_model(
    directory: Path,
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | None = None,
) -> PreTrainedModel:
    """Load a causal language model, with weights as they are best read by default.

    Args:
        directory: The checkpoint.
        dtype: Of its weights; None is `preferred_dtype`. Weights that are trained need
            float32: bfloat16 keeps 8 binary digits and rounds an update of 1e-6 away.
        device: None is `preferred_device`.
    """
    # Verify before anything is parsed.
    verify(directory)
    return AutoModelForCausalLM.from_pretrained(
        directory,
        local_files_only=True,
        trust_remote_code=False,  # a checkpoint brings no code
        use_safetensors=True,  # never a pickle
        dtype=dtype or preferred_dtype(directory),
    ).to(device or preferred_device())


def load_backbone(
    directory: Path,
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | None = None,
) -> tuple[PreTrainedModel, dict[str, torch.Tensor] | None]:
    """Load a model without its vocabulary head, and the critic's heads if any.

    The arguments are those of `load_policy_model`.
    """
    verify(directory)
    backbone = AutoModel.from_pretrained(
        directory,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        dtype=dtype or preferred_dtype(directory),
    ).to(device or preferred_device())
    path = directory / HEADS
    return backbone, load_file(path) if path.is_file() else None


def preferred_device() -> torch.device:
    """Return the first GPU if there is one, else the CPU."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def preferred_dtype(
    directory: Path, processor: Mapping[str, object] | None = None
) -> torch.dtype:
    """Return the type of weights that are only read: bfloat16 if quicker, else float32.

    Args:
        directory: The checkpoint.
        processor: As in `computes_bfloat16`.
    """
    if torch.cuda.is_available():
        return torch.bfloat16
    config = AutoConfig.from_pretrained(
        directory, local_files_only=True, trust_remote_code=False
    )
    width = config.get_text_config().hidden_size
    is_quicker = width >= BFLOAT16_WIDTH and computes_bfloat16(processor)
    return torch.bfloat16 if is_quicker else torch.float32


def computes_bfloat16(processor: Mapping[str, object] | None = None) -> bool:
    """Return whether this machine multiplies bfloat16 natively, without emulation.

    Args:
        processor: Its instructions as torch names them; None asks torch.
    """
    able = torch.cpu.get_capabilities() if processor is None else processor
    # With AVX2 alone a step of 135M took sixteen times as long as in float32.
    return torch.cuda.is_available() or any(able.get(name) for name in BFLOAT16_CPU)


def uses_bfloat16(
    precision: str, processor: Mapping[str, object] | None = None
) -> bool:
    """Return whether passes are computed in bfloat16 on this machine.

    Args:
        precision: The setting of that name.
        processor: As in `computes_bfloat16`.
    """
    if precision == "native":
        return computes_bfloat16(processor)
    on_gpu = torch.cuda.is_available()
    return precision == "bfloat16" or (precision == "auto" and on_gpu)


def reading_dtype(precision: str) -> torch.dtype | None:
    """Return the type of weights that a training only reads; None is the preferred one.

    `precision` is the setting of that name: float32 passes need float32 weights, also
    where bfloat16 would be quicker.
    """
    return None if uses_bfloat16(precision) else torch.float32


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _digest(files: dict[str, str]) -> str:
    # Over names and digests, sorted: the order of a folder's listing does not matter.
    text = "\n".join(f"{name} {files[name]}" for name in sorted(files))
    return hashlib.sha256(text.encode()).hexdigest()


@contextlib.contextmanager
def _writing(directory: Path) -> Iterator[Path]:
    """Give a folder to write into, which becomes `directory` if all goes well."""
    _drop_half_written(directory)
    # A sibling, because a rename is atomic within one file system only.
    temporary = directory.with_name(f".{directory.name}.{_draw_ending()}")
    temporary.mkdir(parents=True)
    try:
        yield temporary
        for path in temporary.iterdir():
            sync(path)
        _replace(temporary, directory)
    finally:
        # Nothing is there after a success. A full disk must get its room back.
        shutil.rmtree(temporary, ignore_errors=True)


def _drop_half_written(directory: Path) -> None:
    """Remove what killed processes left; nobody else writes this checkpoint."""
    name, ending = glob.escape(directory.name), "?" * ENDING_LENGTH
    for pattern in (f".{name}.{ending}", f".{name}.old-{ending}"):
        for left in directory.parent.glob(pattern):
            shutil.rmtree(left, ignore_errors=True)


def _draw_ending() -> str:
    return uuid.uuid4().hex[:ENDING_LENGTH]


def _replace(temporary: Path, directory: Path) -> None:
    """Put the finished directory in place; an older one is moved away first."""
    if directory.exists():
        old = directory.with_name(f".{directory.name}.old-{_draw_ending()}")
        directory.rename(old)
        # Between the renames the name is free: after a kill the part is made again.
        temporary.rename(directory)
        shutil.rmtree(old)
    else:
        temporary.rename(directory)
