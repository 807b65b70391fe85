from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from webrl_site.server import file_transport

file_transport.register()


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    options = {"folder": str(tmp_path), "polling_interval": 0.001}
    with Connection("files://localhost/", transport_options=options) as made:
        yield made


def folder(tmp_path: Path) -> Path:
    return tmp_path / "queue-loop"


def receive(connection: Connection) -> list[object]:
    found: list[object] = []
    with connection.SimpleQueue("loop") as queue:
        while True:
            try:
                message = queue.get(block=False)
            except Empty:
                return found
            found.append(message.payload)
            message.ack()


def send(connection: Connection, *payloads: object) -> None:
    with connection.SimpleQueue("loop") as queue:
        for payload in payloads:
            queue.put(payload)


def test_messages_arrive_in_order_and_once(connection: Connection) -> None:
    send(connection, {"n": 1}, {"n": 2}, {"n": 3})

    assert receive(connection) == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert receive(connection) == []


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "\x00", "[" * 100_000])
def test_a_file_that_is_no_message_is_put_aside(
    connection: Connection, tmp_path: Path, content: str
) -> None:
    folder(tmp_path).mkdir()
    (folder(tmp_path) / "0000-bad.json").write_text(content)
    send(connection, "good")

    assert receive(connection) == ["good"]
    assert [path.name for path in (tmp_path / "dead").iterdir()] == ["0000-bad.json"]


def test_old_rings_are_dropped_when_nobody_answers(
    connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_transport, "MAX_MESSAGES", 3)
    send(connection, *range(10))

    assert receive(connection) == [7, 8, 9]


def test_a_queue_name_cannot_leave_the_folder(
    connection: Connection, tmp_path: Path
) -> None:
    with connection.SimpleQueue("../../elsewhere") as queue:
        queue.put("x")

    assert [path.name for path in tmp_path.iterdir()] == ["queue-..%2F..%2Felsewhere"]


def test_a_queue_can_be_counted_and_emptied(connection: Connection) -> None:
    send(connection, 1, 2)
    with connection.SimpleQueue("loop") as queue:
        assert queue.qsize() == 2
        assert queue.clear() == 2
        assert queue.qsize() == 0


def test_many_takers_never_get_the_same_message(tmp_path: Path) -> None:
    options = {"folder": str(tmp_path)}
    got: list[object] = []

    def take() -> None:
        with Connection("files://localhost/", transport_options=options) as mine:
            got.extend(receive(mine))

    with Connection("files://localhost/", transport_options=options) as sender:
        send(sender, *range(200))
    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(got) == list(range(200))  # type: ignore[type-var]
