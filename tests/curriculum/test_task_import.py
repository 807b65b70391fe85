from __future__ import annotations

import json
import random
import string
from typing import Any

import pytest

from curriculum.errors import TaskImportError
from curriculum.models import Task
from curriculum.services import (
    accept_shortlisted,
    check_tasks,
    import_tasks,
    read_task_file,
)
from tests.factories import EvolvedTaskFactory, SiteFactory, TaskFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def sites() -> None:
    SiteFactory(key="shop")
    SiteFactory(key="forum")


def make(**changes: Any) -> dict[str, Any]:
    task = {
        "key": "shop.train.1",
        "split": "train",
        "sites": ["shop"],
        "intent": "Buy a mug",
        "start_url": "__SHOP__/",
        "eval": {"eval_types": ["string_match"], "reference_answers": {}},
    }
    return {name: value for name, value in {**task, **changes}.items() if value != ...}


OTHER = make(key="shop.train.2", intent="Open my last order")


def test_a_task_is_imported_with_its_evaluators() -> None:
    report = import_tasks(tasks=[make(optimal_steps=4)])

    task = Task.objects.get()
    assert (report.created, report.kept) == (1, 0)
    assert task.site.key == "shop"
    assert task.optimal_steps == 4
    assert task.spec["eval"]["eval_types"] == ["string_match"]


def test_a_number_that_no_column_holds_makes_no_key() -> None:
    with pytest.raises(TaskImportError, match="task_id: must be a whole number"):
        import_tasks(tasks=[make(key=..., task_id=10**130)])

    import_tasks(tasks=[make(key=..., task_id=3, intent_template_id=10**90)])

    task = Task.objects.get()
    assert (task.key, task.template_key) == ("webarena.3", "")


def test_importing_twice_imports_once() -> None:
    tasks = [make(), make(key="shop.train.2", intent="Buy a pan")]
    import_tasks(tasks=tasks)

    report = import_tasks(tasks=tasks)

    assert (report.created, report.kept) == (0, 2)


def test_webarenas_own_files_need_no_key() -> None:
    import_tasks(tasks=[make(key=..., split=..., task_id=7, intent_template_id=42)])

    task = Task.objects.get()
    assert task.key == "webarena.7"
    assert task.template_key == "webarena.42"


def test_a_task_without_evaluators_is_allowed() -> None:
    import_tasks(tasks=[make(eval=...)])

    assert Task.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"sites": ["moon"]}, "sites: unknown site 'moon'"),
        ({"sites": []}, "sites"),
        ({"sites": "shop"}, "sites"),
        ({"sites": [1]}, "sites"),
        ({"intent": ""}, "intent"),
        ({"intent": 5}, "intent"),
        ({"intent": "x" * 20_000}, "intent"),
        ({"start_url": "__SHOP__/ |AND| file:///x"}, "start_url"),
        ({"rule_set": "mine"}, "rule_set"),
        ({"rule_set": []}, "rule_set"),
        ({"suite": "mine"}, "suite: must be one of miniwob"),
        ({"suite": None}, "suite"),
        ({"intent": "a\x00b"}, "an invalid character"),
        ({"instantiation_dict": {"x": float("nan")}}, "a number that is not finite"),
        ({"template_key": 5}, "template_key"),
        ({"start_url": "file:///etc/passwd"}, "start_url"),
        ({"start_url": "javascript:alert(1)"}, "start_url"),
        ({"start_url": None}, "start_url"),
        ({"split": "exam"}, "split"),
        ({"optimal_steps": "3"}, "optimal_steps"),
        ({"optimal_steps": True}, "optimal_steps"),
        ({"eval": []}, "eval"),
        ({"eval": {"eval_types": []}}, "eval.eval_types"),
        ({"eval": {"eval_types": ["run_python"]}}, "unknown evaluator 'run_python'"),
        ({"key": ..., "task_id": "1"}, "task_id"),
        ({"key": " "}, "key"),
    ],
)
def test_a_mistake_is_named_with_its_entry_and_nothing_is_written(
    changes: dict[str, Any], field: str
) -> None:
    third = make(**{"key": "shop.train.3", **changes})
    tasks = [make(), make(key="shop.train.2", intent="Buy a pan"), third]

    with pytest.raises(TaskImportError) as caught:
        import_tasks(tasks=tasks)

    assert caught.value.message.startswith("Task 3: ")
    assert field in caught.value.message
    assert not Task.objects.exists()


@pytest.mark.parametrize("tasks", ["text", {"intent": "x"}, 5, None])
def test_something_else_than_a_list_is_refused(tasks: Any) -> None:
    with pytest.raises(TaskImportError, match="list"):
        import_tasks(tasks=tasks)


def test_an_entry_that_is_no_object_is_refused() -> None:
    with pytest.raises(TaskImportError, match="Task 2: must be an object"):
        import_tasks(tasks=[make(), "text"])


def test_two_entries_with_one_key_are_refused() -> None:
    with pytest.raises(TaskImportError, match="Task 2: key"):
        import_tasks(tasks=[make(), make(intent="Buy a pan")])


def test_a_key_that_names_another_task_is_refused() -> None:
    import_tasks(tasks=[make()])

    with pytest.raises(TaskImportError, match="already names another task"):
        import_tasks(tasks=[make(intent="Buy a pan")])


def test_deep_nesting_is_refused() -> None:
    deep: Any = []
    for _ in range(50):
        deep = [deep]

    with pytest.raises(TaskImportError, match="nested"):
        import_tasks(tasks=[make(instantiation_dict=deep)])


def test_a_mistake_in_a_file_is_named_with_its_line() -> None:
    text = json.dumps([make(), make(key="b", intent="")], indent=1)

    with pytest.raises(TaskImportError, match=r"^Line \d+, task 2: intent: must be"):
        import_tasks(tasks=read_task_file(text.encode()))


@pytest.mark.parametrize("text", ["{", "[1,", "[" * 100_000, "nonsense"])
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(TaskImportError, match="not JSON"):
        read_task_file(text.encode())


def test_a_task_may_start_in_several_tabs() -> None:
    url = "__SHOP__/a |AND| __SHOP__/" + "b" * 600
    import_tasks(tasks=[make(start_url=url)])

    assert Task.objects.get().start_url == url


def test_random_objects_are_refused_or_written_never_an_accident() -> None:
    draw = random.Random(5)
    values: list[Any] = [
        None,
        True,
        0,
        -1,
        1e308,
        "",
        "x" * 9000,
        [],
        {},
        [None],
        "\ud800",
    ]
    names = [*make(), "task_id", "optimal_steps", "template_key", "rule_set"]
    for number in range(1000):
        task = make(key=f"t{number}")
        for name in draw.sample(names, draw.randint(1, 3)):
            task[name] = draw.choice([*values, draw.choice(string.printable)])
        try:
            import_tasks(tasks=[task])
        except TaskImportError as error:
            assert error.message.startswith("Task 1: ")


def refuse(tasks: Any) -> list[str]:
    with pytest.raises(TaskImportError) as caught:
        import_tasks(tasks=tasks)
    assert not Task.objects.exists()
    return caught.value.messages()


def test_every_mistake_of_every_task_is_named() -> None:
    told = refuse([make(intent="", split="exam"), make(key="b"), make(sites=["moon"])])

    assert told == [
        "Task 1: intent: must be a non-empty string.",
        "Task 1: split: must be one of train, validation, test.",
        "Task 3: sites: unknown site 'moon' (known: forum, shop).",
    ]


def test_twenty_mistakes_are_told_and_the_rest_is_counted() -> None:
    told = refuse([make(key=f"t{number}", intent="") for number in range(23)])

    assert len(told) == 21
    assert told[19].startswith("Task 20: ")
    assert told[20] == "3 more mistakes; fix these first, then check again."


def test_a_key_that_stands_there_three_times_is_told_twice() -> None:
    told = refuse([make(), make(intent="Buy a pan"), make(intent="Buy a cup")])

    assert [text[:6] for text in told] == ["Task 2", "Task 3"]


def test_a_long_value_is_quoted_by_its_beginning() -> None:
    (told,) = refuse([make(sites=["moon" * 1000])])

    assert "moonmoon" in told
    assert len(told) < 200


def test_an_evaluator_that_is_no_text_is_a_mistake_like_others() -> None:
    (told,) = refuse([make(eval={"eval_types": [["string_match"]]})])

    assert "unknown evaluator ['string_match']" in told


def test_every_line_that_is_no_json_is_named() -> None:
    text = "\n".join([json.dumps(make()), "{", json.dumps(make(key="b")), "}"])

    with pytest.raises(TaskImportError) as caught:
        read_task_file(text.encode())

    assert [one.line for one in caught.value.refusals.told] == [2, 4]


def test_a_file_without_any_line_of_json_is_told_once() -> None:
    with pytest.raises(TaskImportError) as caught:
        read_task_file(b"instruction;site\nBuy;shop\nSell;shop\n")

    assert len(caught.value.messages()) == 1


def test_every_column_and_every_row_that_is_wrong_is_named() -> None:
    with pytest.raises(TaskImportError) as columns:
        read_task_file(b"instruction,color\nBuy,red\n", "a.csv")
    with pytest.raises(TaskImportError) as rows:
        head = b"instruction,site,start_url\n"
        read_task_file(head + b"a,b,c,d\na,b,c\na,b,c,d\n", "a.csv")

    assert len(columns.value.messages()) == 3
    assert [one.line for one in rows.value.refusals.told] == [2, 4]


def test_a_spreadsheet_of_the_three_needed_columns_is_imported_once() -> None:
    text = b"instruction,site,start_url\nBuy a mug,shop,__SHOP__/\n"
    text += b"Buy a pan,shop,__SHOP__/\n"

    first = import_tasks(tasks=read_task_file(text, "a.csv"))
    again = import_tasks(tasks=read_task_file(text, "a.csv"))

    assert (first.created, again.created, again.kept) == (2, 0, 2)
    assert Task.objects.filter(key__startswith="csv.").count() == 2


def test_a_key_of_the_spreadsheet_is_kept() -> None:
    text = b"instruction,site,start_url,key\nBuy a mug,shop,__SHOP__/,mine\n"

    import_tasks(tasks=read_task_file(text, "a.csv"))

    assert Task.objects.get().key == "mine"


def test_a_training_task_that_resembles_a_test_task_is_kept_out() -> None:
    import_tasks(tasks=[make(key="shop.test.1", split="test", intent="Buy a red mug")])

    report = import_tasks(tasks=[make(intent="Please buy the red mug!"), OTHER])

    assert (report.created, report.leaks) == (2, 1)
    task = Task.objects.get(key="shop.train.1")
    assert task.status == Task.Status.FILTERED
    assert "shop.test.1" in task.filter_reason
    assert Task.objects.get(key=OTHER["key"]).status == Task.Status.ACCEPTED


def test_test_tasks_of_the_same_file_count() -> None:
    tasks = [make(), make(key="shop.test.1", split="test", intent="Buy a mug.")]

    assert check_tasks(tasks=tasks).leaks == 1
    assert import_tasks(tasks=tasks).leaks == 1


def test_training_tasks_leave_when_a_test_task_like_them_comes() -> None:
    import_tasks(tasks=[make(), OTHER])

    report = import_tasks(tasks=[make(key="t", split="test", intent="Buy a mug now")])

    assert report.leaks == 1
    left = Task.objects.filter(split="train", status=Task.Status.ACCEPTED)
    assert [task.key for task in left] == [OTHER["key"]]


def test_pages_that_say_themselves_what_they_ask_for_are_no_leaks() -> None:
    page = {"suite": "miniwob", "eval": {"eval_types": ["page_reward"]}}
    tasks = [make(key=key, split=key, **page) for key in ("test", "train")]

    assert import_tasks(tasks=tasks).leaks == 0


@pytest.mark.parametrize("status", ["proposed", "shortlisted", "disputed"])
def test_evolved_tasks_leave_too_and_nobody_holds_them(status: str) -> None:
    task = EvolvedTaskFactory(
        instruction="Buy a mug", status=status, lease_token="on a desk"
    )

    report = import_tasks(tasks=[make(key="t", split="test", intent="Buy a mug now")])

    task.refresh_from_db()
    assert (report.leaks, task.status, task.lease_token) == (1, "filtered", "")


def test_what_is_decided_against_stays_as_it_is() -> None:
    EvolvedTaskFactory(instruction="Buy a mug", status=Task.Status.REJECTED)

    assert import_tasks(tasks=[make(key="t", split="test")]).leaks == 0


def test_a_run_that_accepts_by_itself_accepts_no_test_task() -> None:
    leak = EvolvedTaskFactory(instruction="Buy a mug")
    other = EvolvedTaskFactory(instruction="Sort by price", born_in=leak.born_in)
    # Imported in another transaction, which saw no task to filter.
    TaskFactory(key="t", split="test", instruction="Buy a mug now")

    assert accept_shortlisted(phase_id=leak.born_in_id) == 1

    leak.refresh_from_db()
    other.refresh_from_db()
    assert (leak.status, other.status) == ("filtered", "accepted")
    assert "Buy a mug now" in leak.filter_reason
