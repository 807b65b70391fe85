from __future__ import annotations

from typing import Any

from django.test import Client

from curriculum.models import Phase, PhaseEvent
from tests.seed import Example
from webrl_site.loop.reproducibility import list_records, record_phase


def send(client: Client, phase: Phase, **changes: Any) -> Any:
    """Post the form as the browser would, with some fields changed."""
    return post(client, phase, open_form(client, phase) | changes)


def open_form(client: Client, phase: Phase) -> dict[str, Any]:
    """Return what the form sends as it is shown."""
    shown = client.get(f"/phases/{phase.pk}/edit/").context
    form = shown["form"]
    values = {name: form[name].value() for name in form.fields}
    sent = {k: "on" if v is True else v for k, v in values.items() if v is not False}
    return sent | {"based_on": shown["based_on"]}


def post(client: Client, phase: Phase, sent: dict[str, Any]) -> Any:
    return client.post(f"/phases/{phase.pk}/edit/", sent)


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


def edit_elsewhere(client: Client, phase: Phase) -> None:
    """Let a colleague edit and resume; the phase stops again."""
    send(client, phase, **{"rollout.contexts": "2", "resume": "yes"})
    stopped = {"status": "stopped", "resume_status": "collecting"}
    Phase.objects.filter(pk=phase.pk).update(**stopped)


def read_rollout(phase: Phase) -> dict[str, Any]:
    phase.run.refresh_from_db()
    return dict(phase.run.config["rollout"])


def test_an_old_form_does_not_undo_a_colleagues_edit(
    researcher: Client, example: Example
):
    phase = example.failed_phase
    mine = open_form(researcher, phase) | {"rollout.max_retries": "5"}
    edit_elsewhere(researcher, phase)

    seen = post(researcher, phase, mine | {"resume": "yes"})

    assert seen.status_code == 409
    assert "Someone else has since changed this." in seen.content.decode()
    assert seen.context["form"]["rollout.max_retries"].value() == "5"
    assert {one.key for one in seen.context["differences"]} == {
        "rollout.contexts",
        "rollout.max_retries",
    }
    assert read_rollout(phase)["contexts"] == 2
    phase.refresh_from_db()
    assert phase.status == "stopped"


def test_who_was_told_of_a_colleagues_edit_can_go_on(
    researcher: Client, example: Example
):
    phase = example.failed_phase
    mine = open_form(researcher, phase) | {"rollout.max_retries": "5"}
    edit_elsewhere(researcher, phase)
    told = post(researcher, phase, mine | {"check": "yes"})

    again = mine | {"based_on": told.context["based_on"], "rollout.contexts": "2"}
    post(researcher, phase, again | {"resume": "yes"})

    assert told.status_code == 409
    rollout = read_rollout(phase)
    assert (rollout["contexts"], rollout["max_retries"]) == (2, 5)


def test_a_mistake_does_not_hide_a_colleagues_edit(
    researcher: Client, example: Example
):
    phase = example.failed_phase
    mine = open_form(researcher, phase) | {"rollout.max_retries": "wrong"}
    edit_elsewhere(researcher, phase)
    told = post(researcher, phase, mine | {"resume": "yes"})

    right = {"based_on": told.context["based_on"], "rollout.max_retries": "5"}
    seen = post(researcher, phase, mine | right | {"resume": "yes"})

    assert seen.status_code == 409
    assert read_rollout(phase)["contexts"] == 2
