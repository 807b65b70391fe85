"""Where weights lie: addresses are values, and this is what they mean.

`starter/policy` and `demo-1/phase-2/policy` are folders below one of the roots in
`settings.CHECKPOINT_ROOTS`; `http(s)://host/v1#model` is a model served elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext

from curriculum.errors import CheckpointError
from curriculum.rules.public_addresses import is_seen_private

# Larger checkpoints are hashed when they are loaded, not when they are named.
HASHED_AT_ONCE = 256 * 2**20


def is_served(uri: str) -> bool:
    """Say whether the address names a model behind an HTTP server."""
    return uri.startswith(("http://", "https://"))


def resolve_checkpoint(uri: str) -> str:
    """Return the folder that the address means, or the URL as it is.

    Raises:
        CheckpointError: Nothing readable lies there; the message says what is wrong.
    """
    if is_served(uri):
        _check_host(uri)
        return uri
    parts = PurePosixPath(uri).parts
    if not parts or uri.startswith("/") or ".." in parts or "\\" in uri:
        raise CheckpointError(
            gettext("%(uri)r is not an address of a checkpoint.") % {"uri": uri}
        )
    for root in settings.CHECKPOINT_ROOTS:
        directory = Path(root, *parts)
        if directory.is_dir():
            _check_files(uri, directory)
            return str(directory)
    raise CheckpointError(gettext("There is no checkpoint %(uri)r.") % {"uri": uri})


def read_digest(uri: str) -> str:
    """Return the digest that names the checkpoint's content; "" for a served model."""
    path = resolve_checkpoint(uri)
    return "" if is_served(path) else _combine(_file_digests(uri, Path(path)))


def measure_size(uri: str) -> int:
    """Return the bytes of the checkpoint's weights; 0 for a served model.

    Raises:
        CheckpointError: Nothing readable lies there.
    """
    path = resolve_checkpoint(uri)
    if is_served(path):
        return 0
    return sum(file.stat().st_size for file in Path(path).glob("*.safetensors"))


def _check_host(uri: str) -> None:
    """Refuse an address that can be seen not to be public; others when called."""
    try:
        host = urlsplit(uri).hostname or ""
    except ValueError:
        host = ""
    is_known = uri.partition("#")[0] == settings.POLICY_URL
    if not host or (
        (is_seen_private(host) or "\\" in uri)
        and not is_known
        and not settings.ALLOWED_PRIVATE_HOSTS
    ):
        raise CheckpointError(
            gettext("%(uri)r is not an address that may be called.") % {"uri": uri}
        )


def _check_files(uri: str, directory: Path) -> None:
    """Refuse what cannot be loaded: missing, truncated or changed files."""
    if not (directory / "config.json").is_file():
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
    """Compare a safetensors file's size with what its header announces."""
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


def _file_digests(uri: str, directory: Path) -> Mapping[str, str]:
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
