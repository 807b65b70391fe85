"""VisualAgentBench's prompt constructors, run as released.

Their module imports the whole runner; these imports are replaced by empty modules,
since the two constructors use none of them.
"""

from __future__ import annotations

import importlib.util
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.fidelity.released_observer import FOLDER

_STANDINS: dict[str, tuple[str, ...]] = {
    "PIL": ("Image",),
    "PIL.Image": ("Image",),
    "browser_env": ("Action", "ActionParsingError", "Trajectory"),
    "browser_env.env_config": ("URL_MAPPINGS",),
    "browser_env.utils": ("StateInfo", "pil_to_b64", "pil_to_vertex"),
    "llms": ("lm_config",),
    "llms.lm_config": ("LMConfig",),
    "llms.tokenizers": ("Tokenizer",),
    "llms.utils": ("APIInput",),
}


class ReleasedPrompts:
    """Calls `WebRLPromptConstructor` and `WebRLChatPromptConstructor`."""

    def __init__(self, originals: Path) -> None:
        """`originals` holds a checkout of VisualAgentBench."""
        self._folder = originals / FOLDER
        module = _load(self._folder / "prompt_constructor.py")
        settings = types.SimpleNamespace(
            provider="openai", gen_config={"max_obs_length": 0}
        )
        self._completion = module.WebRLPromptConstructor(
            self._folder / "p_webrl.json", settings, None
        )
        self._chat = module.WebRLChatPromptConstructor(self.chat_file, settings, None)

    @property
    def chat_file(self) -> Path:
        """The file with the system prompt."""
        return self._folder / "p_webrl_chat.json"

    def completion(self, instruction: str, history: Sequence[str], page: str) -> str:
        """Return the text that the released models continue."""
        return str(self._completion.construct(*_given(instruction, history, page)))

    def chat(self, instruction: str, history: Sequence[str], page: str) -> Any:
        """Return the messages that are sent to chat models."""
        return self._chat.construct(*_given(instruction, history, page))


def _given(
    instruction: str, history: Sequence[str], page: str
) -> tuple[list[dict[str, Any]], str, dict[str, Any]]:
    state = {"observation": {"text": page}}
    return [state], instruction, {"action_history": ["None", *history]}


def _load(path: Path) -> types.ModuleType:
    for name, members in _STANDINS.items():
        module = types.ModuleType(name)
        for member in members:
            setattr(module, member, type(member, (), {}))
        sys.modules[name] = module
    for parent, child in (("llms", "lm_config"), ("PIL", "Image")):
        setattr(sys.modules[parent], child, sys.modules[f"{parent}.{child}"])
    specification = importlib.util.spec_from_file_location("released_prompts", path)
    if specification is None or specification.loader is None:
        raise FileNotFoundError(path)
    loaded = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(loaded)
    return loaded
