from __future__ import annotations

import threading
from pathlib import Path

import pytest

from webrl_site.env import Env, EnvError, keep_secret


@pytest.mark.parametrize("word", ["1", "true", "Yes", " ON "])
def test_yes_is_yes(word: str) -> None:
    assert Env({"X": word}).flag("X") is True


@pytest.mark.parametrize("word", ["0", "false", "No", "off", ""])
def test_no_is_no(word: str) -> None:
    assert Env({"X": word}).flag("X", default=True) is False


def test_what_is_not_set_has_its_default() -> None:
    env = Env({})

    assert env.text("X", "a") == "a"
    assert env.flag("X", default=True) is True
    assert env.integer("X", 3) == 3
    assert env.decimal("X", 1.5) == 1.5
    assert env.items("X", ("a",)) == ["a"]
    assert env.secret("X") == ""


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("flag", "maybe"),
        ("integer", "1.5"),
        ("integer", "0"),
        ("decimal", "nan"),
        ("decimal", "x"),
        ("decimal", "0.5"),
    ],
)
def test_a_bad_value_is_named(kind: str, value: str) -> None:
    env = Env({"SOME_NAME": value})
    calls = {
        "flag": lambda: env.flag("SOME_NAME"),
        "integer": lambda: env.integer("SOME_NAME", 1, low=1),
        "decimal": lambda: env.decimal("SOME_NAME", 1.0, low=1.0),
    }

    with pytest.raises(EnvError, match="SOME_NAME"):
        calls[kind]()


def test_lists_and_paths_are_read(tmp_path: Path) -> None:
    env = Env({"L": "a, b,,c ", "P": str(tmp_path / "x")})

    assert env.items("L") == ["a", "b", "c"]
    assert env.path("P", Path("/y")) == tmp_path / "x"
    assert env.path("Q", Path("/y")) == Path("/y")


def test_a_secret_comes_from_its_variable_or_its_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("hidden\n")

    assert Env({"K": "open"}).secret("K") == "open"
    assert Env({"K_FILE": str(file)}).secret("K") == "hidden"


def test_a_secret_given_twice_or_in_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvError, match="not both"):
        Env({"K": "a", "K_FILE": "b"}).secret("K")
    with pytest.raises(EnvError, match="K_FILE"):
        Env({"K_FILE": str(tmp_path / "none")}).secret("K")


def test_a_secret_s_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"\xff\xfe")

    with pytest.raises(EnvError, match="K_FILE must name a file of UTF-8 text"):
        Env({"K_FILE": str(tmp_path / "key")}).secret("K")


@pytest.mark.parametrize("zone", ["Mars/Base", "/etc", "America", "../x"])
def test_what_is_no_time_zone_is_named(zone: str) -> None:
    assert Env({"Z": "Europe/Madrid"}).time_zone("Z", "UTC") == "Europe/Madrid"

    with pytest.raises(EnvError, match="Z must be a time zone"):
        Env({"Z": zone}).time_zone("Z", "UTC")


def test_a_generated_secret_is_kept_and_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "key"
    first = keep_secret(path)

    assert len(first) >= 50
    assert keep_secret(path) == first
    assert path.stat().st_mode & 0o077 == 0
    assert [entry.name for entry in path.parent.iterdir()] == ["key"]


def test_processes_that_start_together_share_one_secret(tmp_path: Path) -> None:
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(keep_secret(tmp_path / "key")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(set(found)) == 1


def test_an_address_that_may_hold_a_password_is_not_repeated() -> None:
    env = Env({"X_URL": "ftp://me:geheim@host", "Y_URL": "hooks/T0/geheim"})

    for name in ("X_URL", "Y_URL"):
        with pytest.raises(EnvError) as error:
            env.address(name, is_shown=name == "X_URL")
        assert name in str(error.value)
        assert "geheim" not in str(error.value)


def test_a_word_of_a_few_may_be_in_small_letters() -> None:
    assert Env({"LEVEL": "debug"}).choice("LEVEL", "INFO", ("DEBUG", "INFO")) == "DEBUG"
