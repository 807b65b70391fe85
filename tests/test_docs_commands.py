"""The docs' commands are ones that `./webrl` takes."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

import pytest

from scripts.workbench.cli import build_parser
from tests.test_docs import ALL_DOCS, read

# Begins a line of code or stands between code marks, after variables if there are any.
COMMAND = re.compile(r"(?:^ +|`)(?:[A-Z_0-9]+=\S+ )*\./webrl ([a-z][^`|\n#]*)", re.M)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


def list_verbs() -> dict[str, argparse.ArgumentParser]:
    actions = build_parser()._actions
    (verbs,) = (one for one in actions if isinstance(one, argparse._SubParsersAction))
    return dict(verbs.choices)


def list_options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for kind in action.choices.values():
                yield from list_options(kind)


def passes_all_on(parser: argparse.ArgumentParser) -> bool:
    return any(action.nargs == argparse.REMAINDER for action in parser._actions)


def list_mistakes(text: str) -> list[str]:
    verbs, found = list_verbs(), []
    for command in COMMAND.findall(text):
        verb = re.match(r"[\w-]+", command)
        parser = verbs.get(verb[0]) if verb else None
        if parser is None:
            found.append(command)
        elif not passes_all_on(parser):
            known = set(list_options(parser))
            found += [one for one in OPTION.findall(command) if one not in known]
    return found


@pytest.mark.parametrize("document", ALL_DOCS)
def test_commands_have_only_options_that_exist(document: str):
    assert list_mistakes(read(document)) == []


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("`./webrl sft NAME --copies N`", []),
        ("    A=1 ./webrl drill R9 --hasty    # a word", ["--hasty"]),
        ("`./webrl fly`", ["fly"]),
        ("what ./webrl does", []),
        ("`./webrl manage check --deploy`", []),
    ],
)
def test_a_mistake_is_found(text: str, mistakes: list[str]):
    assert list_mistakes(text) == mistakes
