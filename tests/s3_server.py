"""A server with S3's interface on loopback, for tests: moto's, in its own process."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import boto3
from botocore.config import Config

from scripts.workbench.processes.cleanup import free_port

KEYS = {"S3_ACCESS_KEY": "lab-access", "S3_SECRET_KEY": "lab-secret-0123456789"}
BUCKET = "lab"
START_LIMIT_S = 60.0
PROGRAM = "from moto.server import main; main()"


@contextmanager
def serve_s3() -> Iterator[str]:
    """Yield the server's address; it has one empty bucket."""
    port = free_port()
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, "-p", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **quiet) as server:  # type: ignore[call-overload]
        try:
            _wait(port, server)
            url = f"http://127.0.0.1:{port}"
            client(url).create_bucket(Bucket=BUCKET)
            yield url
        finally:
            server.kill()


def _wait(port: int, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + START_LIMIT_S
    while time.monotonic() < until and server.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise RuntimeError("The S3 server did not start.")


def client(url: str) -> Any:
    """Return a client for what the workbench itself never does."""
    return boto3.client(
        "s3",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=KEYS["S3_ACCESS_KEY"],
        aws_secret_access_key=KEYS["S3_SECRET_KEY"],
        config=Config(s3={"addressing_style": "path"}),
    )


def variables(url: str, prefix: str) -> dict[str, str]:
    """Return the environment of a deployment that keeps its files there."""
    return {
        "OBJECT_STORE": f"s3://{BUCKET}/{prefix}",
        "S3_ENDPOINT_URL": url,
        "S3_REGION": "us-east-1",
        **KEYS,
    }
