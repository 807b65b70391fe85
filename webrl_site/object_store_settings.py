"""Reads from the settings where a lab's machines keep files, as Django's storages."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webrl_site.env import Env, EnvError

S3 = "s3://"
# What reads a bucket, and is not installed otherwise.
MODULES = ("storages", "boto3")
CONNECT_S, READ_S, ATTEMPTS = 5, 60, 4
# A larger file is written to the disk while it comes, not to memory.
MAX_IN_MEMORY = 16 * 2**20


def find_object_store(
    env: Env, access_key: str, secret_key: str
) -> tuple[str, dict[str, Any]]:
    """Return OBJECT_STORE and Django's STORAGES; without a store its entry is missing.

    Raises:
        EnvError: It is neither a bucket nor a folder, or packages are missing.
    """
    place = env.text("OBJECT_STORE")
    found: dict[str, Any] = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {
            "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        },
    }
    # Always read, so that a mistake is reported before it matters. Without keys, the
    # machine's own keys for all programs are used.
    options = {
        "endpoint_url": env.address("S3_ENDPOINT_URL") or None,
        "region_name": env.text("S3_REGION") or None,
        "access_key": access_key or None,
        "secret_key": secret_key or None,
    }
    if place.startswith(S3):
        found["objects"] = {
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": options | _read_bucket(place),
        }
    elif place:
        folder = Path(place).expanduser()
        if not folder.is_absolute():
            raise EnvError(
                f"OBJECT_STORE must be s3://bucket/prefix or an absolute folder, not "
                f"{place!r}."
            )
        place = str(folder)
        found["objects"] = {
            "BACKEND": "curriculum.object_store.folder.DurableFolder",
            "OPTIONS": {"location": place},
        }
    return place, found


def _read_bucket(place: str) -> dict[str, Any]:
    """Return the storage's other options.

    Raises:
        EnvError: No bucket is named, or packages are missing.
    """
    parts = urlsplit(place)
    if not parts.netloc:
        raise EnvError(f"OBJECT_STORE must name a bucket, s3://bucket, not {place!r}.")
    missing = [name for name in MODULES if importlib.util.find_spec(name) is None]
    if missing:
        raise EnvError(
            "OBJECT_STORE names a bucket, which needs django-storages and boto3; "
            "./webrl setup --s3 installs them."
        )
    config = importlib.import_module("botocore.config").Config
    return {
        "bucket_name": parts.netloc,
        "location": parts.path.strip("/"),
        "default_acl": None,
        "file_overwrite": True,
        "max_memory_size": MAX_IN_MEMORY,
        # Named by content, not by kind: nobody reads a single one from the bucket.
        "object_parameters": {"ContentType": "application/octet-stream"},
        "client_config": config(
            connect_timeout=CONNECT_S,
            read_timeout=READ_S,
            retries={"mode": "standard", "max_attempts": ATTEMPTS},
            # Servers in a lab have one name for all buckets.
            s3={"addressing_style": "path"},
            signature_version="s3v4",
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    }
