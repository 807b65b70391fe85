from __future__ import annotations

from curriculum.task_files.suites import (
    WEBARENA,
    WEBARENA_LITE,
    WEBARENA_VERIFIED,
    WEBRL,
    complete,
    list_sites,
    recognise,
)
from curriculum.task_files.types import Entry

PLAIN = {"intent": "Go", "sites": ["reddit"], "start_url": "__REDDIT__"}
NUMBERED = PLAIN | {"task_id": 7, "intent_template_id": 42}
VERIFIED = {
    "intent": "Go",
    "sites": ["reddit", "gitlab"],
    "task_id": 7,
    "intent_template_id": 42,
    "start_urls": ["__REDDIT__", "__GITLAB__/a"],
    "eval": [
        {"evaluator": "AgentResponseEvaluator", "expected": {"task_type": "retrieve"}}
    ],
}
LITE = NUMBERED | {"old_task_id": 9}


def entries(*items):
    return [Entry(number, 0, item) for number, item in enumerate(items, 1)]


def test_the_published_files_are_known_by_their_shape():
    assert recognise(entries(NUMBERED)) is WEBARENA
    assert recognise(entries(LITE)) is WEBARENA_LITE
    assert recognise(entries(PLAIN)) is WEBRL
    assert recognise(entries(VERIFIED)) is WEBARENA_VERIFIED


def test_other_files_are_not_recognised():
    for item in (
        PLAIN | {"sites": ["shop"]},
        PLAIN | {"sites": [["reddit"]]},
        PLAIN | {"sites": []},
        PLAIN | {"key": "mine"},
        PLAIN | {"split": "test"},
        "text",
    ):
        assert recognise(entries(PLAIN, item)) is None
    assert recognise([]) is None


def test_test_sets_become_test_tasks_under_their_own_rules():
    (entry,), repeated = complete(entries(LITE), WEBARENA_LITE)
    assert repeated == 0
    assert entry.item["key"] == "webarena-lite.7"
    assert entry.item["template_key"] == "webarena.42"
    assert entry.item["split"] == "test"
    assert entry.item["rule_set"] == "webarena-lite"


def test_instructions_without_numbers_are_named_by_what_they_say():
    done, repeated = complete(entries(PLAIN, PLAIN, PLAIN | {"intent": "Run"}), WEBRL)
    assert repeated == 1
    assert len({entry.item["key"] for entry in done}) == 2
    assert done[0].item["split"] == "train"
    assert complete(entries(PLAIN), WEBRL)[0][0].item["key"] == done[0].item["key"]


def test_the_sites_of_a_file_are_listed_once():
    both = PLAIN | {"sites": ["reddit", "gitlab"]}
    assert list_sites(entries(PLAIN, both)) == ["gitlab", "reddit"]


def test_tasks_of_webarena_verified_keep_what_was_published():
    (entry,), _ = complete(entries(VERIFIED), WEBARENA_VERIFIED)
    item = entry.item
    assert item["key"] == "webarena-verified.7"
    assert item["start_url"] == "__REDDIT__ |AND| __GITLAB__/a"
    assert item["eval"] == {"eval_types": ["webarena_verified"], "published": VERIFIED}
    assert (item["rule_set"], item["mutates"]) == ("webarena-verified", False)


def test_a_verified_task_that_is_to_change_its_site_says_so():
    rule = {"evaluator": "x", "expected": {"task_type": "mutate"}}
    (entry,), _ = complete(entries(VERIFIED | {"eval": [rule]}), WEBARENA_VERIFIED)
    assert entry.item["mutates"] is True
