"""The page as an accessibility tree, in real Chromium."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rollouts.browser.environment import BrowserEnvironment
from rollouts.browser.hosting.hosts import ExternalHost
from rollouts.browser.observation.observations import ObservationOptions
from rollouts.browser.process.pool import BrowserPool, PoolOptions
from tests.rollouts.browser.tiny_site import TinySite, do, task

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def tree_pool() -> AsyncIterator[BrowserPool]:
    pool = BrowserPool(PoolOptions(prepared=1), "accessibility_tree")
    yield pool
    await pool.close()


@pytest_asyncio.fixture(loop_scope="session")
async def trees(
    tree_pool: BrowserPool, site: TinySite
) -> AsyncIterator[BrowserEnvironment]:
    other = site.url.replace("shop.", "forum.")
    host = ExternalHost({"shop": site.url, "forum": other})
    environment = BrowserEnvironment(tree_pool, host)
    yield environment
    await environment.close()


async def lines_of(environment, serve, html):
    serve(html)
    observation, _ = await environment.reset(task())
    first, *rest = observation.text.split("\n")
    assert first == "RootWebArea 'Tiny'"
    return [line.removeprefix("\t") for line in rest]


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("<h2>Shop</h2>", ["heading 'Shop', level=2"]),
        (
            "<p>Tom's <b>mug</b></p><p>x</p>",
            [r"StaticText 'Tom\'s mug'", "StaticText 'x'"],
        ),
        ("<a href=/>Home</a>", ["[0] link 'Home'"]),
        ("<button aria-label=Close>x</button>", ["[0] button 'Close'"]),
        ("<button disabled>Buy</button>", ["[0] button 'Buy', disabled"]),
        (
            "<button aria-expanded=false aria-haspopup=menu>More</button>",
            ["[0] button 'More', expanded=false, hasPopup='menu'"],
        ),
        (
            "<label for=q>Find</label><input id=q type=search value=mug required>",
            ["[0] searchbox 'Find', value='mug', required"],
        ),
        ("<input placeholder=Name>", ["[0] textbox 'Name'"]),
        (
            "<input type=password aria-label=Word value=secret>",
            ["[0] textbox 'Word', value='***'"],
        ),
        (
            "<label><input type=checkbox checked> New</label>",
            ["[0] checkbox 'New', checked"],
        ),
        ("<input type=submit value=Go>", ["[0] button 'Go'"]),
        ("<textarea aria-label=Note>a</textarea>", ["[0] textbox 'Note', value='a'"]),
        (
            "<select aria-label=Sort><option>New<option selected>Old</select>",
            ["[0] combobox 'Sort'", "\toption 'New'", "\toption 'Old', selected"],
        ),
        ("<div onclick=1>Open</div>", ["[0] generic 'Open', clickable"]),
        (
            "<div role=tab aria-selected=true tabindex=0>A</div>",
            ["[0] tab 'A', selected"],
        ),
        (
            "<a href=/><img alt=Cart src=data:,></a>",
            ["[0] link 'Cart'"],
        ),
        ("<img alt=Logo src=data:, width=9 height=9>", ["image 'Logo'"]),
        (
            "<ul><li>One</li><li><a href=/>A</a> $1</li></ul>",
            [
                "list ''",
                "\tlistitem 'One'",
                *("\tlistitem ''", "\t\t[0] link 'A'", "\t\tStaticText '$1'"),
            ],
        ),
        (
            "<nav aria-label=Main><a href=/>Home</a></nav>",
            ["navigation 'Main'", "\t[0] link 'Home'"],
        ),
        (
            "<table><caption>Sizes<tr><th>Size<td>S</table>",
            [
                "table 'Sizes'",
                *("\tcaption 'Sizes'", "\trow ''"),
                *("\t\tcolumnheader 'Size'", "\t\tcell 'S'"),
            ],
        ),
        (
            "<iframe title=Form srcdoc='<button>Press</button>'></iframe>",
            ["Iframe 'Form'", "\t[0] button 'Press'"],
        ),
        ("<p style='display:none'>a</p><script>1</script>", []),
        ("<a href=/>x' [9] link 'y</a>", [r"[0] link 'x\' [9] link \'y'"]),
    ],
)
async def test_a_page_reads_as_a_tree(trees, serve, html, lines):
    assert await lines_of(trees, serve, html) == lines


async def test_a_long_list_shows_its_selected_option_and_how_many_it_has(trees, serve):
    options = "".join(f"<option>O{n}" for n in range(55))
    html = f"<select aria-label=Sort>{options}<option selected>Last</select>"
    assert (await lines_of(trees, serve, html))[-3:] == [
        "\toption 'O49'",
        "\toption 'Last', selected",
        "\tStaticText 'and 5 more options'",
    ]


async def test_the_elements_are_those_of_the_html(trees, environment, serve):
    serve(
        "<a href=/>Cart</a><label>Name <input></label><div onclick=1>All"
        "<b onclick=1>one</b></div><select aria-label=Sort><option>New</select>"
    )
    tree, _ = await trees.reset(task())
    html, _ = await environment.reset(task())
    assert tree.elements == html.elements


async def test_actions_use_the_ids_of_the_tree(trees, serve):
    serve("<input aria-label=Name><button onclick='this.textContent = 1'>Go</button>")
    await trees.reset(task())
    await trees.step(do("Type", 0, "Ann"))
    observation, *_ = await trees.step(do("Click", 1))
    assert "[0] textbox 'Name', value='Ann'" in observation.text
    assert "[1] button '1'" in observation.text


async def test_a_frame_of_another_origin_stands_in_the_tree(trees, serve, site):
    other = site.url.replace("shop.", "forum.")
    serve(
        f"<iframe src={other}/in title=Form></iframe>",
        **{"in": "<button>Press</button>"},
    )
    observation, _ = await trees.reset(task())
    assert observation.text.endswith("\tIframe 'Form'\n\t\t[0] button 'Press'")


async def test_a_browser_is_made_for_one_form(pool, site):
    options = ObservationOptions(form="accessibility_tree")
    with pytest.raises(ValueError, match="made for compact"):
        BrowserEnvironment(pool, ExternalHost({"shop": site.url}), options=options)
