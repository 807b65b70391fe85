from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from curriculum.errors import WorkbenchError
from rollouts.interchange.sft import write_row
from tests.factories import UserFactory
from training import services
from training.models import SftTraining
from training.rl.sft.config import SftConfig

pytestmark = pytest.mark.django_db
ROWS = [
    write_row("Buy a mug", [], "<html> a </html>", 'do(action="Click", element="3")'),
    write_row("Buy a mug", ["x"], "<html> b </html>", 'exit(message="ok")'),
]


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, settings: Any) -> None:
    settings.CHECKPOINTS_DIR = tmp_path / "made"
    roots = [Path(settings.DATA_DIR) / "models", settings.CHECKPOINTS_DIR]
    settings.CHECKPOINT_ROOTS = roots


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write_file(*rows: Any, name: str = "web_policy_sft.json") -> Path:
        lines = "\n".join(map(json.dumps, rows))
        text = lines if name.endswith(".jsonl") else json.dumps(rows)
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write_file


def train(path: Path, **options: Any) -> SftTraining:
    given: dict[str, Any] = {"base_uri": "starter/policy", "algorithm": {}} | options
    return services.train_on_rows(name="rows", path=path, sft=SftConfig(), **given)


def test_the_trainer_gets_the_file_s_rows_as_they_stand(write: Any, tmp_path: Path):
    made = train(write(*ROWS))

    lines = (tmp_path / "made/sft-rows/prompts.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    turns = [row["conversations"] for row in ROWS]
    assert [one["prompt"] for one in found] == [human["value"] for human, _ in turns]
    assert [one["output"] for one in found] == [gpt["value"] for _, gpt in turns]
    assert found[1]["place"] == "web_policy_sft.json, row 2"
    assert (made.status, made.step_count) == ("finished", 2)
    assert made.config["rows"]["file"] == "web_policy_sft.json"


def test_the_same_rows_again_change_nothing_and_others_are_refused(write: Any):
    made = train(write(*ROWS))

    assert train(write(*ROWS)) == made
    with pytest.raises(WorkbenchError, match="choose another name"):
        train(write(*ROWS[:1]))


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"conversations": []}, "two turns"),
        ({"conversations": [{"from": "gpt", "value": "x"}] * 2}, "from.* 'human'"),
        (write_row("Buy", [], "<p>", "  "), "the answer of `gpt` is empty"),
        (write_row("Buy", [], "<p>", "\ud800"), "no whole Unicode"),
        (
            {
                "conversations": [
                    {"from": "human", "value": "Buy a mug"},
                    {"from": "gpt", "value": "x"},
                ]
            },
            "no prompt of WebRL's models",
        ),
    ],
)
def test_a_bad_row_is_named_with_its_line(write: Any, row: Any, why: str):
    with pytest.raises(services.BadRows, match=f"rows.jsonl, line 2: .*{why}"):
        train(write(ROWS[0], row, name="rows.jsonl"))
    assert not SftTraining.objects.exists()


def test_an_empty_file_is_refused(write: Any):
    with pytest.raises(services.BadRows, match="holds no row"):
        train(write())


def test_the_command_makes_a_checkpoint_of_a_file(write: Any, capsys: Any):
    call_command("train_sft", "rows", rows=write(*ROWS), base="starter/policy")

    said = capsys.readouterr().out
    assert "Learnt 2 steps of web_policy_sft.json; mean loss by pass" in said
    assert "sft-rows/policy is ready." in said


@pytest.mark.parametrize("given", [{}, {"base": "starter/policy"}, {"run": 99}])
def test_the_command_says_what_it_lacks(write: Any, given: dict[str, Any]):
    with pytest.raises(CommandError, match=r"Name --run RUN|There is no run 99"):
        call_command("train_sft", "rows", **given)


def test_the_checkpoints_page_names_the_file(write: Any, client: Client):
    made = train(write(*ROWS))
    client.force_login(UserFactory(roles=["researcher"]))

    page = client.get(f"/checkpoints/{made.checkpoint_id}/").content.decode()

    assert "web_policy_sft.json" in page
    assert "Only the person" not in page
