"""Every action in real Chromium."""

from __future__ import annotations

import pytest
import pytest_asyncio

from rollouts.browser.actions.acting import ActingOptions
from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.observation.observations import ObservationOptions
from tests.rollouts.browser.actions.playing import error_of, text_after
from tests.rollouts.browser.tiny_site import do, redirect, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_type_replaces_the_text_of_a_field(environment, serve):
    serve("<input aria-label=Name value=old>")
    await environment.reset(task())
    text = await text_after(environment, do("Type", 0, 'Ann \\"B\\"'))
    assert text == '<input id="0" label="Name" value="Ann &quot;B&quot;"/>'
    assert "value" not in await text_after(environment, do("Type", 0, ""))


SUGGESTS = """<input aria-label=Search><ul></ul><script>
const field = document.querySelector("input"), list = document.querySelector("ul");
field.addEventListener("keyup", () => { list.textContent = "found " + field.value; });
field.addEventListener("keydown", ({ key }) => {
  if (key === "Enter") document.title = "sent";
});
</script>"""


@pytest_asyncio.fixture(loop_scope="session")
async def careful(pool, site):
    """An environment that types by key and waits a second before each look."""
    acting = ActingOptions(typing="keys", enter_wait_s=0.01)
    environment = BrowserEnvironment(
        pool,
        ExternalHost({"shop": site.url}),
        options=ObservationOptions(form=pool.form, least_ms=1_000),
        acting=acting,
    )
    yield environment
    await environment.close()


async def test_keys_open_a_list_of_suggestions(careful, serve):
    serve(SUGGESTS.replace("<input", "<input value=old"))
    await careful.reset(task())
    assert "found mug" in await text_after(careful, do("Type", 0, "mug"))


async def test_a_search_by_keys_ends_with_enter(careful, serve):
    serve(SUGGESTS)
    await careful.reset(task())
    observation, *_ = await careful.step(do("Search", 0, "mug"))
    assert observation.title == "sent"


@pytest.mark.parametrize(
    "html",
    [
        "<label for=q>Find</label><input id=q style='position:fixed;left:-999px'>",
        "<button onclick='q.hidden = false; q.focus()'>Assign</button>"
        "<input id=q hidden>",
    ],
)
async def test_keys_go_to_what_a_click_on_the_element_gives_the_focus(
    careful, serve, html
):
    serve(html)
    await careful.reset(task())
    await text_after(careful, do("Type", 0, "mug"))
    page = careful._episode.executor.page
    assert await page.input_value("#q") == "mug"


async def test_keys_leave_a_date_to_the_browser(careful, serve):
    serve("<input type=date>")
    await careful.reset(task())
    text = await text_after(careful, do("Type", 0, "2024-05-06"))
    assert 'value="2024-05-06"' in text


async def test_a_change_that_comes_late_is_seen_where_a_wait_is_asked_for(
    careful, serve
):
    serve("<button onclick=\"setTimeout(() => document.body.append('late'), 900)\">x")
    await careful.reset(task())
    assert "late" in await text_after(careful, do("Click", 0))


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


async def test_an_exact_value_goes_before_a_part_of_a_text(environment, serve):
    rest = "<option value=5>10 items<option value=20>5 items</select>"
    serve(f"<select aria-label=Show><option value=10>15 items{rest}")
    await environment.reset(task())
    text = await text_after(environment, do("Select Dropdown Option", 0, "5"))
    assert "<option selected>10 items</option>" in text
    text = await text_after(environment, do("Select Dropdown Option", 0, "5 items"))
    assert "<option selected>5 items</option>" in text


async def test_in_a_list_of_several_each_chosen_option_stays(environment, serve):
    serve("<select multiple><option selected>A<option>B<option>C</select>")
    await environment.reset(task())
    outputs = [do("Select Dropdown Option", 0, name) for name in "BC"]
    text = await text_after(environment, *outputs)
    assert text.count("<option selected>") == 3


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
    back = await text_after(environment, do("Switch Tab", argument="0"))
    assert back.endswith(f"</tabs>{first.text}")
    assert "<h1>B</h1>" in await text_after(environment, do("Switch Tab", argument="1"))
    assert "no tab '2'" in await error_of(environment, do("Switch Tab", argument="2"))
    assert "no tab 'x'" in await error_of(environment, do("Switch Tab", argument="x"))
    digits = do("Switch Tab", argument="9" * 5_000)
    assert "no tab '9999" in await error_of(environment, digits)


async def test_a_tab_that_closes_itself_leads_back(environment, serve):
    serve(
        "<button onclick=\"window.open('/b')\">B</button>",
        b="<button onclick='window.close()'>Close</button>",
    )
    first, _ = await environment.reset(task())
    await text_after(environment, do("Click", 0))
    assert await text_after(environment, do("Click", 0)) == first.text


async def test_a_row_is_clicked_beside_the_buttons_that_it_holds(environment, serve):
    serve(
        "<div id=row style='width: 200px; text-align: center'>Row"
        "<i id=star style='padding: 0 60px'></i></div><script>"
        "for (const el of [row, star]) el.addEventListener('click', (event) => {"
        " document.title += el.id; event.stopPropagation(); })</script>"
    )
    observation, _ = await environment.reset(task())
    assert observation.text == '<div id="0">Row<i id="1"/></div>'
    await environment.step(do("Click", 0))
    observation, *_ = await environment.step(do("Click", 1))
    assert observation.title == "Tinyrowstar"


async def test_a_small_part_of_a_page_is_scrolled_when_nothing_else_can_be(
    environment, serve
):
    serve(
        "<div style='width: 90px; height: 80px; overflow: auto'>"
        "<p style='height: 90px'>First</p><p>Last</p></div>"
    )
    first, _ = await environment.reset(task())
    await environment.step(do("Scroll Down"))
    await environment.step(do("Scroll Down"))
    observation, _, _, _, info = await environment.step(do("Scroll Down"))
    assert "Last" not in first.text
    assert "Last" in observation.text
    assert "bottom" in info["error"]


async def test_what_is_covered_in_part_is_clicked_beside_its_cover(environment, serve):
    serve(
        "<button onclick='document.title = 1' style='width: 90px'>A</button>"
        "<p style='position: absolute; left: 30px; top: 0; width: 60px; height: 60px'>"
    )
    observation, _ = await environment.reset(task())
    assert observation.text == '<button id="0">A</button>'
    observation, _, _, _, info = await environment.step(do("Click", 0))
    assert (observation.title, info["error"]) == ("1", "")


async def test_a_small_list_is_not_scrolled_past_what_it_holds(environment, serve):
    items = "".join(f"<li>{number}</li>" for number in range(30))
    serve(f"<ul style='height: 60px; overflow: auto; margin: 0'>{items}</ul>")
    observation, _ = await environment.reset(task())
    seen = observation.text
    for _ in range(2):
        observation, *_ = await environment.step(do("Scroll Down"))
        seen += observation.text
    assert all(f"<li>{number}</li>" in seen for number in range(7))
