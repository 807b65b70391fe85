from __future__ import annotations

from typing import Any

from django.test import Client

from curriculum.models import Phase, PhaseEvent
from tests.seed import Example
from webrl_site.loop.reproducibility import list_records, record_phase


def send(client: Client, phase: Phase, **changes: Any) -> Any:
    """Post the form as the browser would, with some fields changed."""
    url = f"/phases/{phase.pk}/edit/"
    form = client.get(url).context["form"]
    values = {name: form[name].value() for name in form.fields}
    sent = {k: "on" if v is True else v for k, v in values.items() if v is not False}
    return client.post(url, sent | changes)


def test_changed_settings_hold_from_the_resume_on(researcher: Client, example: Example):
    phase = example.failed_phase

    send(researcher, phase, **{"rollout.contexts": "2", "resume": "yes"})

    phase.refresh_from_db()
    phase.run.refresh_from_db()
    assert phase.status == "collecting"
    assert phase.run.config["rollout"]["contexts"] == 2


def test_settings_stand_in_the_sections_of_a_new_run(
    researcher: Client, example: Example
):
    page = researcher.get(f"/phases/{example.failed_phase.pk}/edit/").content.decode()

    titles = ["Curriculum", "Review", "Rollouts", "Algorithm", "Reward model"]
    places = [page.index(f"<h3>{title}</h3>") for title in titles]
    assert places == sorted(places)


def test_the_history_keeps_who_changed_what(researcher: Client, example: Example):
    phase = example.failed_phase
    send(researcher, phase, **{"rollout.contexts": "2", "resume": "yes"})

    event = PhaseEvent.objects.get(phase=phase, kind="edit")

    change = {"key": "rollout.contexts", "before": "4", "after": "2"}
    assert event.data == {"by": "researcher", "changes": [change]}
    assert "rollout.contexts" in researcher.get(f"/phases/{phase.pk}/").content.decode()


def test_a_check_shows_the_change_and_does_nothing(
    researcher: Client, example: Example
):
    changes = {"rollout.contexts": "2", "check": "yes"}
    seen = send(researcher, example.failed_phase, **changes)

    example.failed_phase.refresh_from_db()
    assert [one.key for one in seen.context["differences"]] == ["rollout.contexts"]
    assert example.failed_phase.status == "failed"


def test_a_setting_that_the_stage_no_longer_allows_is_ignored(
    researcher: Client, example: Example
):
    phase = example.failed_phase
    send(researcher, phase, **{"rollout.step_limit": "99", "resume": "yes"})

    phase.run.refresh_from_db()
    assert phase.run.config["rollout"]["step_limit"] == 12


def test_a_wrong_value_is_named_and_nothing_goes_on(
    researcher: Client, example: Example
):
    changes = {"rollout.contexts": "0", "resume": "yes"}
    seen = send(researcher, example.failed_phase, **changes)

    example.failed_phase.refresh_from_db()
    assert "rollout.contexts" in seen.context["form"].errors
    assert example.failed_phase.status == "failed"


def test_other_training_settings_say_that_training_begins_anew(
    researcher: Client, example: Example
):
    Phase.objects.filter(pk=example.failed_phase.pk).update(resume_status="training")

    changes = {"algorithm.beta": "0.7", "check": "yes"}
    seen = send(researcher, example.failed_phase, **changes)

    assert seen.context["retrains"]
    assert "will be discarded" in seen.content.decode()


def test_training_that_begins_anew_is_recorded_with_its_settings(
    researcher: Client, example: Example
):
    phase = example.failed_phase
    Phase.objects.filter(pk=phase.pk).update(resume_status="training")
    record_phase(phase=phase, stage="training")
    send(researcher, phase, **{"algorithm.beta": "0.7", "resume": "yes"})
    record = list_records(phase.pk)[-1]
    assert record.data["config"]["algorithm"]["beta"] == 0.7


def test_a_phase_that_moves_is_not_edited(researcher: Client, example: Example):
    url = f"/phases/{example.running_phase.pk}/edit/"

    response = researcher.get(url, follow=True)

    assert [m.level_tag for m in response.context["messages"]] == ["error"]
