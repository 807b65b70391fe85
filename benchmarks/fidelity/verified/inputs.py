"""Generated answers and requests for WebArena-Verified's tasks, fixed by the seed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode, urlsplit

ORIGINS = {
    "shopping": "http://shop.example:7770",
    "shopping_admin": "http://shop.example:7780/admin",
    "reddit": "http://forum.example:9999",
    "gitlab": "http://git.example:8023",
    "map": "http://map.example:3000",
    "wikipedia": "http://wiki.example:8888",
}
JSON, FORM = "application/json", "application/x-www-form-urlencoded"
PAGE = "text/html"
Ending = tuple[str | None, list[dict[str, Any]]]


def draw_endings(task: dict[str, Any], count: int, seed: int) -> Iterator[Ending]:
    """Yield answers with the requests sent; in the first, both are right."""
    rng = random.Random(f"{seed} {task['task_id']}")
    for number in range(count):
        right = number == 0
        answer = _answer(task, rng, right)
        yield answer, _requests(task, rng, right or rng.random() < 0.4)


def _answer(task: dict[str, Any], rng: random.Random, right: bool) -> str | None:
    expected = dict(task["eval"][0]["expected"])
    expected["task_type"] = expected["task_type"].upper()
    if right:
        return json.dumps(expected)
    kind = rng.randrange(9)
    if kind == 0:
        return rng.choice((None, "", "done", "[]", "{}", "null", '{"status": 5}'))
    if kind == 1:
        expected["status"] = rng.choice(("SUCCESS", "not_found_error", "", "ok"))
    elif kind == 2:
        expected["task_type"] = rng.choice(("retrieve", "MUTATE", "navigate", "x"))
    elif kind == 3:
        expected.pop(rng.choice(list(expected)))
    else:
        expected["retrieved_data"] = _vary(expected.get("retrieved_data"), rng)
    text = json.dumps(expected, ensure_ascii=rng.random() < 0.5)
    return f"Here it is:\n```json\n{text}\n```" if rng.random() < 0.2 else text


def _vary(value: Any, rng: random.Random) -> Any:
    if isinstance(value, list):
        return _vary_list(value, rng)
    if isinstance(value, dict):
        changed = {name: _vary(one, rng) for name, one in value.items()}
        if changed and rng.random() < 0.1:
            changed.pop(rng.choice(list(changed)))
        return changed
    return _vary_value(value, rng)


def _vary_list(value: list[Any], rng: random.Random) -> Any:
    kind = rng.randrange(5)
    if kind == 0:
        return rng.sample(value, len(value))
    if kind == 1:
        return value[:-1]
    if kind == 2:
        return value[0] if len(value) == 1 else [*value, value[-1]]
    return [_vary(one, rng) for one in value]


def _vary_value(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return rng.choice((value, not value, str(value), "yes", "no", int(value)))
    if isinstance(value, int | float):
        shown = (f"{value:,}", f"${value:.2f}", f"{value} USD", str(value))
        return rng.choice((value, float(value), value + 0.001, value + 1, *shown))
    if isinstance(value, str):
        shaped = (value.upper(), f" {value} ", value[:-1], f"{value}.", value.title())
        spaced = (value.replace(" ", "-"), value.replace("min", " minutes"))
        return rng.choice((value, value, *shaped, *spaced, [value], None))
    return rng.choice((value, "N/A", 0, []))


def _requests(
    task: dict[str, Any], rng: random.Random, right: bool
) -> list[dict[str, Any]]:
    sent = [_entry("GET", url, 200) for url in task["start_urls"]]
    for rule in task["eval"][1:]:
        if rule.get("should_not_exist") and right:
            continue
        sent.append(_expected(rule["expected"], rng, right))
    return [_place(entry) for entry in sent]


def _expected(
    wanted: dict[str, Any], rng: random.Random, right: bool
) -> dict[str, Any]:
    url = _first(wanted["url"])
    if wanted.get("query_params"):
        pairs = {name: _first(one) for name, one in wanted["query_params"].items()}
        url += ("&" if urlsplit(url).query else "?") + urlencode(pairs)
    body = {name: _first(one) for name, one in (wanted.get("post_data") or {}).items()}
    status = int(_first(wanted.get("response_status") or 200))
    method = str(_first(wanted.get("http_method") or "GET"))
    if not right:
        url, body, status, method = _spoil(url, body, status, method, rng)
    entry = _entry(method, url, status)
    if body:
        kind = rng.choice((FORM, JSON))
        text = urlencode(body) if kind == FORM else json.dumps(body)
        entry["request"]["postData"] = {"mimeType": kind, "text": text}
    for name, value in (wanted.get("headers") or {}).items():
        pair = {"name": name, "value": str(_first(value))}
        entry["request"]["headers"].append(pair)
    if wanted.get("response_content"):
        text = json.dumps(wanted["response_content"])
        entry["response"]["content"] = {"mimeType": JSON, "text": text}
    return entry


def _spoil(
    url: str, body: dict[str, Any], status: int, method: str, rng: random.Random
) -> tuple[str, dict[str, Any], int, str]:
    kind = rng.randrange(6)
    if kind == 0:
        url += rng.choice(("/", "?x=1", "/more", "#part"))
    elif kind == 1:
        status = rng.choice((200, 302, 404, 500))
    elif kind == 2:
        method = rng.choice(("GET", "POST", "PUT", "DELETE"))
    elif kind == 3 and body:
        body = dict(list(body.items())[:-1])
    elif kind == 4:
        body = {name: _vary_value(one, rng) for name, one in body.items()}
    return url, body, status, method


def _entry(method: str, url: str, status: int) -> dict[str, Any]:
    kept = {"accept": PAGE, "sec-fetch-dest": "document", "sec-fetch-mode": "navigate"}
    headers = [{"name": name, "value": value} for name, value in kept.items()]
    headers.append({"name": "sec-fetch-user", "value": "?1"})
    moved = f"{url}/done" if 300 <= status < 400 else ""
    return {
        "request": {"method": method, "url": url, "headers": headers},
        "response": {
            **{"status": status, "redirectURL": moved, "headers": []},
            **{"cookies": [], "content": {"mimeType": PAGE, "text": ""}},
        },
    }


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _place(entry: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(entry)
    for site, origin in sorted(ORIGINS.items(), key=lambda one: -len(one[0])):
        text = text.replace(f"__{site.upper()}__", origin)
    placed: dict[str, Any] = json.loads(text)
    return placed
