from __future__ import annotations

import json
import random
import re

import pytest

from curriculum.errors import TaskImportError
from curriculum.models import Task
from curriculum.services import import_tasks, read_task_file
from tests.factories import SiteFactory

FILES = 1000
TASK = {
    "key": "a",
    "sites": ["shop"],
    "intent": "Buy a mug",
    "start_url": "__SHOP__/",
    "eval": {"eval_types": ["string_match"], "reference_answers": {"exact_match": "x"}},
}
LIST = json.dumps([TASK, {**TASK, "key": "b"}], indent=1).encode()
LINES = b"\n".join(json.dumps({**TASK, "key": key}).encode() for key in "ab")
TABLE = b"instruction,site,start_url,key,answer\nBuy it,shop,__SHOP__/,a,x\n"
CLEAR = re.compile(r"(Line \d+|The file|A task file|At most)\b.{10,}\Z", re.DOTALL)


def break_file(data: bytes, draw: random.Random) -> bytes:
    """Cut, double, swap or spoil something at random."""
    place, end = sorted(draw.sample(range(len(data)), 2))
    return draw.choice(
        [
            data[:place],
            data[:place] + data[end:],
            data[:end] + data[place:],
            data[:place] + draw.randbytes(3) + data[place:],
            data[:place] + draw.choice([b'"', b"{", b"]", b",", b"\n"]) + data[place:],
            data[:place] + draw.choice(b"x0{}").to_bytes() + data[place + 1 :],
        ]
    )


@pytest.mark.django_db
def test_a_thousand_broken_files_give_clear_messages_and_write_nothing() -> None:
    SiteFactory(key="shop")
    draw = random.Random(3)
    refused = 0
    while refused < FILES:
        name, data = draw.choice(
            [("a.json", LIST), ("a.jsonl", LINES), ("a.csv", TABLE)]
        )
        before = Task.objects.count()
        try:
            import_tasks(tasks=read_task_file(break_file(data, draw), name))
        except TaskImportError as error:
            refused += 1
            assert CLEAR.match(error.message), error.message
            assert Task.objects.count() == before
        else:
            Task.objects.all().delete()
