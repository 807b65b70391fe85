"""Going back: by the agent, from error pages, in frames, in real Chromium."""

from __future__ import annotations

import pytest

from rollouts.browser.errors import BLOCKED
from tests.rollouts.browser.tiny_site import do, respond, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

OUT = "<a href=http://elsewhere.example/>Out</a>"
FORM = "<form method=post action=/answer><button>Send</button></form>"


def tell_method(head, body):
    """Tell how it was asked, in an answer that nobody may keep."""
    return respond(f"<p>{head.split()[0]}</p>{OUT}{FORM}", "Cache-Control: no-store")


async def test_an_agent_comes_back_to_the_address_of_a_form_s_answer(
    environment, serve
):
    serve(FORM, answer=tell_method)
    await environment.reset(task())
    observation, *_ = await environment.step(do("Click", 0))
    assert "<p>POST</p>" in observation.text
    observation, _, _, _, info = await environment.step(do("Click", 0))
    assert info["error"] == BLOCKED
    assert "<p>GET</p>" in observation.text


async def test_a_page_that_leads_out_by_itself_is_shown_again(environment, serve):
    out = "<script>setTimeout(() => { location = 'http://o.example/'; }, 700)</script>"
    serve("<a href=/b>B</a>", b=f"<p>B</p>{out}")
    await environment.reset(task())
    await environment.step(do("Click", 0))
    observation, _, _, _, info = await environment.step(do("Wait", argument="2"))
    assert (observation.text, info["error"]) == ("<p>B</p>", BLOCKED)


async def test_going_back_in_a_frame_is_not_waited_for_in_vain(environment, serve):
    serve("<iframe src=/b></iframe>", b="<a href=/c>B</a>", c="<p>C</p>")
    await environment.reset(task())
    observation, *_ = await environment.step(do("Click", 0))
    assert "<p>C</p>" in observation.text
    observation, _, _, _, info = await environment.step("go_backward()")
    assert ("B</a>" in observation.text, info["error"]) == (True, "")
    observation, _, _, _, info = await environment.step("go_forward()")
    assert ("<p>C</p>" in observation.text, info["error"]) == (True, "")


async def test_going_back_may_lead_to_the_same_address(environment, serve):
    serve(tell_method, answer=tell_method)
    await environment.reset(task())
    await environment.step(do("Click", 1))
    await environment.step(do("Click", 1))
    observation, _, _, _, info = await environment.step("go_backward()")
    assert info["error"] == BLOCKED
    observation, *_ = await environment.step("go_backward()")
    assert "<p>GET</p>" in observation.text
