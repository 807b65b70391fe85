from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage, Server

pytestmark = pytest.mark.browser

COPIED = (
    "url, title, observation, output, action, error, target_box, snapshot, "
    "screenshot, timing, created_at, token_ids, token_log_probabilities"
)


class Worker:
    """Writes to an episode as a worker in another process would."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database
        query = "SELECT id FROM rollouts_trajectory WHERE status = 'queued' LIMIT 1"
        (self.trajectory_id,) = database.execute(query).fetchone()
        self.write("UPDATE rollouts_trajectory SET status='running', attempt=1")

    def write(self, update: str) -> None:
        self.database.execute(f"{update} WHERE id = ?", [self.trajectory_id])
        self.database.commit()

    def record_step(self, index: int) -> None:
        """Copy a step of the example's first episode."""
        self.database.execute(
            f'INSERT INTO rollouts_step (trajectory_id, attempt, "index", {COPIED}) '
            f"SELECT ?, 1, ?, {COPIED} FROM rollouts_step "
            'WHERE trajectory_id = 1 AND "index" = ?',
            [self.trajectory_id, index, index],
        )
        self.database.commit()

    def record_verdict(self) -> None:
        """Write the annotator's own word, as from another tab of theirs."""
        self.database.execute(
            "INSERT INTO rollouts_humanverdict "
            "(trajectory_id, author_id, verdict, note, is_blind, created_at) "
            "SELECT ?, id, 'success', '', 0, '2030-01-02 03:04:05' FROM auth_user "
            "WHERE username = 'annotator'",
            [self.trajectory_id],
        )
        self.database.commit()

    def finish(self) -> None:
        self.write(
            "UPDATE rollouts_trajectory SET status='finished', ended_by='exit', "
            "outcome=1"
        )


@pytest.fixture
def worker(server: Server) -> Iterator[Worker]:
    database = sqlite3.connect(server.database, timeout=20)
    yield Worker(database)
    database.close()


def watch(open_page: OpenPage, server: Server, worker: Worker) -> Page:
    page = open_page("annotator")
    page.goto(f"{server.url}/trajectories/{worker.trajectory_id}/")
    expect(page.locator("[data-live-badge]")).to_have_text("Live")
    return page


def test_steps_appear_while_the_episode_runs(
    open_page: OpenPage, server: Server, worker: Worker
):
    page = watch(open_page, server, worker)
    expect(page.locator("main")).to_contain_text("No steps yet")
    worker.record_step(0)
    expect(page.locator(".step.is-current h2")).to_contain_text("Step 1 of 1")

    # Who is at the end stays at the end.
    worker.record_step(1)
    expect(page.locator("[data-position]")).to_have_text("2 / 2")
    expect(page.locator(".step.is-current h2")).to_contain_text("Step 2 of 2")

    # Who is not is left where they are.
    page.keyboard.press("h")
    worker.record_step(2)
    expect(page.locator("[data-position]")).to_have_text("1 / 3")

    worker.finish()
    expect(page.locator('[data-part="badges"]')).to_contain_text("Success")
    expect(page.locator(".verdict-form")).to_be_visible()
    expect(page.locator("[data-live-badge]")).to_have_count(0)


def test_a_page_to_which_nothing_comes_says_so(
    open_page: OpenPage, server: Server, worker: Worker
):
    page = open_page("annotator")
    page.clock.install()
    page.goto(f"{server.url}/trajectories/{worker.trajectory_id}/")
    expect(page.locator("[data-live-badge]")).to_have_text("Live")
    page.clock.fast_forward(30_000)

    expect(page.locator("[data-live-badge]")).to_contain_text("Nothing new for")
    expect(page.locator('[data-part="live"]')).to_have_attribute("data-state", "stale")


def test_an_episode_whose_worker_is_silent_is_never_called_live(
    open_page: OpenPage, server: Server, worker: Worker
):
    page = watch(open_page, server, worker)
    worker.record_step(0)
    expect(page.locator(".step.is-current h2")).to_contain_text("Step 1 of 1")

    worker.write("UPDATE rollouts_trajectory SET leased_until='2020-01-01 00:00:00'")

    expect(page.locator("[data-live-badge]")).to_contain_text("Silent")
    expect(page.locator("[data-live-text]")).to_contain_text("stopped responding")


def test_an_episode_that_breaks_shows_its_reason(
    open_page: OpenPage, server: Server, worker: Worker
):
    page = watch(open_page, server, worker)
    worker.record_step(0)
    expect(page.locator(".step.is-current h2")).to_contain_text("Step 1 of 1")

    worker.write(
        "UPDATE rollouts_trajectory SET status='failed', failure_class='harness', "
        "failure_reason='The policy failed: gone'"
    )

    expect(page.locator(".notice")).to_contain_text("The policy failed: gone")
    expect(page.locator("[data-live-badge]")).to_have_count(0)


def test_times_that_come_later_are_told_in_the_readers_zone(
    open_page: OpenPage, server: Server, worker: Worker
):
    page = watch(open_page, server, worker)
    worker.record_step(0)
    expect(page.locator(".step.is-current h2")).to_contain_text("Step 1 of 1")

    worker.record_verdict()
    worker.finish()

    told = page.locator("#verdicts time")
    expect(told).to_have_attribute("data-done", "")
    expect(told).to_contain_text("Jan 2, 2030")
