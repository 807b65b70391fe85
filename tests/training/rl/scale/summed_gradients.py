"""Run by two processes: the gradient of a weight under accelerate's FSDP policy."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import cast

import torch
import torch.distributed as dist
from accelerate.utils import FullyShardedDataParallelPlugin
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor

from training.rl.process import leave
from training.rl.scale.sharding import sharding_options


def find_gradient(policy: MixedPrecisionPolicy) -> float:
    """Return the mean over the processes of the gradients 256 and 1."""
    model = nn.Linear(1, 2, bias=False)
    fully_shard(model, mesh=init_device_mesh("cpu", (2,)), mp_policy=policy)
    given = 256.0 if dist.get_rank() == 0 else 1.0
    model(torch.tensor([[given]])).sum().backward()
    whole = cast(DTensor, model.weight.grad).full_tensor()  # (2, 1)
    return float(whole[0, 0])


if __name__ == "__main__":
    dist.init_process_group("gloo")
    own = FullyShardedDataParallelPlugin()
    own.set_mixed_precision("bf16")
    chosen = FullyShardedDataParallelPlugin(**sharding_options(is_bfloat16=True))
    # As accelerate's state does afterwards; a policy that is there stays.
    chosen.set_mixed_precision("bf16")
    found = [find_gradient(one.mixed_precision_policy) for one in (own, chosen)]
    (Path(sys.argv[1]) / str(dist.get_rank())).write_text(json.dumps(found))
    dist.destroy_process_group()
    leave(0)
