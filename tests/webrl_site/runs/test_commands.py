"""The commands, through the same services and jobs as the dashboard."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.core.management import call_command
from django.core.management.base import CommandError

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER, has_role
from curriculum.models import Phase, Run, Site, Task
from tests import fakes
from tests.factories import SiteFactory, TaskFactory, TrajectoryFactory
from training.models import Checkpoint
from webrl_site.runs import follow
from webrl_site.runs.config import PRESETS

transaction = pytest.mark.django_db(transaction=True)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, eager_jobs: None) -> None:
    monkeypatch.setattr(follow, "POLL_S", 0.0)
    monkeypatch.setitem(
        PRESETS,
        "demo",
        {"curriculum": {"tasks_per_phase": 6, "proposals_per_phase": 8}},
    )
    TaskFactory.create_batch(12)
    for number in range(5):
        TaskFactory(split=Task.Split.TEST, instruction=f"Ask for return {number}")


@transaction
def test_run_phase_runs_phases_and_writes_their_figures(
    small: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"
    call_command(
        *("run_phase", "--wait", "--auto-accept", "--phases", "2"),
        *("--seed", "4", "--json", str(file)),
    )

    figures = json.loads(file.read_text())
    assert [phase["number"] for phase in figures["phases"]] == [1, 2]
    assert set(figures["before"]) == {"n", "successes", "rate", "low", "high"}
    assert figures["before"]["n"] == figures["after"]["n"] == 5
    assert figures["after"]["successes"] >= figures["before"]["successes"]
    assert figures["phases"][0]["after"] == figures["phases"][1]["before"]
    text = capsys.readouterr().out
    assert "before" in text
    assert "&purpose=evaluate" in text


@transaction
def test_run_phase_again_goes_on_with_the_run(small: None) -> None:
    for _ in range(2):
        call_command("run_phase", "--wait", "--auto-accept", "--run", "mine")

    assert Run.objects.count() == 1
    assert list(Phase.objects.values_list("number", "status")) == [
        (1, "closed"),
        (2, "closed"),
    ]


@transaction
def test_run_phase_takes_up_a_phase_that_failed(
    small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("run_phase", "--wait", "--auto-accept")
    with monkeypatch.context() as patch:
        patch.setattr(fakes, "_write_scores", lambda directory: 1 / 0)
        with pytest.raises(CommandError, match="ZeroDivisionError"):
            call_command(*arguments)
    call_command(*arguments)

    assert Phase.objects.get().status == Phase.Status.CLOSED


@transaction
def test_run_phase_without_waiting_only_rings(small: None) -> None:
    call_command("run_phase")

    assert Phase.objects.get().status == Phase.Status.REVIEW


@pytest.mark.django_db
def test_run_phase_without_tasks_says_what_to_do() -> None:
    with pytest.raises(CommandError, match="load some first"):
        call_command("run_phase")


@pytest.mark.django_db
def test_the_sandbox_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        call_command("load_sandbox", verbosity=0)

    assert set(Site.objects.values_list("key", flat=True)) >= {"shop", "forum"}
    assert Task.objects.filter(split="test").count() >= 60
    assert not Task.objects.exclude(origin="seed").exists()
    assert Checkpoint.objects.count() == 3


@pytest.mark.django_db
def test_demo_accounts_can_sign_in_with_what_was_written(
    settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    call_command("create_demo_accounts")

    path = tmp_path / "accounts.txt"
    passwords = dict(line.split() for line in path.read_text().splitlines())
    assert path.stat().st_mode & 0o077 == 0
    users = {
        name: authenticate(username=name, password=word)
        for name, word in passwords.items()
    }
    assert has_role(users["annotator"], ROLE_ANNOTATOR)  # type: ignore[arg-type]
    assert not has_role(users["annotator"], ROLE_RESEARCHER)  # type: ignore[arg-type]
    assert has_role(users["researcher"], ROLE_RESEARCHER)  # type: ignore[arg-type]
    assert users["admin"].is_superuser  # type: ignore[union-attr]


@pytest.mark.django_db
def test_existing_accounts_keep_their_passwords_unless_reset(
    settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    for arguments in ([], ["--password", "another long one"]):
        call_command("create_demo_accounts", *arguments)
    assert authenticate(username="admin", password="another long one") is None
    call_command("create_demo_accounts", "--password", "another long one", "--reset")

    assert authenticate(username="admin", password="another long one")
    assert get_user_model().objects.count() == 3


@pytest.mark.django_db
def test_a_deleted_demo_account_is_not_made_again(
    settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    call_command("create_demo_accounts")
    get_user_model().objects.get(username="admin").delete()
    for arguments in ([], ["--reset"]):
        call_command("create_demo_accounts", *arguments)

    names = set(get_user_model().objects.values_list("username", flat=True))
    assert names == {"annotator", "researcher"}


@pytest.mark.django_db
def test_no_demo_account_is_made_beside_somebody_who_can_sign_in(
    settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    get_user_model().objects.create_user("ada", password="a very long one")
    call_command("create_demo_accounts")

    assert get_user_model().objects.count() == 1


@pytest.mark.django_db
def test_no_demo_account_is_made_on_a_public_address(
    settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    settings.IS_LOCAL = False
    call_command("create_demo_accounts")

    assert not get_user_model().objects.exists()


@pytest.mark.django_db
def test_a_workbench_without_accounts_says_how_to_make_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("create_roles")
    get_user_model().objects.create_user("ada", password="a very long one")
    first = capsys.readouterr().out
    call_command("create_roles")

    assert "createsuperuser" in first
    assert capsys.readouterr().out == ""


@pytest.mark.django_db
def test_a_task_file_is_imported_or_refused_whole(tmp_path: Path) -> None:
    SiteFactory(key="shop")
    task = {"key": "a", "sites": ["shop"], "intent": "Buy", "start_url": "__SHOP__/"}
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps([task]))
    call_command("import_tasks", str(file))
    file.write_text(json.dumps([{**task, "key": "b"}, {**task, "sites": ["x"]}]))

    with pytest.raises(CommandError, match="Line 1, task 2: sites"):
        call_command("import_tasks", str(file))
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_tasks", str(tmp_path / "none.json"))
    assert Task.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("command", ["import_tasks", "lint_tasks"])
def test_every_mistake_of_a_task_file_is_told(command: str, tmp_path: Path) -> None:
    SiteFactory(key="shop", placeholder="__SHOP__")
    task = {"key": "a", "sites": ["shop"], "intent": "Buy", "start_url": "__SHOP__/"}
    file = tmp_path / "tasks.jsonl"
    lines = [task | {"intent": ""}, task | {"split": "exam"}]
    file.write_text("\n".join(json.dumps(line) for line in lines))

    with pytest.raises(CommandError) as error:
        call_command(command, str(file))

    first, second = str(error.value).splitlines()
    assert first == "Line 1, task 1: intent: must be a non-empty string."
    assert second.startswith("Line 2, task 2: split: must be one of")


@pytest.mark.django_db
def test_passwords_are_not_written_to_what_is_no_terminal(capsys, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    call_command("create_demo_accounts", "--password", "a very long one")
    assert "a very long one" not in capsys.readouterr().out


@pytest.mark.django_db
def test_a_task_file_is_linted_without_writing(tmp_path: Path) -> None:
    SiteFactory(key="shop", placeholder="__SHOP__")
    out = io.StringIO()
    rules = {"eval_types": ["string_match"], "reference_answers": {"vibes": "good"}}
    task = {"key": "a", "sites": ["shop"], "intent": "Buy", "start_url": "__SHOP__/"}
    file, told = tmp_path / "tasks.json", tmp_path / "findings.jsonl"
    file.write_text(json.dumps([{**task, "eval": rules}]))

    call_command("lint_tasks", str(file), json=told, stdout=out)

    assert "Line 1, task 1 (a): unscorable: string_match.vibes" in out.getvalue()
    assert json.loads(told.read_text())["kind"] == "unscorable"
    assert Task.objects.count() == 0


@pytest.mark.django_db
def test_the_linter_refuses_what_the_import_would(tmp_path: Path) -> None:
    file = tmp_path / "tasks.json"
    file.write_text(json.dumps([{"task_id": 1, "sites": ["nosuch"], "intent": "x"}]))

    with pytest.raises(CommandError, match="sites: unknown site 'nosuch'"):
        call_command("lint_tasks", str(file))


@pytest.mark.django_db
def test_a_phase_is_evaluated_again_under_each_rule_set(tmp_path: Path) -> None:
    out, file = io.StringIO(), tmp_path / "rescored.json"
    rules = {
        "eval_types": ["string_match"],
        "reference_answers": {"must_include": ["15"]},
    }
    row = TrajectoryFactory(
        task=TaskFactory(spec={"sites": ["shop"], "eval": rules}),
        purpose="evaluate",
        status="finished",
        ended_by="exit",
        answer="3150",
        outcome=True,
    )

    call_command("rescore", phase=row.phase_id, json=file, stdout=out)

    assert "webarena: 1 episodes, 1 success, 0 failure, 0 open" in out.getvalue()
    assert "webarena-lite: 1 episodes, 0 success, 1 failure" in out.getvalue()
    assert "success -> failure the phrase is not there" in out.getvalue()
    assert [one["outcome"] for one in json.loads(file.read_text())] == [
        *("success", "failure", "success", "success")
    ]


@pytest.mark.django_db
def test_evaluating_nothing_again_says_so() -> None:
    phase = TrajectoryFactory(status="queued").phase_id
    with pytest.raises(CommandError, match="no finished episodes"):
        call_command("rescore", phase=phase)
    with pytest.raises(CommandError, match="no phase 0"):
        call_command("rescore", phase=0)
