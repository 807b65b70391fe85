"""Recorded pages show what open shadow roots held, cleaned as all the rest."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from rollouts.browser.episode import Recording
from tests.rollouts.browser.tiny_site import respond, task
from webrl_site.recorded.inert import make_inert
from webrl_site.recorded.pages import POLICY

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

WIDGETS = """<style>b {{ color: red }}</style><my-box><i>Light</i></my-box><script>
const make = (host, html) => {{
  const root = host.attachShadow({{ mode: "open" }});
  root.innerHTML = html;
  return root;
}};
const root = make(document.querySelector("my-box"), `{shadow}`);
{script}</script>"""


async def record(environment, serve, shadow, script="", **others):
    """Return a page as it is recorded, with `shadow` in a shadow root."""
    serve(WIDGETS.format(shadow=shadow, script=script), **others)
    recording = Recording(snapshots=True)
    return (await environment.reset(task(), recording=recording))[0].snapshot


async def replay(environment, site, html, *headers):
    """Open a recorded page as the replay does."""
    site.pages["/replay"] = respond(html, *headers)
    site.requests.clear()
    page = await environment._episode.lease.context.new_page()
    await page.goto(f"{site.url}/replay")
    return page


@pytest.mark.parametrize("change", [str, make_inert])
async def test_the_replay_shows_what_shadow_roots_held(
    environment, serve, site, change
):
    html = await record(
        environment,
        serve,
        "<style>b { font-size: 30px }</style><b>Deep</b><slot></slot><div></div>"
        "<input id=a><input id=p type=password>",
        "root.getElementById('a').value = 'typed';"
        "root.getElementById('p').value = 'secret';"
        "make(root.querySelector('div'), '<u>Deeper</u>');"
        "const sheet = new CSSStyleSheet();"
        "sheet.replaceSync('b { color: green }' + 'u { top: 1px }'.repeat(60));"
        "root.adoptedStyleSheets = [sheet];",
    )
    policy = f"Content-Security-Policy: {POLICY}"
    page = await replay(environment, site, change(html), policy)

    await expect(page.locator("b")).to_have_css("color", "rgb(0, 128, 0)")
    await expect(page.locator("b")).to_have_css("font-size", "30px")
    await expect(page.locator("u")).to_be_visible()
    await expect(page.locator("i")).to_be_visible()
    assert await page.locator("#a").get_attribute("value") == "typed"
    assert "secret" not in html


HOSTILE = (
    "<p>Bait</p><form action=/x><input name=shadowRoot autofocus onfocus=steal()>"
    "</form><img src=x onerror=steal()><a href=javascript:steal()>Go</a>"
    "<object data=/x></object><svg onload=steal()></svg><embed src=/x><base href=/x>"
    "<link rel=preload href=/x><link rel=stylesheet href=/sheet>"
    "<iframe src=/in onload=steal()></iframe><noscript>never</noscript>"
    "<meta http-equiv=refresh content=0;url=/x><script>steal()<\\/script>"
    "<template><b onclick=steal()>T</b></template><div></div>"
)
NEVER = ("steal", "<script", "<object", "<embed", "<base", "<link", "<meta http", "/x")


async def test_a_hostile_shadow_root_is_cleaned(environment, serve, site):
    html = await record(
        environment,
        serve,
        HOSTILE,
        "make(root.querySelector('div'), root.innerHTML);"
        "const held = document.createElement('template');"
        "held.innerHTML = '<b onclick=steal()></b>';"
        "root.append(held); document.body.append(held.cloneNode(true));",
        sheet="",
        **{"in": "<b>Inside</b><script>steal()</script>"},
    )
    forms = html.count('<form action="/x">')
    rest = html.replace('<form action="/x">', "")

    assert html.count("Bait") == forms == 2
    assert (
        html.count("<template") == html.count('<template shadowrootmode="open">') == 2
    )
    assert html.count('data-recorded=""') == html.count('sandbox=""') == 2
    assert [text for text in (*NEVER, "<noscript") if text in rest] == []
    inert = make_inert(html)
    assert inert.count("Bait") == inert.count("</template>") == 2
    assert "/x" not in inert


ACTIVE = HOSTILE.replace("\\", "").replace("steal()", "fetch('/x')")
PLANTED = f'<div><template shadowrootmode="open">{ACTIVE}</template></div>'


@pytest.mark.parametrize(
    ("html", "headers", "is_quiet"),
    [
        (PLANTED, [], False),
        (PLANTED, [f"Content-Security-Policy: {POLICY}"], True),
        (make_inert(PLANTED), [], True),
    ],
)
async def test_a_planted_shadow_root_does_nothing_in_the_replay(
    environment, serve, site, html, headers, is_quiet
):
    await record(environment, serve, "")
    page = await replay(environment, site, html, *headers)
    await expect(page.get_by_text("Bait")).to_be_visible()
    asked = [one for one in site.requests if one != "GET /replay"]
    assert (asked == []) == is_quiet


async def test_no_element_of_the_page_runs_for_a_recording(environment, serve):
    serve(
        "<p></p><my-one></my-one><script>let made = 0;"
        "customElements.define('my-one', class extends HTMLElement { constructor() {"
        " super(); made += 1; document.querySelector('p').textContent = made; } });"
        "</script>"
    )
    recording = Recording(snapshots=True)
    await environment.reset(task(), recording=recording)
    again, *_ = await environment.step('do(action="Wait", argument="0")')
    assert again.text == "<p>1</p>"
