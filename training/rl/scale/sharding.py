"""What the launcher's configuration cannot say about weights shared out with FSDP."""

from __future__ import annotations

import os
from typing import Any

import torch


def is_sharded() -> bool:
    """Return whether the launcher shares weights out among the processes with FSDP."""
    return os.environ.get("ACCELERATE_USE_FSDP", "false").lower() == "true"


def sharding_options(is_bfloat16: bool) -> dict[str, Any]:
    """Return the options of accelerate's FSDP plugin beside those of the launcher.

    By itself it sums gradients over the processes in the type of the passes: bfloat16
    keeps 8 binary digits, and a sum of 256 and 1 would be 256.
    """
    if not is_bfloat16:
        return {}
    is_first = os.environ.get("FSDP_VERSION", "1") == "1"
    policy = {
        "param_dtype": torch.bfloat16,
        "reduce_dtype": torch.float32,
        "buffer_dtype" if is_first else "output_dtype": torch.bfloat16,
    }
    return {"mixed_precision_policy": policy}
