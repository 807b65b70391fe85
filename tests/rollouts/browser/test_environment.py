"""The environment's contract and its actions, in real Chromium."""

from __future__ import annotations

import pytest

from rollouts.browser.environment import BLOCKED
from rollouts.browser.episode import EpisodeLimits
from rollouts.browser.errors import HarnessBroken, SiteBroken
from rollouts.browser.types import Action, Observation
from tests.rollouts.browser.tiny_site import redirect, status, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


def do(action, element=None, argument=None):
    parts = [f'action="{action}"']
    if argument is not None:
        parts.append(f'argument="{argument}"')
    if element is not None:
        parts.append(f'element="{element}"')
    return f"do({', '.join(parts)})"


async def error_of(environment, output):
    return (await environment.step(output))[4]["error"]


async def text_after(environment, *outputs):
    for output in outputs:
        observation, _, _, _, info = await environment.step(output)
        assert info["error"] == ""
    return observation.text


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
    assert set(info["timing"]) == {"act", "settle", "observe", "total"}
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


async def test_type_replaces_the_text_of_a_field(environment, serve):
    serve("<input aria-label=Name value=old>")
    await environment.reset(task())
    text = await text_after(environment, do("Type", 0, 'Ann \\"B\\"'))
    assert text == '<input id="0" label="Name" value="Ann &quot;B&quot;"/>'
    assert "value" not in await text_after(environment, do("Type", 0, ""))


async def test_typing_is_seen_by_the_page(environment, serve):
    serve("<input oninput=\"document.title='saw ' + this.value\">")
    await environment.reset(task())
    observation, *_ = await environment.step(do("Type", 0, "abc"))
    assert observation.title == "saw abc"


@pytest.mark.parametrize(
    ("html", "argument", "shown"),
    [
        ("<input type=date>", "2024-05-06", 'value="2024-05-06"'),
        ("<input type=number>", "12", 'value="12"'),
        ("<textarea></textarea>", "a\\nb", 'value="a b"'),
        ("<div contenteditable>old</div>", "new", ">new</div>"),
    ],
)
async def test_every_kind_of_field_takes_text(
    environment, serve, html, argument, shown
):
    serve(html)
    await environment.reset(task())
    assert shown in await text_after(environment, do("Type", 0, argument))


async def test_search_types_and_submits(environment, serve):
    site = serve("<form action=/find><input name=q></form>")
    await environment.reset(task())
    await text_after(environment, do("Search", 0, "blue mug"))
    assert site.requests[-1] == "GET /find?q=blue+mug"


async def test_press_enter_submits_the_focused_form(environment, serve):
    site = serve("<form action=/find><input name=q></form>")
    await environment.reset(task())
    await text_after(environment, do("Type", 0, "x"), do("Press Enter"))
    assert site.requests[-1] == "GET /find?q=x"


async def test_a_posted_form_is_followed_to_where_it_leads(environment, serve):
    site = serve(
        "<form method=post action=/add><input name=n><button>Add</button></form>",
        add=redirect("/cart"),
        cart="<h1>Cart</h1>",
    )
    await environment.reset(task())
    text = await text_after(environment, do("Type", 0, "2"), do("Click", 1))
    assert text == "<h1>Cart</h1>"
    assert "POST /add n=2" in site.requests


SELECT = (
    '<select onchange="document.title=this.value" aria-label=Sort>'
    "<option value=n>Newest<option value=p>Price, low<option value=q disabled>Price"
    "</select>"
)


@pytest.mark.parametrize("wanted", ["Price, low", "price", " PRICE, LOW ", "p"])
async def test_options_are_chosen_by_their_text(environment, serve, wanted):
    serve(SELECT)
    await environment.reset(task())
    output = do("Select Dropdown Option", 0, wanted)
    observation, _, _, _, info = await environment.step(output)
    assert (info["error"], observation.title) == ("", "p")
    assert "<option selected>Price, low</option>" in observation.text


async def test_scrolling_shows_what_is_below_and_says_when_it_is_over(
    environment, serve
):
    serve("<p>top</p><div style='height:700px'></div><a href=/>low</a>")
    await environment.reset(task())
    assert await text_after(environment, do("Scroll Down")) == '<a id="0">low</a>'
    assert "already at its bottom" in await error_of(environment, do("Scroll Down"))
    assert "<p>top</p>" in await text_after(environment, do("Scroll Up"))
    assert "already at its top" in await error_of(environment, do("Scroll Up"))


async def test_a_list_that_scrolls_by_itself_is_scrolled(environment, serve):
    serve(
        "<div style='height:700px;overflow:auto'><p>top</p>"
        "<p style='margin-top:900px'>low</p></div>"
    )
    await environment.reset(task())
    assert await text_after(environment, do("Scroll Down")) == "<p>low</p>"


async def test_hover_opens_what_hovering_opens(environment, serve):
    serve(
        "<style>nav p{display:none} nav:hover p{display:block}</style>"
        "<nav><a href=/>Menu</a><p>Items</p></nav>"
    )
    await environment.reset(task())
    assert "Items" in await text_after(environment, do("Hover", 0))


async def test_right_click_is_told_to_the_page(environment, serve):
    serve("<button oncontextmenu=\"document.title='menu'\">A</button>")
    await environment.reset(task())
    observation, *_ = await environment.step(do("Right Click", 0))
    assert observation.title == "menu"


async def test_the_agent_can_go_back_forward_and_home(environment, serve):
    serve("<a href=/b>B</a>", b="<h1>B</h1>", c="<a href=/b>x</a>")
    await environment.reset(task("/c"))
    assert "no page to go back" in await error_of(environment, "go_backward()")
    assert await text_after(environment, do("Click", 0)) == "<h1>B</h1>"
    assert "no page to go forward" in await error_of(environment, "go_forward()")
    assert await text_after(environment, "go_backward()") == '<a id="0">x</a>'
    assert await text_after(environment, "go_forward()") == "<h1>B</h1>"
    assert await text_after(environment, do("Go Home")) == '<a id="0">B</a>'


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/b target=_blank>B</a>",
        "<a href=/b target=_blank rel=noopener>B</a>",
        "<button onclick=\"window.open('/b')\">B</button>",
    ],
)
async def test_a_new_tab_becomes_the_active_one(environment, serve, html):
    serve(html, b="<h1>B</h1><button onclick='window.close()'>Close</button>")
    first, _ = await environment.reset(task())
    assert "<h1>B</h1>" in await text_after(environment, do("Click", 0))
    assert await text_after(environment, do("Switch Tab", argument="0")) == first.text
    assert "<h1>B</h1>" in await text_after(environment, do("Switch Tab", argument="1"))
    assert "no tab '2'" in await error_of(environment, do("Switch Tab", argument="2"))
    assert "no tab 'x'" in await error_of(environment, do("Switch Tab", argument="x"))


async def test_a_tab_that_closes_itself_leads_back(environment, serve):
    serve(
        "<button onclick=\"window.open('/b')\">B</button>",
        b="<button onclick='window.close()'>Close</button>",
    )
    first, _ = await environment.reset(task())
    await text_after(environment, do("Click", 0))
    assert await text_after(environment, do("Click", 0)) == first.text


@pytest.mark.parametrize(
    ("argument", "error"),
    [("11", "0 to 10 seconds"), ("soon", "number of seconds"), ("nan", "0 to 10")],
)
async def test_wait_takes_a_short_time(environment, serve, argument, error):
    serve("")
    await environment.reset(task())
    assert error in await error_of(environment, do("Wait", argument=argument))


async def test_wait_waits(environment, serve):
    serve("<p>a</p><script>setTimeout(() => document.title = 'late', 700)</script>")
    await environment.reset(task())
    observation, *_ = await environment.step(do("Wait"))
    assert observation.title == "late"


@pytest.mark.parametrize(
    "script",
    [
        "fetch('/slow').then(r => r.text()).then(() => { p.textContent = 'done' })",
        "x = new XMLHttpRequest(); x.open('GET', '/'); x.onload ="
        " () => { p.textContent = 'done' }; x.send()",
        "setTimeout(() => { p.textContent = 'done' }, 120)",
        "Promise.resolve().then(() => { p.textContent = 'done' })",
        "setTimeout(() => fetch('/').then(() => { p.textContent = 'done' }), 30)",
    ],
)
async def test_what_a_click_sets_off_is_waited_for(environment, serve, script):
    serve(f'<p id=p>before</p><button onclick="{script}">Go</button>')
    await environment.reset(task())
    assert "<p>done</p>" in await text_after(environment, do("Click", 0))


async def test_a_page_that_never_rests_is_observed_all_the_same(environment, serve):
    serve(
        "<p id=p></p><script>setInterval(() => p.textContent = Date.now(), 5);"
        "(function again() { setTimeout(again, 1) })()</script>"
    )
    observation, info = await environment.reset(task())
    assert observation.text.startswith("<p>")
    assert info["timing"]["observe"] < 2000


@pytest.mark.parametrize(
    ("html", "output", "error"),
    [
        ("", do("Click", 0), "no elements with an id"),
        (
            "<a href=/>A</a>",
            do("Click", 3),
            "no element 3 on this page; ids run from 0 to 0",
        ),
        (
            "<button disabled>Buy</button>",
            do("Click", 0),
            'Element 0 (<button> "Buy") is disabled',
        ),
        ("<a href=/>A</a>", do("Type", 0, "x"), 'Element 0 (<a> "A") takes no text'),
        ("<input readonly>", do("Type", 0, "x"), "is read-only"),
        ("<input type=date>", do("Type", 0, "soon"), 'does not accept "soon"'),
        (
            SELECT,
            do("Click", 0),
            'use "Select Dropdown Option" with one of: "Newest", "Price, low"',
        ),
        (
            SELECT,
            do("Select Dropdown Option", 0, "Size"),
            'no option "Size"; it has: "Newest"',
        ),
        (
            "<a href=/>A</a>",
            do("Select Dropdown Option", 0, "x"),
            "is not a drop-down list",
        ),
        ("<input type=file>", do("Click", 0), "asks for a file"),
    ],
)
async def test_a_failed_action_explains_itself(environment, serve, html, output, error):
    serve(html)
    await environment.reset(task())
    assert error in await error_of(environment, output)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ("a.remove()", "is gone since"),
        ("a.style.display = 'none'", "is hidden now"),
        (
            "a.style.position = 'fixed'; a.style.top = '-99px'",
            "outside the visible part",
        ),
        (
            "document.body.insertAdjacentHTML('beforeend', '<dialog open style="
            "position:fixed;inset:0;width:99%;height:99%>Cookies!</dialog>')",
            'Element 0 is covered by <dialog> "Cookies!"',
        ),
    ],
)
async def test_a_page_that_changed_since_it_was_observed_explains_itself(
    environment, serve, change, error
):
    page = f"<a href=/ id=a>A</a><script>setTimeout(() => {{ {change} }}, 600)</script>"
    serve(page.replace("style=p", 'style="p').replace("99%>", '99%">'))
    await environment.reset(task())
    episode_page = environment._episode.executor.page
    await episode_page.wait_for_timeout(650)
    assert error in await error_of(environment, do("Click", 0))


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
    with pytest.raises(SiteBroken):
        await environment.reset(task("/b"))


async def test_a_site_that_fails_later_ends_the_episode(environment, serve):
    serve("<a href=/b>A</a>", b=status(503))
    await environment.reset(task())
    with pytest.raises(SiteBroken, match="answered 503"):
        await environment.step(do("Click", 0))
    with pytest.raises(RuntimeError, match="reset"):
        await environment.step(do("Click", 0))


async def test_a_missing_page_is_a_page(environment, serve):
    serve("", b=status(404))
    assert (await environment.reset(task("/b")))[0].text == "<pre>no</pre>"


async def test_a_hung_page_is_given_up_at_the_deadline(environment, serve):
    serve("<button onclick='for (;;) {}'>Hang</button>")
    await environment.reset(task(), limits=EpisodeLimits(deadline_s=1.0))
    with pytest.raises(SiteBroken, match="did not answer for 1 s"):
        await environment.step(do("Click", 0))


async def test_a_killed_browser_breaks_the_episode_and_not_the_next(
    environment, serve, pool
):
    serve("<button>A</button>")
    first, _ = await environment.reset(task())
    pool.kill()
    with pytest.raises(HarnessBroken):
        await environment.step(do("Click", 0))
    assert (await environment.reset(task()))[0].text == first.text
