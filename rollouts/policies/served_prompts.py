"""The prompt of a served model, as a run's settings choose it."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from curriculum.rules.control_tokens import without_controls
from rollouts.browser.actions.dialects import DialectName
from rollouts.browser.observation.page_script import Form
from rollouts.policies.prompts import (
    OLD_PAGES,
    PAGES,
    Message,
    alternate,
    build_messages,
    system_prompt,
    take_turns,
)
from rollouts.policies.protocol import PolicyRequest
from rollouts.policies.published_prompts import (
    END_OF_TURN,
    chat_messages,
    completion_prompt,
)
from rollouts.policies.tool_calls import SYSTEM_PROMPT, list_tools, tool_messages

# "plain": the conversation alone, for models trained on it here; "manual": our manual
# of pages and actions first; "vab": VisualAgentBench's prompt for chat models;
# "webrl": the text that WebRL's released checkpoints continue.
PromptName = Literal["manual", "plain", "vab", "webrl"]
# "usual": a system turn where there is a manual; "alternating": user and assistant
# strictly in turn, for chat templates that refuse the rest.
TurnsName = Literal["usual", "alternating"]
# Fewest characters per token of a prompt.
CHARACTERS_PER_TOKEN = 3


@dataclasses.dataclass(frozen=True, slots=True)
class PromptOptions:
    """How a prompt is made.

    Attributes:
        prompt: The kind of prompt.
        max_prompt_tokens: Longest prompt; the current page is cut to fit.
        observation: The form of the pages.
        action_dialect: The dialect of the actions.
        vab_system: The published system prompt, for "vab".
        chat_turns: How a conversation is split into turns.
    """

    prompt: PromptName = "manual"
    max_prompt_tokens: int = 16_384
    observation: Form = "compact"
    action_dialect: DialectName = "webrl"
    vab_system: str = dataclasses.field(default="", repr=False)
    chat_turns: TurnsName = "usual"


@dataclasses.dataclass(frozen=True, slots=True)
class Prompt:
    """A conversation, or, where `messages` is empty, a text to continue.

    `ids` are the text's tokens, for a model whose tokenizer is known here, and `ends`
    those that end its answers. With `has_tools` the actions are the tools of the
    request, one per turn.
    """

    messages: tuple[Message, ...] = ()
    text: str = ""
    ids: tuple[int, ...] = ()
    has_tools: bool = False
    ends: tuple[int, ...] = ()

    @property
    def path(self) -> str:
        """Where an OpenAI-compatible server takes it."""
        return "chat/completions" if self.messages else "completions"

    def body(self) -> dict[str, Any]:
        """Return the request's fields for it."""
        if self.messages:
            tools = {"tools": list_tools(), "tool_choice": "required"}
            return {"messages": list(self.messages)} | (tools if self.has_tools else {})
        if self.ids:
            return {"prompt": list(self.ids)}
        return {"prompt": self.text, "stop": [END_OF_TURN]}


def compose(request: PolicyRequest, options: PromptOptions) -> Prompt:
    """Return the prompt as it is sent, without anything like a control token in pages.

    The published scripts leave such text in, so a page could end its own turn.
    """
    request = dataclasses.replace(
        request,
        instruction=without_controls(request.instruction),
        history=tuple(map(without_controls, request.history)),
        errors=tuple(map(without_controls, request.errors)),
        observation=without_controls(request.observation),
    )
    if options.prompt == "webrl":
        text = completion_prompt(
            request.instruction, request.history, request.observation
        )
        return Prompt(text=text)
    empty = dataclasses.replace(request, observation="")
    used = sum(map(_length, _conversation(empty, options)))
    room = options.max_prompt_tokens * CHARACTERS_PER_TOKEN - used
    page = request.observation[: max(room, 0)]
    cut = dataclasses.replace(request, observation=page)
    return Prompt(tuple(_conversation(cut, options)), has_tools=_has_tools(options))


def _has_tools(options: PromptOptions) -> bool:
    """The published prompts define the form of actions, so they get no tools."""
    return options.action_dialect == "tools" and options.prompt in ("manual", "plain")


def _length(message: Message) -> int:
    """Characters of a turn, the arguments of its calls included."""
    calls = message.get("tool_calls", ())
    return len(message["content"]) + sum(
        len(call["function"]["arguments"]) for call in calls
    )


def _conversation(request: PolicyRequest, options: PromptOptions) -> list[Message]:
    messages = _usual_turns(request, options)
    return take_turns(messages) if options.chat_turns == "alternating" else messages


def _usual_turns(request: PolicyRequest, options: PromptOptions) -> list[Message]:
    if options.prompt == "vab":
        return chat_messages(
            request.instruction,
            request.history,
            request.observation,
            options.vab_system,
        )
    if _has_tools(options) and options.chat_turns == "usual":
        messages = tool_messages(
            request.instruction, request.history, request.errors, request.observation
        )
    else:
        messages = build_messages(
            request.instruction,
            request.history,
            request.errors,
            request.observation,
            old_page=OLD_PAGES[options.observation],
        )
    if options.prompt == "plain":
        return messages  # As the trainer writes it.
    return [{"role": "system", "content": _manual(options)}, *alternate(messages)]


def _manual(options: PromptOptions) -> str:
    if _has_tools(options):
        return SYSTEM_PROMPT.format(page=PAGES[options.observation])
    return system_prompt(options.observation, options.action_dialect)
