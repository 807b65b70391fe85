"""Addresses of weights and what they mean.

`starter/policy` and `demo-1/phase-2/policy` are folders below one of the roots in
`settings.CHECKPOINT_ROOTS`, or published in the object store, which takes precedence
where both have the address; `http(s)://host/v1#model` is a model served elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext
from safetensors import SafetensorError, safe_open

from curriculum.errors import CheckpointError
from curriculum.object_store.fetching import (
    Listing,
    fetch,
    fetch_file,
    forget,
    read_listing,
)
from curriculum.rules.operator_urls import is_operators
from curriculum.rules.public_addresses import is_seen_private

# A policy's training may leave an adapter next to it, in PEFT's format.
ADAPTER, ADAPTER_CONFIG = "adapter", "adapter_config.json"
CONFIGS = ("config.json", ADAPTER_CONFIG)
# Larger checkpoints are hashed when they are loaded, not when they are named.
HASHED_AT_ONCE = 256 * 2**20
MAX_CONFIG_BYTES = 2**20
# Names in the config.json of Llama and most others, of GPT-2, and of ChatGLM.
POSITIONS = ("max_position_embeddings", "n_positions", "seq_length")


def is_served(uri: str) -> bool:
    """Say whether the address names a model behind an HTTP server."""
    return uri.startswith(("http://", "https://"))


def resolve_checkpoint(uri: str) -> str:
    """Return a folder with the weights, or the URL as it is; may copy them here first.

    Raises:
        CheckpointError: There is no readable checkpoint; the message says why.
        StoreDown: The object store does not answer.
    """
    if is_served(uri):
        _check_host(uri)
        return uri
    directory, listing = _find(uri)
    if listing is None:
        return str(directory)
    try:
        _check_files(uri, fetch(listing))
    except CheckpointError:
        # The copy here was damaged: fetch it again from the store.
        forget(listing)
        _check_files(uri, fetch(listing))
    return str(fetch(listing))


def name_adapter(uri: str) -> str:
    """Return the address of the adapter that was trained with a policy."""
    return str(PurePosixPath(uri).with_name(ADAPTER))


def has_adapter(uri: str) -> bool:
    """Say whether a policy's training left an adapter, here or in the store.

    Raises:
        StoreDown: The object store does not answer.
    """
    if is_served(uri):
        return False
    adapter = name_adapter(uri)
    listing = read_listing(adapter)
    if listing is not None:
        return ADAPTER_CONFIG in listing.files
    here = find_here(adapter)
    return here is not None and (here / ADAPTER_CONFIG).is_file()


def resolve_adapter(uri: str) -> str:
    """Return the folder of a policy's adapter, "" for none; may copy it here first.

    A published adapter is checked. Without a store it is used as it is here, and the
    code that loads it checks it.

    Raises:
        CheckpointError: The published one is damaged.
        StoreDown: The object store does not answer.
    """
    if not has_adapter(uri):
        return ""
    adapter = name_adapter(uri)
    if read_listing(adapter) is not None:
        return resolve_checkpoint(adapter)
    return str(find_here(adapter))


def check_checkpoint(uri: str) -> None:
    """Refuse an address without readable weights; nothing is copied.

    Raises:
        CheckpointError: The message says what is wrong.
        StoreDown: The object store does not answer.
    """
    if is_served(uri):
        _check_host(uri)
    else:
        _find(uri)


def find_here(uri: str) -> Path | None:
    """Return the folder of this machine that the address means; it is not checked.

    Raises:
        CheckpointError: It is not the address of a folder.
    """
    parts = PurePosixPath(uri).parts
    if not parts or uri.startswith("/") or ".." in parts or "\\" in uri:
        raise CheckpointError(
            gettext("%(uri)r is not a checkpoint address.") % {"uri": uri}
        )
    folders = (Path(root, *parts) for root in settings.CHECKPOINT_ROOTS)
    return next((folder for folder in folders if folder.is_dir()), None)


def is_shipped(directory: Path) -> bool:
    """Say whether the weights came with the checkout, as on every other machine."""
    return directory.is_relative_to(settings.CHECKPOINT_ROOTS[0])


def read_digest(uri: str) -> str:
    """Return the digest that names the checkpoint's content; "" for a served model."""
    if is_served(uri):
        _check_host(uri)
        return ""
    directory, listing = _find(uri)
    return digest_folder(uri, directory) if listing is None else listing.digest


def measure_size(uri: str) -> int:
    """Return the bytes of the checkpoint's weights; 0 for a served model.

    Raises:
        CheckpointError: There is no readable checkpoint.
    """
    if is_served(uri):
        _check_host(uri)
        return 0
    directory, listing = _find(uri)
    if listing is not None:
        return listing.weight_bytes
    return sum(file.stat().st_size for file in directory.glob("*.safetensors"))


def count_parameters(uri: str) -> int | None:
    """Return the number of parameters; None where the weights are not on this machine.

    Raises:
        CheckpointError: There is no readable checkpoint.
    """
    if is_served(uri):
        _check_host(uri)
        return None
    directory, listing = _find(uri)
    if listing is not None:
        return None
    try:
        return sum(map(_count_in, directory.glob("*.safetensors")))
    except SafetensorError:
        # The length is right, but the content is not a valid set of tensors.
        return None


def _count_in(path: Path) -> int:
    with safe_open(path, "np") as tensors:
        shapes = (tensors.get_slice(name).get_shape() for name in tensors.keys())  # noqa: SIM118 - no mapping
        return sum(map(math.prod, shapes))


def read_file(uri: str, name: str, max_bytes: int) -> bytes | None:
    """Return one file of a checkpoint; None where it is missing or too large.

    Raises:
        CheckpointError: There is no readable checkpoint.
    """
    directory, listing = _find(uri)
    if listing is None:
        path = directory / name
        is_small = path.is_file() and path.stat().st_size <= max_bytes
        return path.read_bytes() if is_small else None
    if name not in listing.files or listing.files[name][1] > max_bytes:
        return None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        fetch_file(listing, name, path)
        return path.read_bytes()


def read_positions(uri: str) -> int | None:
    """Return how many tokens a model reads at most; None where it does not say.

    Raises:
        CheckpointError: There is no readable checkpoint.
    """
    try:
        config = json.loads(read_file(uri, CONFIGS[0], MAX_CONFIG_BYTES) or b"{}")
    except (ValueError, RecursionError):
        return None
    if not isinstance(config, dict):
        return None
    # A model that also reads pictures describes its language model apart.
    text = config.get("text_config")
    for part in (config, text if isinstance(text, dict) else {}):
        for name in POSITIONS:
            if type(part.get(name)) is int:
                return int(part[name])
    return None


def _find(uri: str) -> tuple[Path, Listing | None]:
    """Return the folder here, checked, or a listing where the store takes precedence.

    With a listing the folder has no meaning.
    """
    here = find_here(uri)
    listing = None if here and is_shipped(here) else read_listing(uri)
    if listing is None:
        if here is None:
            raise CheckpointError(
                gettext("There is no checkpoint %(uri)r.") % {"uri": uri}
            )
        _check_files(uri, here)
        return here, None
    if here is not None and _is_listed(here, listing):
        return here, None
    return Path(), listing


def _is_listed(here: Path, listing: Listing) -> bool:
    """Say whether the folder is a complete copy of what is published at its address."""
    try:
        _check_files(listing.uri, here)
        return digest_folder(listing.uri, here) == listing.digest
    except CheckpointError:
        return False


def digest_folder(uri: str, directory: Path) -> str:
    """Return the digest of a folder's content.

    Raises:
        CheckpointError: Its manifest is not readable.
    """
    return _combine(list_digests(uri, directory))


def _check_host(uri: str) -> None:
    """Refuse an address that is visibly not public; others are checked when called."""
    try:
        host = urlsplit(uri).hostname or ""
    except ValueError:
        host = ""
    if not host or (
        (is_seen_private(host) or "\\" in uri)
        and not is_operators(uri)
        and not settings.ALLOWED_PRIVATE_HOSTS
    ):
        raise CheckpointError(
            gettext("%(uri)r is not an allowed address.") % {"uri": uri}
        )


def _check_files(uri: str, directory: Path) -> None:
    """Refuse what cannot be loaded: missing, truncated or changed files."""
    if not any((directory / name).is_file() for name in CONFIGS):
        raise CheckpointError(
            gettext("Checkpoint %(uri)r has no config.json.") % {"uri": uri}
        )
    weights = sorted(directory.glob("*.safetensors"))
    if not weights:
        raise CheckpointError(
            gettext("Checkpoint %(uri)r has no safetensors file.") % {"uri": uri}
        )
    for path in weights:
        _check_length(uri, path)
    if sum(path.stat().st_size for path in weights) > HASHED_AT_ONCE:
        return
    for name, expected in _listed_digests(uri, directory).items():
        path = directory / Path(name).name
        if not path.is_file():
            raise CheckpointError(
                gettext("Checkpoint %(uri)r lacks its file %(name)s.")
                % {"uri": uri, "name": name}
            )
        if _sha256(path) != expected:
            raise CheckpointError(
                gettext(
                    "%(name)s of checkpoint %(uri)r has changed since it was saved."
                )
                % {"name": name, "uri": uri}
            )


def _check_length(uri: str, path: Path) -> None:
    """Compare a safetensors file's size with that in its header."""
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            size = path.stat().st_size
            header = json.loads(file.read(length)) if length < size else ()
        tensors = [v for k, v in dict(header).items() if k != "__metadata__"]
        end = max((tensor["data_offsets"][1] for tensor in tensors), default=0)
        is_whole = size == 8 + length + end
    except (OSError, struct.error, ValueError, AttributeError, KeyError, TypeError):
        is_whole = False
    if not is_whole:
        raise CheckpointError(
            gettext("%(name)s of checkpoint %(uri)r is not readable.")
            % {"name": path.name, "uri": uri}
        )


def _listed_digests(uri: str, directory: Path) -> Mapping[str, str]:
    """Return the manifest's file digests; none for a model from elsewhere."""
    path = directory / "manifest.json"
    if not path.is_file():
        return {}
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
        return {str(name): str(digest) for name, digest in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise CheckpointError(
            gettext("manifest.json of checkpoint %(uri)r is not readable.")
            % {"uri": uri}
        ) from None


def list_digests(uri: str, directory: Path) -> Mapping[str, str]:
    """Return the SHA-256 of the folder's files, without its manifest if it has one.

    Raises:
        CheckpointError: The manifest is not readable.
    """
    listed = _listed_digests(uri, directory)
    return listed or {
        path.name: _sha256(path) for path in directory.iterdir() if path.is_file()
    }


def _combine(files: Mapping[str, str]) -> str:
    text = "\n".join(f"{name} {files[name]}" for name in sorted(files))
    return hashlib.sha256(text.encode()).hexdigest()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
