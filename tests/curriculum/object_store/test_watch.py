from __future__ import annotations

import threading

from curriculum.object_store import watch as watching
from curriculum.object_store.store import StoreDown
from curriculum.object_store.watch import StoreWatch, check_store
from tests.object_stores import use_store


def refuse() -> None:
    raise StoreDown("No bucket of that name.")


def test_a_store_that_answers_is_ok():
    assert StoreWatch(lambda: None).read() == "ok"


def test_a_store_that_refuses_is_down():
    assert StoreWatch(refuse).read() == "down"


def test_nobody_waits_for_a_store_that_swallows_what_it_is_sent(monkeypatch):
    monkeypatch.setattr(watching, "WAIT_S", 0.01)
    answer = threading.Event()
    watch = StoreWatch(lambda: answer.wait(20) and None)

    assert watch.read() == "unknown"

    answer.set()
    monkeypatch.setattr(watching, "WAIT_S", 20.0)
    assert watch.read() == "ok"


def test_the_store_is_asked_once_for_many_who_ask():
    asked: list[int] = []
    watch = StoreWatch(lambda: asked.append(1))
    assert [watch.read() for _ in range(5)] == ["ok"] * 5
    assert asked == [1]


def test_it_asks_the_store_of_the_settings(settings, tmp_path):
    use_store(settings, {"OBJECT_STORE": str(tmp_path / "shared")})
    assert StoreWatch(check_store).read() == "ok"

    (tmp_path / "file").write_text("in the way")
    use_store(settings, {"OBJECT_STORE": str(tmp_path / "file")})
    assert StoreWatch(check_store).read() == "down"
