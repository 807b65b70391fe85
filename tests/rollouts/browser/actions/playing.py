"""What the tests of actions do with an environment."""

from __future__ import annotations


async def error_of(environment, output):
    return (await environment.step(output))[4]["error"]


async def text_after(environment, *outputs):
    for output in outputs:
        observation, _, _, _, info = await environment.step(output)
        assert info["error"] == ""
    return observation.text
