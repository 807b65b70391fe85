"""Collects episodes with a served model of Llama-3.1's shape and random weights.

`python -m benchmarks.fidelity.served_shape` builds a small model with Llama-3.1's
architecture, control tokens and turns, serves it by `transformers serve` (which needs
the packages `fastapi`, `uvicorn` and `openai`), and plays 16 sandbox tasks at once
under WebRL's form with the prompt of the released models. Exits with 1 if an episode
breaks. The answers are noise: the run shows that all parts fit together.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import httpx

from benchmarks.sandbox_process import sandbox_process
from rollouts.browser.types import EpisodeEnd
from rollouts.policies.http_policy import HttpPolicy, HttpPolicyOptions
from rollouts.policies.published_prompts import END_OF_TURN
from rollouts.sites.sandbox.catalog import load_tasks
from rollouts.sites.sandbox.playing import play

EPISODES = 16
MAX_ACTION_TOKENS = 24
START_S = 180.0
CONTROLS = (
    *("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>"),
    *("<|end_header_id|>", "<|eom_id|>", "<|eot_id|>", "<|python_tag|>"),
)
# Turns as Llama-3.1 writes them.
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n'"
    " + message['content'] | trim + '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}"
    "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"
)


def build(folder: Path) -> None:
    """Write the model and a tokenizer of bytes with Llama-3's control tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(
        models.BPE({sign: number for number, sign in enumerate(alphabet)}, [])
    )
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(list(CONTROLS))
    # As in Llama 3's tokenizer, each text begins with the begin-of-text token.
    begin = (CONTROLS[0], tokenizer.token_to_id(CONTROLS[0]))
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{CONTROLS[0]} $A", special_tokens=[begin]
    )
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=CONTROLS[0],
        eos_token=END_OF_TURN,
        additional_special_tokens=list(CONTROLS),
        chat_template=TEMPLATE,
    )
    wrapped.save_pretrained(folder)
    config = LlamaConfig(
        vocab_size=len(wrapped),
        hidden_size=64,
        intermediate_size=224,
        num_hidden_layers=2,
        num_attention_heads=8,
        num_key_value_heads=2,
        max_position_embeddings=131_072,
        rope_theta=500_000.0,
        rope_scaling={
            "rope_type": "llama3",
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 8192,
        },
        bos_token_id=wrapped.bos_token_id,
        eos_token_id=wrapped.eos_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve the model and yield the address of its API; it ends with the block."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("transformers")), "serve"]
    command += [str(folder), "--host", "127.0.0.1", "--port", str(port)]
    command += ["--device", "cpu"]
    environment = os.environ | {"HF_HUB_OFFLINE": "1"}
    with (
        Path(folder / "serve.log").open("w", encoding="utf-8") as log,
        subprocess.Popen(command, env=environment, stdout=log, stderr=log) as process,
    ):
        try:
            _wait_for(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_S
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(url).is_success:
                return
        time.sleep(0.2)
    raise RuntimeError("transformers serve did not start; see its log")


def collect(base_url: str, model: str) -> Counter[str]:
    """Play the tasks at once; count steps, reported tokens and how episodes ended."""
    options = HttpPolicyOptions(
        prompt="webrl",
        observation="webrl",
        max_action_tokens=MAX_ACTION_TOKENS,
        private_hosts=("127.0.0.1",),
        timeout_s=300.0,
    )
    policy = HttpPolicy(f"{base_url}#{model}", options)
    found: Counter[str] = Counter()
    tasks = load_tasks("train")[:: len(load_tasks("train")) // EPISODES][:EPISODES]
    with sandbox_process() as control_url, contextlib.closing(policy):
        began = time.monotonic()
        for attempt in play(
            policy,
            tasks,
            contexts=EPISODES,
            control_url=control_url,
            form="webrl",
        ):
            ended = isinstance(attempt.end, EpisodeEnd)
            found["episodes ended" if ended else "episodes broken"] += 1
            found["steps"] += len(attempt.steps)
            found["steps with token ids"] += sum(
                bool(step.token_ids) for step in attempt.steps
            )
            if not isinstance(attempt.end, EpisodeEnd):
                print(attempt.end.reason)
        found["seconds"] = round(time.monotonic() - began)
    return found


def main() -> int:
    """Build, serve, collect, print the counts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder)
        with serving(folder) as base_url:
            found = collect(base_url, str(folder))
    print(dict(found))
    return 1 if found["episodes broken"] else 0


if __name__ == "__main__":
    sys.exit(main())
