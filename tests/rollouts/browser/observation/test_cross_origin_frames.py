"""Frames: seen, used and recorded like the page around them, in real Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import Recording
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.observation.observations import ObservationOptions
from rollouts.browser.process.pool import BrowserPool
from tests.rollouts.browser.tiny_site import TinySite, do, respond, task
from webrl_site.recorded.pages import POLICY

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PLAIN = "<style>body{margin:0} iframe{border:0;padding:0;margin:0}</style>"
FORM = (
    f"{PLAIN}<h1>Inside</h1><input aria-label=Name "
    "oninput=\"document.title = 'saw ' + this.value\">"
    "<select aria-label=Size><option>S<option>L</select>"
    "<button onclick=\"this.textContent = 'Pressed'\">Press</button>"
)


def hosts(site: TinySite) -> ExternalHost:
    return ExternalHost({"shop": site.url, "forum": other(site)})


def other(site: TinySite) -> str:
    """The same pages at another origin."""
    return site.url.replace("shop.", "forum.")


@pytest_asyncio.fixture(loop_scope="session")
async def environment(
    pool: BrowserPool, site: TinySite
) -> AsyncIterator[BrowserEnvironment]:
    environment = BrowserEnvironment(pool, hosts(site))
    yield environment
    await environment.close()


@pytest.fixture(params=["same origin", "other origin"])
def origin(request, site):
    return site.url if request.param == "same origin" else other(site)


async def act(environment, *outputs):
    for output in outputs:
        observation, _, _, _, info = await environment.step(output)
        assert info["error"] == ""
    return observation


async def error_of(environment, output):
    return (await environment.step(output))[4]["error"]


async def test_a_frame_is_read_at_its_place(environment, serve, origin):
    serve(
        f"<a href=/>Before</a><iframe src={origin}/in title=Form></iframe>"
        "<a href=/>After</a>",
        **{"in": "<h1>Inside</h1><button>Press</button>"},
    )
    observation, _ = await environment.reset(task())
    assert observation.text == (
        '<a id="0">Before</a><iframe title="Form"><h1>Inside</h1>'
        '<button id="1">Press</button></iframe><a id="2">After</a>'
    )
    assert [element.text for element in observation.elements] == [
        *("Before", "Press", "After")
    ]


async def test_an_element_in_a_frame_is_used(environment, serve, origin):
    serve(
        f"{PLAIN}<p style='height:100px'>Top</p>"
        f"<iframe src={origin}/in style='margin-left:200px;border:9px solid'></iframe>",
        **{"in": FORM},
    )
    first, _ = await environment.reset(task())
    assert first.elements[0].box[0] >= 209
    assert first.elements[0].box[1] >= 109
    seen = await act(
        environment,
        do("Type", 0, "Ann"),
        do("Select Dropdown Option", 1, "L"),
        do("Click", 2),
    )
    assert 'value="Ann"' in seen.text
    assert "<option selected>L</option>" in seen.text
    assert '<button id="2">Pressed</button>' in seen.text


async def test_an_answered_search_in_a_frame_stays_in_the_frame(
    environment, serve, origin
):
    site = serve(
        f"<h1>Around</h1><iframe src={origin}/in></iframe>",
        **{"in": "<form action=/find><input name=q></form>"},
        find="<h1>Found</h1>",
    )
    await environment.reset(task())
    seen = await act(environment, do("Search", 0, "mug"))
    assert seen.text == "<h1>Around</h1><iframe><h1>Found</h1></iframe>"
    assert "GET /find?q=mug" in site.requests


async def test_frames_within_frames_are_used(environment, serve, site):
    """The page, another origin in it, the page's origin in that, and again."""
    frame = f"{PLAIN}<iframe style='padding:20px;height:70vh;width:90%' src="
    serve(
        f"{frame}{other(site)}/a>",
        a=f"{frame}{site.url}/b>",
        b=f"{frame}/c>",
        c="<button onclick=\"this.textContent = 'Pressed'\">Press</button>",
    )
    first, _ = await environment.reset(task())
    x, y, _, _ = first.elements[0].box
    assert (x, y) == (68, 68)
    seen = await act(environment, do("Click", 0))
    assert '<button id="0">Pressed</button>' in seen.text


async def test_a_frame_that_is_covered_is_not_used(environment, serve, origin):
    serve(
        f"{PLAIN}<iframe src={origin}/in></iframe>"
        "<div style='position:fixed;inset:0;background:white'>Wait</div>",
        **{"in": "<button>Press</button>"},
    )
    observation, _ = await environment.reset(task())
    assert observation.elements == ()
    assert observation.text.endswith("Wait")


async def test_a_cover_that_came_later_is_named(environment, serve, origin):
    serve(
        f"{PLAIN}<iframe src={origin}/in></iframe><div id=late style='position:fixed;"
        "inset:0;background:white;display:none'>Cookies!</div>",
        **{"in": "<button>Press</button>"},
    )
    await environment.reset(task())
    page = environment._episode.executor.page
    await page.evaluate("late.style.display = 'block'")
    error = await error_of(environment, do("Click", 0))
    assert error == 'Element 0 is covered by <div> "Cookies!".'


async def test_an_element_is_clicked_where_the_cover_leaves_it_free(
    environment, serve, origin
):
    serve(
        f"{PLAIN}<iframe src={origin}/in style='width:400px'></iframe>"
        "<div style='position:fixed;left:60px;top:0;width:400px;height:200px'></div>",
        **{
            "in": f"{PLAIN}<button style='width:200px' "
            "onclick=\"this.textContent = 'Pressed'\">Press</button>"
        },
    )
    await environment.reset(task())
    assert "Pressed" in (await act(environment, do("Click", 0))).text


async def test_a_frame_that_went_on_explains_itself(environment, serve, origin):
    serve(
        f"<iframe id=f src={origin}/in></iframe>",
        **{"in": "<button>Press</button>"},
        later="<p>Later</p>",
    )
    await environment.reset(task())
    page = environment._episode.executor.page
    await page.evaluate("u => { f.src = u }", f"{origin}/later")
    await page.frames[1].wait_for_url("**/later")
    assert "Element 0 is gone" in await error_of(environment, do("Click", 0))


async def test_a_frame_that_was_taken_away_explains_itself(environment, serve, origin):
    serve(f"<iframe id=f src={origin}/in></iframe>", **{"in": "<button>Press</button>"})
    await environment.reset(task())
    await environment._episode.executor.page.evaluate("f.remove()")
    assert "Element 0 is gone" in await error_of(environment, do("Click", 0))


async def test_what_a_frame_does_not_show_is_scrolled_to(environment, serve, origin):
    serve(
        f"{PLAIN}<h1>Top</h1><iframe src={origin}/in style='width:99%;height:600px'>",
        **{"in": "<p>First</p><p style='margin-top:900px'>Last</p>"},
    )
    first, _ = await environment.reset(task())
    assert "Last" not in first.text
    seen = await act(environment, do("Scroll Down"))
    assert "<h1>Top</h1>" in seen.text
    assert "Last" in seen.text
    assert "bottom" in await error_of(environment, do("Scroll Down"))
    assert "First" in (await act(environment, do("Scroll Up"))).text


async def test_a_frame_at_its_end_leaves_the_scrolling_to_the_page(
    environment, serve, origin
):
    serve(
        f"<iframe src={origin}/in style='width:99%;height:600px'></iframe>"
        "<p style='margin-top:400px'>Below</p>",
        **{"in": "<p>Inside</p>"},
    )
    await environment.reset(task())
    assert "Below" in (await act(environment, do("Scroll Down"))).text


async def test_on_the_whole_page_an_action_scrolls_frames_too(
    pool, site, serve, origin
):
    serve(
        f"<p style='height:2000px'>Top</p><iframe src={origin}/in></iframe>",
        **{"in": f"<p style='height:900px'>In</p>{FORM}"},
    )
    whole = ObservationOptions(whole_page=True)
    environment = BrowserEnvironment(pool, hosts(site), options=whole)
    first, _ = await environment.reset(task())
    seen = await act(environment, do("Type", 0, "Ann"), do("Click", 2))
    await environment.close()
    assert "<p>Top</p>" in first.text
    assert 'value="Ann"' in seen.text
    assert "Pressed" in seen.text


async def test_a_frame_that_cannot_be_read_is_an_element(environment, serve):
    serve("<iframe src=http://elsewhere.example/ title=Advert></iframe>")
    observation, _ = await environment.reset(task())
    assert observation.text == '<iframe id="0" title="Advert"/>'
    assert await error_of(environment, do("Click", 0)) == ""


@pytest.mark.parametrize(
    "html",
    [
        "<iframe srcdoc='<button>Press</button>'></iframe>",
        "<iframe srcdoc='<button>Press</button>' sandbox></iframe>",
        "<iframe srcdoc='<button>Press</button>' sandbox=allow-scripts></iframe>",
        "<iframe id=f></iframe><script>f.contentDocument.write('<button>Press')"
        ";f.contentDocument.close()</script>",
        "<iframe id=f></iframe><script>f.contentDocument.body.innerHTML = "
        "'<button>Press'</script>",
    ],
)
async def test_pages_without_an_address_are_frames_too(environment, serve, html):
    serve(html)
    observation, _ = await environment.reset(task())
    assert observation.text == '<iframe><button id="0">Press</button></iframe>'
    assert await error_of(environment, do("Click", 0)) == ""


async def test_a_frame_made_smaller_is_clicked_where_it_is(environment, serve, origin):
    serve(
        f"{PLAIN}<iframe src={origin}/in style='width:800px;height:600px;"
        "transform:scale(.5);transform-origin:0 0'></iframe>",
        **{
            "in": f"{PLAIN}<button style='margin:400px 0 0 600px' "
            "onclick=\"this.textContent = 'Pressed'\">Press</button>"
        },
    )
    observation, _ = await environment.reset(task())
    assert observation.elements[0].box[:2] == (300, 200)
    assert "Pressed" in (await act(environment, do("Click", 0))).text


async def test_what_a_click_in_a_frame_sets_off_is_waited_for(
    environment, serve, origin
):
    serve(
        f"<iframe src={origin}/in></iframe>",
        **{
            "in": "<button onclick=\"setTimeout(() => fetch('/').then(() => {"
            " this.textContent = 'Done' }), 50)\">Go</button>"
        },
    )
    await environment.reset(task())
    assert "Done" in (await act(environment, do("Click", 0))).text


@pytest.mark.parametrize("target", ["_top", "_parent"])
async def test_a_link_out_of_a_frame_is_followed(environment, serve, origin, target):
    serve(
        f"<iframe src={origin}/in></iframe>",
        **{"in": f"<a href=/b target={target}>Out</a>"},
        b="<h1>B</h1>",
    )
    await environment.reset(task())
    assert (await act(environment, do("Click", 0))).text == "<h1>B</h1>"


async def test_a_tab_that_a_frame_opens_becomes_the_active_one(
    environment, serve, origin
):
    serve(
        f"<iframe src={origin}/in></iframe>",
        **{"in": "<a href=/b target=_blank>Out</a>"},
        b="<h1>B</h1>",
    )
    await environment.reset(task())
    seen = await act(environment, do("Click", 0))
    assert seen.text.endswith("</tabs><h1>B</h1>")


async def test_a_recorded_page_shows_what_its_frames_held(environment, serve, origin):
    serve(
        f"<iframe id=f src={origin}/in onload=1></iframe>",
        **{"in": "<input id=a><b onclick=1>Text</b><script>a.value='typed'</script>"},
    )
    recording = Recording(snapshots=True)
    observation, _ = await environment.reset(task(), recording=recording)
    page = await environment._episode.lease.context.new_page()
    await page.set_content(observation.snapshot)
    inside = page.frames[1]
    assert await inside.locator("input").get_attribute("value") == "typed"
    assert await inside.locator("b").inner_text() == "Text"
    for forbidden in ("<script", "onclick", "onload", "/in"):
        assert forbidden not in observation.snapshot


async def test_the_replay_shows_the_frames_of_a_page(environment, serve, site):
    serve(
        f"<iframe src={other(site)}/in></iframe>",
        **{"in": "<style>b{color:green}</style><p><b>Text</b>"},
    )
    recording = Recording(snapshots=True)
    observation, _ = await environment.reset(task(), recording=recording)
    policy = f"Content-Security-Policy: {POLICY}"
    site.pages["/replay"] = respond(observation.snapshot, policy)
    page = await environment._episode.lease.context.new_page()
    await page.goto(f"{site.url}/replay")
    await expect(page.frames[1].locator("b")).to_have_css("color", "rgb(0, 128, 0)")


async def test_a_frame_that_was_not_recorded_says_so(environment, serve):
    serve("<iframe src=http://elsewhere.example/></iframe>")
    recording = Recording(snapshots=True)
    observation, _ = await environment.reset(task(), recording=recording)
    assert "This frame was not recorded." in observation.snapshot


async def test_a_frame_may_not_write_itself_into_the_page(environment, serve, site):
    """What another origin says of itself stays text."""
    serve(
        f"<iframe src={other(site)}/in></iframe>",
        **{
            "in": "<script>const real = JSON.stringify; JSON.stringify = (v, ...more)"
            ' => v.parts ? real({...v, parts: [{tag: \'a id="9" onclick="\', '
            "parts: ['<b>'], attributes: []}]}) : real(v, ...more)</script>"
        },
    )
    observation, _ = await environment.reset(task())
    assert observation.text == "<iframe><div>&lt;b&gt;</div></iframe>"
