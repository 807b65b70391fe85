"""`python -m training.rl.pretrained.import_gguf`: a GGUF file becomes a checkpoint.

Done once: its blocks are unpacked to bfloat16 and saved as safetensors with tokenizer,
chat template, licence and provenance. Needs the package `gguf` on the path.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

from training.rl import checkpoints
from training.rl.orm.reward_model import verdict_token_ids

# Facts of the file that a checkpoint's configuration must not keep.
FOREIGN = ("quantization_config", "_name_or_path", "_model_name_or_path")


def convert(source: Path, target: Path, provenance: dict[str, Any]) -> str:
    """Write the checkpoint, whole or not at all; returns its digest.

    Args:
        source: The GGUF file; a LICENSE next to it is kept.
        target: The checkpoint's folder.
        provenance: Goes into the manifest under "made".

    Raises:
        CheckpointError: The file has no chat template, or no end of turn.
    """
    where = {"gguf_file": source.name, "local_files_only": True}
    tokenizer = AutoTokenizer.from_pretrained(source.parent, **where)
    if not tokenizer.chat_template or tokenizer.eos_token_id is None:
        raise checkpoints.CheckpointError(f"{source.name} is no chat model.")
    verdict_token_ids(tokenizer)
    model = AutoModelForCausalLM.from_pretrained(
        source.parent, quantization_config=GgufConfig(dequantize=True), **where
    )
    made = {**provenance, "parameter_count": model.num_parameters()}
    licence = source.with_name("LICENSE")
    return checkpoints.save_checkpoint(
        target,
        _forget_quantization(model).to(torch.bfloat16),
        tokenizer,
        extra={"made": made},
        files=[licence] if licence.is_file() else [],
    )


def _forget_quantization(model: Any) -> Any:
    """Remove the quantisation settings from an unpacked model."""
    plain = type(model)(model.config)
    plain.load_state_dict(model.state_dict())
    for name in FOREIGN:
        if hasattr(plain.config, name):
            delattr(plain.config, name)
    return plain


def main() -> None:
    """Parse the command line and convert."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, help="the GGUF file")
    parser.add_argument("target", type=Path, help="the checkpoint's folder")
    parser.add_argument("provenance", type=json.loads, help="a JSON object")
    given = parser.parse_args()
    digest = convert(given.source, given.target, given.provenance)
    sys.stdout.write(f"{digest}\n")


if __name__ == "__main__":
    main()
