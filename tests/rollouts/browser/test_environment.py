"""The environment's contract and its actions, in real Chromium."""

from __future__ import annotations

import asyncio
import dataclasses
import json

import pytest

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import EpisodeLimits, Recording
from rollouts.browser.errors import (
    BLOCKED,
    EpisodeBroken,
    HarnessBroken,
    SiteBroken,
)
from rollouts.browser.evaluators.magento import ShopInterface
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.types import Action, Observation
from tests.loopback import serving
from tests.rollouts.browser.tiny_site import do, redirect, status, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_the_environment_keeps_the_gymnasium_contract(environment, serve):
    serve("<a href=/b>Next</a>")
    rules = {
        "eval_types": ["string_match", "url_match"],
        "reference_answers": {"exact_match": "yes"},
        "reference_url": "__SHOP__/b",
    }
    observation, info = await environment.reset(task("/", **rules))
    assert isinstance(observation, Observation)
    assert info["timing"]["observe"] > 0
    observation, reward, terminated, truncated, info = await environment.step(
        do("Click", 0)
    )
    assert observation.url.endswith("/b")
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert info["action"] == Action("Click", 0)
    assert info["target_box"] is not None
    assert set(info["timing"]) == {"act", "settle", "observe"}
    assert (info["ended_by"], info["outcome"], info["checks"]) == (None, None, ())
    _, reward, terminated, truncated, info = await environment.step(
        'exit(message="Yes")'
    )
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert (info["ended_by"], info["answer"], info["outcome"]) == ("exit", "Yes", True)
    assert len(info["checks"]) == 2


async def test_step_needs_a_reset(environment):
    with pytest.raises(RuntimeError, match="reset"):
        await environment.step("exit()")


async def test_the_same_page_reads_the_same_after_a_reset(environment, serve):
    serve("<input aria-label=Name><button>Go</button>")
    first, _ = await environment.reset(task())
    await environment.step(do("Type", 0, "x"))
    again, _ = await environment.reset(task())
    assert again == first


async def test_cookies_and_storage_do_not_outlive_an_episode(environment, serve):
    serve(
        "<p></p><script>document.querySelector('p').textContent ="
        "document.cookie + localStorage.a; document.cookie='c=1'; localStorage.a=1;"
        "</script>"
    )
    for _ in range(2):
        observation, _ = await environment.reset(task())
        assert observation.text == "<p>undefined</p>"


async def test_a_task_may_start_in_several_tabs(environment, serve):
    serve("<h1>First</h1>", b="<h1>Second</h1>")
    several = dataclasses.replace(task(), start_url="__SHOP__/ |AND| __SHOP__/b")
    observation, _ = await environment.reset(several)
    assert "First" in observation.text
    observation, *_ = await environment.step(do("Switch Tab", argument="1"))
    assert "Second" in observation.text


async def test_several_tabs_are_named_above_the_page(environment, serve):
    serve("<p>First", b="<p>Second")
    several = dataclasses.replace(task(), start_url="__SHOP__/ |AND| __SHOP__/b")
    observation, _ = await environment.reset(several)
    assert observation.text == (
        '<tabs><tab number="0" active>Tiny</tab><tab number="1">Tiny</tab></tabs>'
        "<p>First</p>"
    )


async def test_a_tab_alone_is_not_named(environment, serve):
    serve("<p>First")
    observation, _ = await environment.reset(task())
    assert observation.text == "<p>First</p>"


async def test_a_tab_that_hangs_is_named_without_its_title(environment, serve):
    serve("<a href=/b target=_blank>Next</a>", b="<p>Second", c="<p>Third")
    await environment.reset(task())
    await environment.step(do("Click", 0))
    first = environment._episode.executor.pages[0]
    hang = "() => { console.log('hangs'); while (true) {} }"
    async with first.expect_console_message():
        hanging = asyncio.ensure_future(first.evaluate(hang))
    observation, *_ = await environment.step(do("Wait", argument="0"))
    assert '<tab number="0"></tab>' in observation.text
    hanging.cancel()


async def test_an_invalid_answer_is_a_wasted_step(environment, serve):
    serve("<a href=/b>Next</a>")
    first, _ = await environment.reset(task())
    observation, _, terminated, truncated, info = await environment.step("hm")
    assert observation == first
    assert (terminated, truncated) == (False, False)
    assert "no call" in info["error"]


@pytest.mark.parametrize(
    ("outputs", "limits", "ended_by"),
    [
        (["x", "y", "z"], EpisodeLimits(), "invalid"),
        (
            ["x", "y", do("Wait", argument="0"), "x", "y", "z"],
            EpisodeLimits(),
            "invalid",
        ),
        ([do("Hover", 0)] * 3, EpisodeLimits(), "repeated"),
        (
            [do("Hover", 0), do("Hover", 0), "x"] + [do("Hover", 0)] * 3,
            EpisodeLimits(),
            "repeated",
        ),
        (
            [do("Type", 0, "a"), do("Hover", 0), do("Search", 0, "b")],
            EpisodeLimits(typed=2),
            "repeated",
        ),
        (
            [
                do("Type", 0, "a"),
                do("Type", 0, "b"),
                do("Type", 1, "c"),
                do("Hover", 0),
            ],
            EpisodeLimits(steps=4),
            "step_limit",
        ),
        (
            [do("Type", 0, "a"), do("Type", 1, "b"), do("Hover", 0)],
            EpisodeLimits(typed=2, steps=3),
            "step_limit",
        ),
        ([do("Hover", 0), do("Click", 0)], EpisodeLimits(steps=2), "step_limit"),
        ([do("Hover", 0)], EpisodeLimits(seconds=0), "time_limit"),
        (["exit()"], EpisodeLimits(steps=1, seconds=0), "exit"),
    ],
)
async def test_an_episode_ends_for_one_reason(
    environment, serve, outputs, limits, ended_by
):
    serve("<a href=/>Home</a>")
    await environment.reset(task(), limits=limits)
    for output in outputs[:-1]:
        assert (await environment.step(output))[4]["ended_by"] is None
    _, _, terminated, truncated, info = await environment.step(outputs[-1])
    assert info["ended_by"] == ended_by
    assert (terminated, truncated) == (ended_by == "exit", ended_by != "exit")


async def test_an_extended_episode_ends_later(environment, serve):
    serve("<a href=/>Home</a>")
    await environment.reset(task(), limits=EpisodeLimits(seconds=0))
    environment.extend(60)
    assert (await environment.step(do("Hover", 0)))[4]["ended_by"] is None


async def test_a_truncated_episode_is_judged_without_an_answer(environment, serve):
    serve("<h1>Done</h1>")
    target = {
        "url": "last",
        "locator": "",
        "required_contents": {"must_include": ["done"]},
    }
    rules = {"eval_types": ["program_html"], "program_html": [target]}
    await environment.reset(task("/", **rules), limits=EpisodeLimits(steps=1))
    _, reward, _, truncated, info = await environment.step(do("Wait", argument="0"))
    assert (reward, truncated, info["outcome"], info["answer"]) == (1.0, True, True, "")


async def test_program_html_reads_other_pages_in_a_tab_of_their_own(environment, serve):
    site = serve("<p>here</p>", there="<p id=a>Five <i>mugs</i></p>")
    target = {
        "url": "__SHOP__/there",
        "locator": 'document.querySelector("#a").outerText',
        "required_contents": {"exact_match": "five mugs"},
    }
    rules = {"eval_types": ["program_html"], "program_html": [target]}
    await environment.reset(task("/", **rules))
    observation, reward, _, _, info = await environment.step("exit()")
    assert (reward, info["checks"][0].got) == (1.0, "Five mugs")
    assert observation.url == f"{site.url}/"


async def test_the_shops_own_interface_names_the_order_to_read(pool, site, serve):
    serve("", **{"sales/order/view/order_id/7/": "<p>SKU B1</p>"})
    target = {
        "url": "func:shopping_get_latest_order_url()",
        "locator": "",
        "required_contents": {"must_include": ["SKU B1"]},
    }
    rules = {"eval_types": ["program_html"], "program_html": [target]}
    orders = json.dumps({"items": [{"increment_id": "000000007"}]})
    with serving(lambda *_: (200, orders)) as url:
        environment = BrowserEnvironment(
            pool,
            ExternalHost({"shop": site.url}),
            shops={"shop": ShopInterface(url, "token")},
        )
        await environment.reset(task("/", **rules))
        _, reward, *_ = await environment.step("exit()")
        await environment.close()
    assert reward == 1.0


@pytest.mark.parametrize(
    ("url", "locator", "got"),
    [
        ("http://elsewhere.example/", "", ""),
        ("__SHOP__/there", 'document.querySelector("p[").value', ""),
    ],
)
async def test_what_program_html_cannot_read_fails(
    environment, serve, url, locator, got
):
    serve("", there="<p>x</p>")
    required = {"exact_match": "x"}
    target = {"url": url, "locator": locator, "required_contents": required}
    rules = {"eval_types": ["program_html"], "program_html": [target]}
    await environment.reset(task("/", **rules))
    _, reward, _, _, info = await environment.step("exit()")
    assert (reward, info["outcome"], info["checks"][0].got) == (0.0, False, got)


async def test_dialogs_are_agreed_to(environment, serve):
    serve("<button onclick=\"document.title = confirm('Sure?')\">Delete</button>")
    await environment.reset(task())
    observation, *_ = await environment.step(do("Click", 0))
    assert observation.title == "true"


async def test_a_link_out_of_the_site_is_refused_and_explained(environment, serve):
    serve("<a href=http://elsewhere.example/>Out</a>")
    first, _ = await environment.reset(task())
    observation, _, terminated, truncated, info = await environment.step(do("Click", 0))
    assert info["error"] == BLOCKED
    assert (observation.text, terminated, truncated) == (first.text, False, False)


async def test_a_new_tab_out_of_the_site_is_closed_again(environment, serve):
    serve("<a href=http://elsewhere.example/ target=_blank>Out</a>")
    first, _ = await environment.reset(task())
    observation, _, _, _, info = await environment.step(do("Click", 0))
    assert (info["error"], observation.text) == (BLOCKED, first.text)


@pytest.mark.parametrize("page", [status(500), redirect("http://elsewhere.example/")])
async def test_a_site_that_fails_at_the_start_is_no_failure_of_the_agent(
    environment, serve, page
):
    serve("<a href=/>A</a>", b=page)
    with pytest.raises(SiteBroken) as broken:
        await environment.reset(task("/b"))
    assert broken.value.site == "shop"


async def test_a_site_that_fails_later_ends_the_episode(environment, serve):
    serve("<a href=/b>A</a>", b=status(503))
    await environment.reset(task())
    with pytest.raises(SiteBroken, match="answered 503") as broken:
        await environment.step(do("Click", 0))
    assert broken.value.site == "shop"
    with pytest.raises(RuntimeError, match="reset"):
        await environment.step(do("Click", 0))


async def test_a_missing_page_is_a_page(environment, serve):
    serve("", b=status(404))
    assert (await environment.reset(task("/b")))[0].text == "<pre>no</pre>"


async def test_a_hung_page_is_given_up_at_the_deadline(environment, serve):
    serve("<button onclick='for (;;) {}'>Hang</button>")
    await environment.reset(task(), limits=EpisodeLimits(deadline_s=1.0))
    with pytest.raises(SiteBroken, match="did not answer for 1 s") as broken:
        await environment.step(do("Click", 0))
    assert broken.value.site == "shop"


async def test_a_killed_browser_breaks_the_episode_and_not_the_next(
    environment, serve, pool
):
    serve("<button>A</button>")
    first, _ = await environment.reset(task())
    pool.kill()
    with pytest.raises(HarnessBroken):
        await environment.step(do("Click", 0))
    assert (await environment.reset(task()))[0].text == first.text


async def test_a_home_that_leads_out_of_the_site_is_refused(environment, serve):
    serve(redirect("http://elsewhere.example/"), b="<h1>B</h1>")
    await environment.reset(task("/b"))
    observation, _, _, _, info = await environment.step(do("Go Home"))
    assert (info["error"], observation.text) == (BLOCKED, "<h1>B</h1>")


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>", ""),
        ("text/plain", "1 < 2", "<pre>1 &lt; 2</pre>"),
        ("application/json", '{"a": 1}', '{"a": 1}'),
        ("application/xml", "<a>b</a>", ""),
    ],
)
async def test_what_is_no_page_is_observed_all_the_same(
    environment, serve, kind, body, text
):
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}"
    serve("", b=f"{head}\r\n\r\n{body}".encode())
    recording = Recording(snapshots=True)
    observation, _ = await environment.reset(task("/b"), recording=recording)
    assert text in observation.text


async def test_a_page_that_may_not_close_its_tab_stays(environment, serve):
    serve("<a href=/b>B</a>", b="<button onclick='window.close()'>Close</button>")
    await environment.reset(task())
    before, *_ = await environment.step(do("Click", 0))
    observation, _, _, _, info = await environment.step(do("Click", 0))
    assert (info["error"], observation.text) == ("", before.text)


async def test_an_episode_without_a_tab_is_broken(environment, serve):
    serve("<button>A</button>")
    await environment.reset(task())
    await environment._episode.executor.page.close()
    with pytest.raises(EpisodeBroken):
        await environment.step(do("Click", 0))


@pytest.mark.parametrize(
    ("rule_set", "ended_by"), [("browsergym", "solved"), ("webarena", None)]
)
async def test_success_ends_an_episode_under_browsergyms_rules(
    environment, serve, rule_set, ended_by
):
    site = serve("<a href=/b>Next</a>", b="<p>Here</p>")
    rules = {"eval_types": ["url_match"], "reference_url": f"{site.url}/b"}
    spec = {"rule_set": rule_set, "eval": rules}
    await environment.reset(dataclasses.replace(task(), spec=spec))

    _, _, terminated, _, info = await environment.step('do(action="Wait")')
    assert (terminated, info["ended_by"]) == (False, None)
    _, reward, terminated, _, info = await environment.step(
        'do(action="Click", element="0")'
    )

    assert info["ended_by"] == ended_by
    assert (reward, terminated) == ((1.0, True) if ended_by else (0.0, False))
