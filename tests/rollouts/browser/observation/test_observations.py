"""What the policy reads of a page, in real Chromium."""

from __future__ import annotations

import pytest

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.episode import Recording
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.observation.observations import ObservationOptions
from tests.rollouts.browser.tiny_site import do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def read(environment, serve, html):
    serve(html)
    return (await environment.reset(task()))[0]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<h1>Shop &amp; more</h1>", "<h1>Shop & more</h1>"),
        ("<h1>1 &lt; 2</h1>", "<h1>1 &lt; 2</h1>"),
        (
            "<div><nav><ul><li><a href=/>Home</a></li></ul></nav></div>",
            '<a id="0">Home</a>',
        ),
        ("<a href=/><span> Red <b>mug</b></span>  \n </a>", '<a id="0">Red mug</a>'),
        ("<p>It <b>is</b> n<i>i</i>ce</p>", "<p>It is nice</p>"),
        ("<a>no link</a>", "no link"),
        ("<a href=/><img alt=Cart src=data:,></a>", '<a id="0">Cart</a>'),
        (
            "<button title='Close it' aria-label=Close>x</button>",
            '<button id="0" label="Close" title="Close it">x</button>',
        ),
        ("<button title=Close>close</button>", '<button id="0">close</button>'),
        (
            "<label for=q>Find</label><input id=q placeholder=find>",
            '<input id="0" label="Find"/>',
        ),
        (
            "<label>Size <input type=number value=5></label>",
            '<input id="0" type="number" label="Size" value="5"/>',
        ),
        (
            "<input type=password placeholder=Word value=secret>",
            '<input id="0" type="password" placeholder="Word" value="***"/>',
        ),
        (
            "<label><input type=checkbox checked> New</label>",
            '<input id="0" type="checkbox" label="New" checked/>',
        ),
        ("<input type=radio value=red>", '<input id="0" type="radio" value="red"/>'),
        (
            "<input type=submit value='\"Go\" now'>",
            '<input id="0" type="submit" value="&quot;Go&quot; now"/>',
        ),
        ("<input type=hidden value=x>", ""),
        (
            "<textarea aria-label=Note>a\nb</textarea>",
            '<textarea id="0" label="Note" value="a b"/>',
        ),
        (
            "<select aria-label=Sort><option>New<option selected>Old</select>",
            '<select id="0" label="Sort"><option>New</option>'
            "<option selected>Old</option></select>",
        ),
        ("<button disabled>Buy</button>", '<button id="0" disabled>Buy</button>'),
        ("<div onclick=1>Open</div>", '<div id="0">Open</div>'),
        (
            "<div role=tab aria-selected=true>A</div>",
            '<div id="0" role="tab" selected>A</div>',
        ),
        ("<div style='cursor:pointer'><b>Open</b></div>", '<div id="0">Open</div>'),
        (
            "<div onclick=1>All <a href=/>one</a></div>",
            '<div>All<a id="0">one</a></div>',
        ),
        ("<div contenteditable>Draft</div>", '<div id="0">Draft</div>'),
        (
            "<ul><li><a href=/>A</a> $1</li><li><a href=/>B</a> $2</li></ul>",
            '<li><a id="0">A</a>$1</li><li><a id="1">B</a>$2</li>',
        ),
        (
            "<table><tr><th>Size<td>S<tr><th>Price<td></table>",
            "<tr><th>Size</th><td>S</td></tr><tr><th>Price</th></tr>",
        ),
        (
            "<section><div><div>Anna</div><div>5 stars</div></div>"
            "<div><div>Bob</div><div>1 star</div></div></section>",
            "<div>Anna 5 stars</div><div>Bob 1 star</div>",
        ),
        ("<script>1</script><style>p{}</style><!-- c --><noscript>n</noscript>", ""),
        ("<p style='display:none'>a</p><p style='visibility:hidden'>b</p>", ""),
        ("<p style='opacity:0'>a</p><p hidden>b</p>", ""),
        ("<div style='height:0;overflow:hidden'><p>a</p></div>", ""),
        ("<p>up</p><p style='margin-top:900px'>down</p>", "<p>up</p>"),
        (
            "<div style='height:10px;overflow:hidden'><a href=/>in</a>"
            "<p style='margin:40px'>out</p></div>",
            '<a id="0">in</a>',
        ),
        (
            "<a href=/>Below</a><div style='position:fixed;inset:0'>Sign up"
            "<button>No</button></div>",
            'Below<div>Sign up<button id="0">No</button></div>',
        ),
        (
            "<my-box></my-box><script>customElements.define('my-box', class extends"
            " HTMLElement { constructor() { super(); this.attachShadow({mode:'open'})"
            ".innerHTML = '<button>Inside</button>'; } });</script>",
            '<button id="0">Inside</button>',
        ),
        (
            '<a href=/ id=7>id="9"&gt;&lt;a id="9"&gt;</a>',
            '<a id="0">id="9"&gt;&lt;a id="9"&gt;</a>',
        ),
    ],
)
async def test_a_page_reads_as_simplified_html(environment, serve, html, text):
    assert (await read(environment, serve, html)).text == text


async def test_elements_carry_what_a_person_would_call_them_and_their_box(
    environment, serve
):
    html = (
        "<style>body{margin:0}a{position:absolute;left:10px;top:20px;width:30px;"
        "height:40px}input{position:absolute;top:100px}</style>"
        "<a href=/>Cart</a><input aria-label=Find>"
    )
    link, field = (await read(environment, serve, html)).elements
    assert (link.id, link.tag, link.text, link.box) == (
        0,
        "a",
        "Cart",
        (10, 20, 30, 40),
    )
    assert (field.id, field.tag, field.text) == (1, "input", "Find")


async def test_the_label_that_stands_for_a_hidden_box_gets_the_id(environment, serve):
    html = "<label for=c>Fast delivery</label><input id=c type=checkbox hidden>"
    text = (await read(environment, serve, html)).text
    assert text == '<label id="0">Fast delivery</label>'


async def test_long_values_and_pages_are_cut(pool, site, serve):
    serve(f"<input value={'v' * 50}>" + "<p>word</p>" * 30)
    options = ObservationOptions(text_limit=60, value_limit=10)
    environment = BrowserEnvironment(
        pool, ExternalHost({"shop": site.url}), options=options
    )
    text = (await environment.reset(task()))[0].text
    await environment.close()
    assert text.startswith(f'<input id="0" value="{"v" * 10}..."/>')
    assert len(text) == 63


async def test_the_whole_page_can_be_shown(pool, site, serve):
    serve(
        "<p>up</p><p style='margin-top:3000px'>down</p><a href=/b>Next</a>"
        "<div style='height:50px;overflow:auto'>"
        "<p style='margin-top:900px'>in</p></div>"
        "<div style='height:0;overflow:hidden'><p>away</p></div>"
    )
    environment = BrowserEnvironment(
        pool,
        ExternalHost({"shop": site.url}),
        options=ObservationOptions(whole_page=True),
    )
    text = (await environment.reset(task()))[0].text
    following, *_, info = await environment.step(do("Click", 0))
    await environment.close()
    assert text == '<p>up</p><p>down</p><a id="0">Next</a><p>in</p>'
    assert info["error"] == ""
    assert following.url.endswith("/b")


async def test_boxes_can_be_shown_as_webrl_does(pool, site, serve):
    serve(
        "<a href=/ style='position:fixed;left:1px;top:2px;width:9px;height:8px'>A</a>"
    )
    environment = BrowserEnvironment(
        pool, ExternalHost({"shop": site.url}), options=ObservationOptions(boxes=True)
    )
    text = (await environment.reset(task()))[0].text
    await environment.close()
    assert text == '<a id="0" data-bbox="1,2,9,8">A</a>'


async def test_a_snapshot_needs_nothing_else_and_runs_nothing(environment, serve):
    serve(
        "<link rel=stylesheet href=/a.css><base href=http://elsewhere/>"
        "<body onload=1><a href=javascript:1>x</a><iframe></iframe>"
        "<input id=a><input id=b type=checkbox><input id=p type=password>"
        "<textarea id=t></textarea><select id=s><option>1<option>2</select>"
        "<script>a.value='typed'; b.checked=true; t.value='long'; s.selectedIndex=1;"
        "p.value='secret'</script>",
        **{
            "a.css": b"HTTP/1.1 200 OK\r\nContent-Type: text/css\r\n"
            b"Content-Length: 14\r\n\r\np{color:green}"
        },
    )
    recording = Recording(snapshots=True)
    html = (await environment.reset(task(), recording=recording))[0].snapshot
    assert "color: green" in html
    assert 'value="typed"' in html
    assert ">long</textarea>" in html
    assert '<option selected="">2' in html
    assert 'data-viewport="1280,720"' in html
    for forbidden in ("<script", "onload", "javascript:", " src=", "<link", "secret"):
        assert forbidden not in html


DIALOGS = """<style>dialog {{ width: 300px; height: 200px }}</style>
<p style=height:900px>
<dialog id=d aria-label=Edit><button>Save</button></dialog>
<div id=d popover style='width:300px;height:200px'><button>Save</button></div>
<script>document.querySelector("{shown}").{open}()</script>"""


@pytest.mark.parametrize(
    ("shown", "open_it"), [("dialog", "showModal"), ("div", "showPopover")]
)
async def test_a_centred_dialog_is_recorded_where_it_was_seen(
    environment, serve, shown, open_it
):
    serve(DIALOGS.format(shown=shown, open=open_it))
    recording = Recording(snapshots=True)
    first, _ = await environment.reset(task(), recording=recording)
    serve(first.snapshot)
    again, _ = await environment.reset(task())

    (seen,), (recorded,) = first.elements, again.elements
    assert recorded.box == pytest.approx(seen.box, abs=1)
    assert recorded.box[1] > 200


async def test_style_sheets_are_in_every_recorded_page_of_an_episode(
    environment, serve
):
    serve(f"<style>{'i{top:1px}' * 60}</style><button>B</button>")
    recording = Recording(snapshots=True)
    first, _ = await environment.reset(task(), recording=recording)
    second, *_ = await environment.step(do("Click", 0))
    assert second.snapshot.count("top: 1px") == 60
    assert second.snapshot == first.snapshot


async def test_an_attribute_that_only_looks_like_a_handler_is_kept(environment, serve):
    serve("<p onx=1 data-on=2 title='say javascript: twice'>a</p>")
    recording = Recording(snapshots=True)
    html = (await environment.reset(task(), recording=recording))[0].snapshot
    assert '<p data-on="2" title="say javascript: twice">a</p>' in html


async def test_looking_leaves_no_range_behind(environment, serve):
    serve(
        "<p>a</p><p>b</p><script>const real = document.createRange; let made = 0;"
        "document.createRange = () => { made += 1; document.title = made;"
        " return real.call(document); }</script>"
    )
    observation, _ = await environment.reset(task())
    again, *_ = await environment.step(do("Wait", argument="0"))
    assert (observation.title, again.title) == ("Tiny", "Tiny")


async def test_nothing_is_recorded_unless_asked(environment, serve):
    observation = await read(environment, serve, "<p>a</p>")
    assert (observation.snapshot, observation.screenshot) == ("", b"")


async def test_a_screenshot_is_a_jpeg(environment, serve):
    serve("<p>a</p>")
    recording = Recording(screenshots=True)
    observation, _ = await environment.reset(task(), recording=recording)
    assert observation.screenshot.startswith(b"\xff\xd8\xff")


async def test_text_that_no_database_takes_is_tidied(environment, serve):
    serve(
        "<p id=p>x</p><button>\\</button><script>p.textContent = 'a\\0b\\ud800c';"
        "document.title = '\\udfff' + 't'.repeat(999);"
        "history.replaceState(0, '', '/' + 'u'.repeat(9999))</script>"
    )
    recording = Recording(snapshots=True)
    observation, _ = await environment.reset(task(), recording=recording)
    assert observation.text.startswith("<p>ab\ufffdc</p>")
    assert observation.title == "\ufffd" + "t" * 299
    assert len(observation.url) == 4000
    observation.snapshot.encode()


LISTEN = "<script>for (const el of document.querySelectorAll('.on')) el.{}</script>"
ON_CLICK = LISTEN.format("addEventListener('click', () => { document.title = el.id; })")


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<div class=on>Open</div>", '<div id="0">Open</div>'),
        ("<i class=on style='padding: 9px'></i>", '<i id="0"/>'),
        ("<div class=on><a href=/>A</a></div>", '<a id="0">A</a>'),
        ("<div class=on style='height: 700px'>A</div>", "A"),
        (
            "<div class=on>Mail <i class=on>star</i><i class=on>bin</i></div>",
            '<div id="0">Mail<i id="1">star</i><i id="2">bin</i></div>',
        ),
    ],
)
async def test_what_a_script_listens_to_can_be_clicked(environment, serve, html, text):
    assert (await read(environment, serve, html + ON_CLICK)).text == text


async def test_a_listener_on_the_whole_page_makes_it_no_element(environment, serve):
    html = "<p>A</p><script>document.body.addEventListener('click', () => {})</script>"
    assert (await read(environment, serve, html)).text == "<p>A</p>"


# As of Prototype 1.6, which wrote texts and lists in its own way.
OLD_LIBRARY = """<script>
Array.prototype.toJSON = function () { return `[${this.length}]`; };
String.prototype.toJSON = function () { return `"${this}"`; };
</script>"""


async def test_a_library_with_json_of_its_own_changes_nothing(environment, serve):
    serve(f"{OLD_LIBRARY}<button onclick='this.remove()'>Go</button><p>Text")
    observation, _ = await environment.reset(task())
    assert observation.text == '<button id="0">Go</button><p>Text</p>'
    observation, *_, info = await environment.step(do("Click", 0))
    assert (observation.text, info["error"]) == ("<p>Text</p>", "")
