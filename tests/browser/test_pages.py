from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage, Server

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.mark.parametrize("width", [870, 1030, 1200, 1280])
def test_the_bar_fits_every_width(width: int, open_page: OpenPage, server: Server):
    page = open_page("admin", width=width)
    page.goto(f"{server.url}/")

    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
    account = page.locator("[data-menu] summary")
    expect(account).to_be_in_viewport(ratio=1)
    account.click()
    expect(page.get_by_role("button", name="Sign out")).to_be_in_viewport(ratio=1)


def test_each_chart_is_drawn_and_opens_its_tasks(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/charts/")
    expect(page.locator(".chart .main-svg").first).to_be_visible()
    charts = page.locator("[data-chart]").count()
    expect(page.locator("[data-chart] .plot-container")).to_have_count(charts)
    assert charts == 16
    page.check('[data-references="success"]')
    expect(page.locator("[data-references-note=success]")).to_contain_text("42.4")

    page.locator("#success summary").click()
    page.locator("#success tbody a").last.click()

    expect(page).to_have_url(re.compile(r"/runs/\d+/ledger/\?to=evaluate-\d+"))


def test_a_spike_does_not_flatten_a_curve_on_a_logarithmic_axis(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/charts/")
    plot = page.locator("[data-chart=perplexity]")
    expect(plot.locator(".main-svg").first).to_be_visible()

    page.check('[data-log="perplexity"]')
    assert plot.evaluate("plot => plot.layout.yaxis.type") == "log"

    page.uncheck('[data-log="perplexity"]')
    assert plot.evaluate("plot => plot.layout.yaxis.type") == "linear"


def test_a_run_has_one_colour_in_all_charts(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/charts/")
    runs = page.locator('input[name="run"]').evaluate_all(
        "boxes => boxes.map((box) => `run=${box.value}`)"
    )
    page.goto(f"{server.url}/charts/?{'&'.join(runs[:6])}")
    expect(page.locator("[data-chart] .main-svg").first).to_be_visible()

    colours = page.locator("[data-chart]").evaluate_all(
        "plots => plots.flatMap(plot => plot.data.filter(trace => trace.line)"
        ".map(trace => [trace.name.split(', ')[0], trace.line.color]))"
    )
    by_run: dict[str, set[str]] = {}
    for name, colour in colours:
        by_run.setdefault(name, set()).add(colour)
    assert len(by_run) > 1
    assert all(len(found) == 1 for found in by_run.values())


def test_a_line_of_training_opens_the_phases_episodes(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/charts/")
    chart = page.locator("#kl .plot-container")
    expect(chart).to_be_visible()
    # What Plotly tells of a click on the line's first mark.
    page.locator("[data-chart=kl]").evaluate(
        "plot => { const [data] = plot.data;"
        " plot.emit('plotly_click', {points: [{data, x: data.x[0]}]}) }"
    )

    expect(page).to_have_url(re.compile("/trajectories/.*purpose=collect"))


def test_the_theme_is_chosen_and_kept(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/")
    button = page.locator("[data-theme-toggle]")
    page.locator("[data-menu] summary").click()
    button.click()
    button.click()
    expect(button).to_have_text("Theme: dark")
    page.reload()

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert color == "rgb(15, 19, 24)"


def test_rows_come_closer_and_stay_so(open_page: OpenPage, server: Server):
    page = open_page("annotator")
    page.goto(f"{server.url}/curriculum/")
    before = page.evaluate("document.querySelector('tbody tr').offsetHeight")
    page.locator("[data-menu] summary").click()
    page.locator("[data-density-toggle]").click()
    page.reload()

    after = page.evaluate("document.querySelector('tbody tr').offsetHeight")
    assert after < before
    button = page.locator("[data-density-toggle]")
    expect(button).to_have_attribute("aria-pressed", "true")


def test_escape_closes_the_account_menu_and_keeps_the_place(
    open_page: OpenPage, server: Server
):
    page = open_page("annotator")
    page.goto(f"{server.url}/")
    page.locator("[data-menu] summary").press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")

    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()
    expect(page.locator("[data-menu] summary")).to_be_focused()


def test_a_phase_page_follows_what_happens_elsewhere(
    open_page: OpenPage, server: Server
):
    watching, steering = open_page("researcher"), open_page("researcher")
    watching.goto(f"{server.url}/phases/3/")
    expect(watching.locator("h1")).to_contain_text("Collecting episodes")
    steering.goto(f"{server.url}/phases/3/")
    steering.once("dialog", lambda dialog: dialog.accept())
    steering.get_by_role("button", name="Stop").click()
    expect(steering.locator("h1")).to_contain_text("Stopped")

    expect(watching.locator("h1")).to_contain_text("Stopped")
    expect(watching.get_by_role("button", name="Resume")).to_be_visible()
    expect(watching.get_by_role("status").filter(has_text="Stopped")).to_have_count(1)


def test_filters_apply_and_stay_in_the_address(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/")
    page.select_option("#id_outcome", "yes")

    expect(page).to_have_url(f"{server.url}/trajectories/?outcome=yes")
    expect(page.locator("tbody .badge-bad")).to_have_count(0)


def test_filters_wait_for_their_button_while_a_choice_is_made_by_keyboard(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/trajectories/")
    submitted = "addEventListener('submit', () => { document.title = 'sent' })"
    page.evaluate(submitted)
    outcome = page.locator("#id_outcome")
    outcome.press("ArrowDown")
    outcome.press("ArrowDown")
    expect(outcome).to_be_focused()
    chosen = outcome.input_value()
    assert chosen
    assert page.title() != "sent"

    page.get_by_role("button", name="Filter", exact=True).press("Enter")

    expect(page).to_have_url(f"{server.url}/trajectories/?outcome={chosen}")


def test_the_launch_form_counts_what_differs(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/runs/new/")
    expect(page.locator("[data-changed]")).to_contain_text("as in the preset demo")
    page.fill('[name="algorithm.beta"]', "0.5")

    expect(page.locator("[data-changed]")).to_contain_text("1 differs from")
    listed = page.locator("#launch-check .differences li")
    expect(listed).to_have_text(re.compile(r"algorithm\.beta .* 0\.5$"))
    page.fill('[name="seed"]', "8")
    expect(page.locator("[data-changed]")).to_contain_text("2 differ from")
    expect(listed).to_have_count(2)
    page.locator('[name="seed"]').blur()
    expect(page.locator("#preflight-title")).to_be_visible()
    expect(listed).to_have_count(2)
    expect(page.locator("[data-changed]")).to_contain_text("2 differ from")
    page.fill('[name="algorithm.beta"]', "99")
    page.fill('[name="name"]', "too far")
    page.get_by_role("button", name="Create the run").click()
    expect(page.locator("#problems")).to_contain_text("less than or equal to 10")


def test_the_launch_check_says_at_each_field_what_is_wrong_with_it_now(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher")
    page.goto(f"{server.url}/runs/new/")
    expect(page.locator("#preflight-title")).to_be_visible()
    beta = page.locator('[name="algorithm.beta"]')
    said = page.locator(".field", has=beta).locator(".errorlist")
    for value, message in (("99", "less than or equal"), ("-1", "greater than")):
        beta.fill(value)
        beta.blur()
        expect(said).to_contain_text(message)
        expect(said).to_have_count(1)
        expect(beta).to_have_accessible_description(re.compile(message))
    told = page.get_by_role("status").filter(has_text="This cannot start yet")
    expect(told).to_have_text("This cannot start yet: 1 problem.")

    beta.fill("0.5")
    beta.blur()

    expect(said).to_have_count(0)
    expect(beta).not_to_have_attribute("aria-invalid", "true")
    expect(beta).not_to_have_attribute("aria-describedby", re.compile("_error"))


def test_a_telephone_folds_the_filters_and_applies_them_together(
    open_page: OpenPage, server: Server
):
    page = open_page("researcher", width=390)
    page.goto(f"{server.url}/curriculum/")
    fold, split = page.get_by_text("Filters", exact=True), page.locator("#id_split")
    expect(split).to_be_hidden()
    fold.focus()
    page.keyboard.press("Enter")
    page.select_option("#id_origin", "evolved")
    split.select_option("train")
    page.get_by_role("button", name="Filter", exact=True).click()

    expect(page).to_have_url(f"{server.url}/curriculum/?origin=evolved&split=train")
    expect(page.get_by_text("Filters (2 set)")).to_be_visible()
    expect(split).to_be_hidden()


def test_a_telephone_folds_no_few_filters(open_page: OpenPage, server: Server):
    page = open_page("researcher", width=390)
    page.goto(f"{server.url}/review/agreement/")

    expect(page.locator("#id_phase")).to_be_visible()
    expect(page.get_by_text("Filters", exact=True)).to_be_hidden()


def test_a_wide_screen_shows_all_filters(open_page: OpenPage, server: Server):
    page = open_page("researcher")
    page.goto(f"{server.url}/curriculum/")

    expect(page.locator("#id_flagged")).to_be_visible()
    expect(page.get_by_text("Filters", exact=True)).to_be_hidden()
    page.locator("#id_flagged").focus()
    expect(page.locator("#id_flagged")).to_be_focused()


@pytest.mark.parametrize(("width", "is_shown"), [(390, True), (1280, False)])
def test_a_telephone_has_its_own_choice_to_sort_runs(
    width: int, is_shown: bool, open_page: OpenPage, server: Server
):
    page = open_page("researcher", width=width, scripts=False)
    page.goto(f"{server.url}/runs/")
    choices = page.get_by_role("navigation", name="Sort by")
    expect(choices).to_be_visible(visible=is_shown)
    if not is_shown:
        return

    choices.get_by_role("link", name="Success").click()

    expect(page).to_have_url(f"{server.url}/runs/?sort=success")
    expect(choices.locator("[aria-current]")).to_have_text("Success")


@pytest.mark.parametrize(
    "path",
    [
        "/runs/",
        "/runs/1/",
        "/runs/queue/",
        "/runs/evidence/",
        "/curriculum/",
        "/curriculum/value-band/",
        "/curriculum/sites/",
        "/trajectories/",
        "/judges/",
        "/review/progress/decisions/",
        "/review/team/",
        "/review/progress/",
        "/review/agreement/",
        "/training/1/",
        "/checkpoints/1/",
        "/phases/1/",
    ],
)
def test_short_words_in_tables_stay_on_one_line(
    open_page: OpenPage, server: Server, path: str
):
    page = open_page("researcher", width=700)
    page.goto(f"{server.url}{path}")

    broken = page.locator("main td").evaluate_all(
        """cells => cells.flatMap((cell) => {
          const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
          const found = [];
          while (texts.nextNode()) {
            const text = texts.currentNode.textContent.trim();
            const range = document.createRange();
            range.selectNodeContents(texts.currentNode);
            const tops = [...range.getClientRects()].map((box) => Math.round(box.top));
            if (text && text.length <= 16 && new Set(tops).size > 1) found.push(text);
          }
          return found;
        })"""
    )

    assert broken == []


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/", ".row-between > .strong"),
        ("/runs/", ".cell-main > .strong"),
        ("/runs/compare/?run=1&run=2", "th.cell-name"),
        ("/charts/", ".check"),
        ("/trajectories/", ".cell-name > a"),
        ("/curriculum/", ".cell-name"),
        ("/judges/", ".cell-name"),
        ("/runs/queue/", ".notice p .strong"),
        ("/phases/1/edit/", ".toasts .notice span"),
        ("/curriculum/1/family/", ".lineage .row > .muted"),
    ],
)
@pytest.mark.parametrize("width", [390, 1280])
def test_a_long_name_without_spaces_hides_nothing(
    open_page: OpenPage, server: Server, path: str, names: str, width: int
):
    page = open_page("researcher", width=width)
    page.goto(f"{server.url}{path}")
    assert page.locator(names).count() > 0

    page.locator(names).evaluate_all(
        "found => found.forEach((one) => { one.textContent = 'a_name+'.repeat(9); })"
    )

    hidden = page.evaluate(
        """() => [document.documentElement, ...document.querySelectorAll(
            '.table-wrap:not(details *), .check')].filter(
            (box) => box.scrollWidth > box.clientWidth).map((box) => box.className)"""
    )
    assert hidden == []
