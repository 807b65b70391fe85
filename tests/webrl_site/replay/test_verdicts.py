from __future__ import annotations

import pytest

from rollouts.models import HumanVerdict, Trajectory
from tests.seed import Example
from tests.webrl_site.conftest import SignIn
from webrl_site.replay.verdicts import Opinion, describe_verdicts


def url_of(example: Example) -> str:
    return f"/trajectories/{example.trajectory.pk}/verdict/"


def test_a_verdict_is_kept_and_leads_back_to_the_step(
    sign_in: SignIn, example: Example
):
    data = {"verdict": "failure", "note": "The mug is missing", "step": "3"}

    response = sign_in("annotator").post(url_of(example), data)

    assert response.headers["Location"].endswith("/steps/3/")
    row = HumanVerdict.objects.get()
    assert (row.author, row.verdict, row.note) == (
        example.annotator,
        "failure",
        "The mug is missing",
    )


def test_a_note_of_many_lines_is_as_long_as_the_page_counts_it(
    sign_in: SignIn, example: Example
):
    note = "\r\n".join(["a"] * 1000)

    sign_in("annotator").post(url_of(example), {"verdict": "success", "note": note})

    assert HumanVerdict.objects.get().note == note.replace("\r\n", "\n")


def test_the_script_gets_the_verdicts_back(sign_in: SignIn, example: Example):
    response = sign_in("researcher").post(
        url_of(example), {"verdict": "unclear"}, headers={"HX-Request": "true"}
    )

    seen = response.content.decode()
    assert seen.lstrip().startswith('<section class="card verdicts"')
    assert "Your verdict, cannot tell" in seen


@pytest.mark.parametrize("verdict", ["", "maybe"])
def test_an_unknown_verdict_is_refused_and_the_note_kept(
    verdict: str, sign_in: SignIn, example: Example
):
    response = sign_in("annotator").post(
        url_of(example),
        {"verdict": verdict, "note": "Long thoughts"},
        headers={"HX-Request": "true"},
    )

    seen = response.content.decode()
    assert 'role="alert"' in seen
    assert "Long thoughts</textarea>" in seen
    assert not HumanVerdict.objects.exists()


def test_a_running_episode_cannot_be_judged(sign_in: SignIn, example: Example):
    Trajectory.objects.filter(pk=example.trajectory.pk).update(status="running")
    client = sign_in("annotator")

    response = client.post(url_of(example), {"verdict": "success"}, follow=True)

    assert "Only a finished episode" in response.content.decode()
    assert "verdict-form" not in response.content.decode()


def test_a_note_is_never_markup(sign_in: SignIn, example: Example):
    client = sign_in("annotator")
    note = "</textarea><script>alert(1)</script>"
    client.post(url_of(example), {"verdict": "success", "note": note})

    seen = client.get(f"/trajectories/{example.trajectory.pk}/").content.decode()

    assert "<script>alert" not in seen


def test_a_visitor_cannot_judge(sign_in: SignIn, example: Example):
    response = sign_in("").post(url_of(example), {"verdict": "success"})

    assert response.headers["Location"].startswith("/sign-in/")
    assert not HumanVerdict.objects.exists()


def test_a_slip_is_taken_back(sign_in: SignIn, example: Example):
    client = sign_in("annotator")
    url = url_of(example)
    client.post(url, {"verdict": "failure", "step": 1})

    response = client.post(f"{url}take-back/", {"step": 1})

    assert response["Location"] == url.replace("verdict/", "steps/1/")
    assert "Withdraw it" not in client.get(response["Location"]).content.decode()


def opinions_of(example: Example) -> list[Opinion]:
    row = Trajectory.objects.get(pk=example.trajectory.pk)
    found: list[Opinion] = describe_verdicts(row, example.annotator)["opinions"]
    return found


def test_the_three_kinds_of_verdict_stand_side_by_side(example: Example):
    Trajectory.objects.filter(pk=example.trajectory.pk).update(
        outcome=True, reward=0.0, success_probability=0.31
    )
    for author, verdict in (
        (example.annotator, "success"),
        (example.researcher, "failure"),
    ):
        HumanVerdict.objects.create(
            trajectory=example.trajectory, author=author, verdict=verdict
        )

    said = [(o.who, o.says, o.differs) for o in opinions_of(example)]

    assert said == [
        ("Evaluators", "yes", False),
        ("Reward model", "no", True),
        ("annotator", "yes", False),
        ("researcher", "no", True),
    ]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"outcome": None, "outcome_checks": []}, "the task has none"),
        ({"outcome": None}, "undecided"),
        ({"outcome": True}, "1 of 1 checks passed"),
        ({"status": "running"}, "the episode is running"),
    ],
)
def test_the_evaluators_verdict_says_what_it_rests_on(
    fields: dict[str, object], text: str, example: Example
):
    Trajectory.objects.filter(pk=example.trajectory.pk).update(**fields)

    assert opinions_of(example)[0].text == text


def test_nobody_differs_where_the_truth_is_unknown(example: Example):
    Trajectory.objects.filter(pk=example.trajectory.pk).update(outcome=None, reward=1.0)

    assert [opinion.differs for opinion in opinions_of(example)] == [False, False]
