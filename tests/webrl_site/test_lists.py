from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from curriculum.models import Task
from rollouts.models import Trajectory
from rollouts.selectors.fates import count_list
from rollouts.selectors.pages import filter_trajectories
from tests.factories import PhaseFactory, TaskFactory, TrajectoryFactory
from tests.seed import Example
from tests.webrl_site.conftest import SignIn


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("site=forum", {"site__key": "forum"}),
        ("status=rejected", {"status": "rejected"}),
        ("origin=evolved", {"origin": "evolved"}),
        ("split=test", {"split": "test"}),
        ("text=kettle", {"instruction__icontains": "kettle"}),
        ("status=nonsense&split=", {}),
    ],
)
def test_the_curriculum_list_filters_by_its_address(
    query: str, expected: dict[str, str], sign_in: SignIn
):
    page = sign_in("annotator").get(f"/curriculum/?{query}").context["page"]

    assert page.count == Task.objects.filter(**expected).count() > 0


def test_a_phase_shows_the_tasks_it_attempted_and_those_born_in_it(
    sign_in: SignIn, example: Example
):
    phase = example.review_phase

    url = f"/curriculum/?phase={phase.pk}"
    page = sign_in("annotator").get(url).context["page"]

    assert page.count == phase.tasks.count() + phase.evolved.count()


def test_a_phase_counts_what_evolved_in_it_as_the_list_does(
    sign_in: SignIn, example: Example
):
    researcher, phase = sign_in("researcher"), example.review_phase
    evolved = researcher.get(f"/phases/{phase.pk}/").context["evolved"]
    for status, count in evolved.items():
        url = f"/curriculum/?born_in={phase.pk}&status={status}"
        assert researcher.get(url).context["page"].count == count > 0


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("purpose=evaluate", {"purpose": "evaluate"}),
        ("outcome=yes", {"outcome": True}),
        ("outcome=no", {"outcome": False}),
        ("outcome=none", {"outcome": None}),
        ("reward=yes", {"reward__gt": 0}),
        ("reward=none", {"reward": None}),
        ("site=forum", {"task__site__key": "forum"}),
        ("status=queued", {"status": "queued"}),
        ("ended_by=exit", {"ended_by": "exit"}),
        ("phase=abc", {}),
    ],
)
def test_the_trajectory_list_filters_by_its_address(
    query: str, expected: dict[str, object], sign_in: SignIn
):
    page = sign_in("annotator").get(f"/trajectories/?{query}").context["page"]

    assert page.count == Trajectory.objects.filter(**expected).count() > 0


def test_a_phase_lists_what_was_done_by_hand_only_when_asked(
    sign_in: SignIn, example: Example
):
    episode, client = example.trajectory, sign_in("researcher")
    url = f"/trajectories/?phase={episode.phase_id}"
    before = client.get(url).context["page"].count
    by_hand = TrajectoryFactory(
        phase=episode.phase, task=episode.task, purpose="by_hand"
    )

    response = client.get(url)

    assert response.context["page"].count == before
    assert "1 attempt by hand is not included." in response.content.decode()
    asked = client.get(f"{url}&purpose=by_hand").context["page"]
    assert [row.pk for row in asked] == [by_hand.pk]


def test_following_the_pages_shows_every_row_once(sign_in: SignIn):
    client, url, seen = sign_in("annotator"), "/trajectories/", []
    while url:
        page = client.get(url).context["page"]
        seen += [row.pk for row in page]
        url = f"/trajectories/?before={page.before}" if page.before else ""

    assert seen == sorted(Trajectory.objects.values_list("pk", flat=True), reverse=True)
    assert len(seen) > 50


@pytest.mark.parametrize("before", ["x", "-4", "1" * 30, "\N{SUPERSCRIPT TWO}"])
def test_a_nonsense_page_gives_the_newest(before: str, sign_in: SignIn):
    page = sign_in("annotator").get(f"/trajectories/?before={before}").context["page"]

    assert page.is_first and page.rows


@pytest.mark.parametrize("path", ["/curriculum/", "/trajectories/", "/review/bulk/"])
def test_a_text_that_is_too_long_to_be_searched_for_is_ignored(
    path: str, sign_in: SignIn
):
    page = sign_in("researcher").get(f"{path}?text={'a' * 60_000}")

    assert page.status_code == 200
    assert "is ignored" in page.text


@pytest.mark.parametrize("kind", ["tasks", "trajectories", "reviews"])
def test_the_api_refuses_a_text_that_is_too_long_to_be_searched_for(
    kind: str, sign_in: SignIn
):
    answer = sign_in("researcher").get(f"/api/{kind}/?text={'a' * 60_000}")

    assert answer.status_code == 400


def test_an_empty_result_says_what_to_do(sign_in: SignIn):
    response = sign_in("annotator").get("/curriculum/?text=zzzz")

    assert "No matching tasks" in response.content.decode()


def test_text_of_a_generator_is_never_markup(sign_in: SignIn, example: Example):
    attack = "<script>alert(1)</script>"
    Task.objects.filter(pk=example.evolved[0].pk).update(instruction=attack)

    for url in ("/curriculum/", f"/curriculum/{example.evolved[0].pk}/", "/review/"):
        assert attack not in sign_in("annotator").get(url).content.decode()


def test_the_task_page_tells_where_a_task_came_from(sign_in: SignIn, example: Example):
    task = example.evolved[0]

    response = sign_in("annotator").get(f"/curriculum/{task.pk}/")

    assert response.context["ancestors"] == [task.parent]
    assert ("state_match", 'shop: cart = {"MUG-1": 1}') in response.context[
        "evaluators"
    ]


def test_the_task_page_shows_an_edit_word_by_word(sign_in: SignIn, example: Example):
    edited = next(t for t in example.evolved if t.reviews.filter(decision="edit"))

    seen = sign_in("annotator").get(f"/curriculum/{edited.pk}/").content.decode()

    assert "<ins>Please </ins>" in seen or "<ins>Please</ins>" in seen


@pytest.mark.parametrize(
    "path", ["/curriculum/?origin=evolved", "/trajectories/?outcome=no"]
)
def test_a_list_is_a_file_under_the_same_filters(path: str, sign_in: SignIn):
    researcher = sign_in("researcher")
    page = researcher.get(path)
    link = re.search(
        r'href="(/api/exports/[^"]*format=jsonl[^"]*)"', page.content.decode()
    )
    assert link is not None
    answer = researcher.get(unescape(link[1]))
    lines = b"".join(answer).splitlines()
    assert len(lines) == page.context["page"].count > 0


def test_a_filter_without_a_field_is_shown_and_can_be_removed(sign_in: SignIn):
    url = "/trajectories/?purpose=evaluate&optimal_from=1&optimal_to=3"
    seen = sign_in("annotator").get(url).content.decode()

    assert "Required steps: 1 to 3" in seen
    assert 'href="?purpose=evaluate" title="Remove this filter"' in seen


@pytest.mark.parametrize("bound", ["words_from", "words_to"])
def test_a_bound_of_no_words_is_a_bound(sign_in, bound):
    assert sign_in("annotator").get(f"/trajectories/?{bound}=0").status_code == 200


def read_counts(client: Client, query: str) -> str:
    page = client.get(f"/trajectories/?{query}").content.decode()
    _, _, after = page.partition('<div class="card-head list-counts">')
    return " ".join(re.sub("<[^>]+>", " ", after.partition("</div>")[0]).split())


def test_a_filtered_list_says_how_many_were_solved(sign_in: SignIn, example: Example):
    rows = Trajectory.objects.filter(phase__run=example.run, purpose="evaluate")
    judged = rows.filter(outcome__isnull=False)
    solved = judged.filter(outcome=True).count()

    seen = read_counts(
        sign_in("annotator"), f"run={example.run.pk}&purpose=evaluate&task="
    )

    assert "Solved, by the evaluators" in seen
    assert f"{solved}/{judged.count()} ·" in seen


@pytest.mark.django_db
def test_several_attempts_at_a_task_are_counted_as_one_task():
    task, phase = TaskFactory(), PhaseFactory()
    for repeat in range(3):
        TrajectoryFactory(task=task, phase=phase, repeat=repeat, outcome=True)
    TrajectoryFactory(phase=phase, outcome=None, status="failed", ended_by="")

    counts = count_list(filter_trajectories(phase=phase.pk))

    assert (counts.solved, counts.judged, counts.judged_tasks) == (3, 3, 1)
    assert (counts.broken, counts.unended) == (1, 0)


def test_a_list_filtered_by_outcome_says_what_the_reward_model_says(
    sign_in: SignIn, example: Example
):
    seen = read_counts(sign_in("annotator"), "outcome=no")

    assert "YES, by the reward model" in seen
    assert "Solved, by the evaluators" not in seen


def test_a_list_of_everything_has_no_rate(sign_in: SignIn, example: Example):
    assert read_counts(sign_in("annotator"), "") == ""


def test_a_row_of_episodes_leads_to_its_phase_where_its_reader_may_go(
    sign_in: SignIn, example: Example
):
    url = f"/trajectories/?phase={example.review_phase.pk}"
    link = f'href="/phases/{example.review_phase.pk}/"'

    assert link in sign_in("researcher").get(url).content.decode()
    assert link not in sign_in("annotator").get(url).content.decode()


def test_an_episode_that_its_evaluators_left_undecided_is_not_judged(sign_in: SignIn):
    undecided = [{"name": "string_match", "passed": None}]
    row = TrajectoryFactory(outcome=None, outcome_checks=undecided)

    page = sign_in("annotator").get(f"/trajectories/?task={row.task_id}")

    assert '<span class="badge">Not judged</span>' in " ".join(page.text.split())
