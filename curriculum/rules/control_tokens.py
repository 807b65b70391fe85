"""Words that models behind an address may read as control tokens.

Their tokenizers are unknown here, so the published forms are removed: those of Llama 3,
Qwen, GLM, SmolLM and others (`<|im_start|>`), DeepSeek, Gemma and Mistral. `<s>` and
`</s>` stay: on pages they are tags.
"""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"<\|[\w-]{1,40}\|>"
    "|<\N{FULLWIDTH VERTICAL LINE}[^<>\\s]{1,60}\N{FULLWIDTH VERTICAL LINE}>"
    r"|</?(?:start|end)_of_(?:turn|image|text)>|<(?:bos|eos|sop|eop)>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|AVAILABLE_TOOLS|TOOL_RESULTS)\]"
    r"|\[gMASK\]"
)


def without_controls(text: str) -> str:
    """Return the text without anything like a control token, such as <|eot_id|>.

    >>> without_controls("a<|eot_id|>b")
    'a b'
    """
    return _CONTROL.sub(" ", text)
