"""A client of the WebRL Workbench's API, in one file that needs only httpx.

    from webrl_client import Workbench

    with Workbench("https://webrl.example.org", token="wrl_...") as workbench:
        run = workbench.launch("night shift", preset="demo", seed=7)
        for event in workbench.watch(run["last_phase"]):
            print(event["kind"], event["data"])
        workbench.export("steps", "steps.parquet", phase=run["last_phase"])

Copy it to where your trainer or script runs. Every POST carries an idempotency key,
so that a request whose answer was lost is sent again and done once.
"""

from __future__ import annotations

import email.utils
import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

Row = dict[str, Any]

LIMIT = 500
TRIES = 4
TIMEOUT_S = 60.0
# The longest wait between two tries, even if a server asks for more.
MAX_WAIT_S = 3600.0
# Events that may appear only after one with a higher id was read.
LOOK_BACK = 200
# A phase with one of these does not progress by itself.
ENDED = frozenset({"closed", "stopped", "failed"})
# Asks for a mark after an export, which the answer's header of this name gives.
_END = "X-Export-End"
_AGAIN = frozenset({429, 502, 503, 504})


class WorkbenchProblem(Exception):
    """The workbench refused or redirects; the members are of its problem JSON.

    Attributes:
        status: The HTTP status.
        kind: The last word of the problem's type, such as "phase-conflict".
        detail: What to do, in words.
        errors: What is wrong, by field.
        body: The whole problem.
    """

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.kind = str(body.get("type", "")).rstrip("/").rpartition("/")[2]
        self.detail = str(body.get("detail", ""))
        self.errors: Mapping[str, Any] = body.get("errors", {})
        self.body = body
        super().__init__(f"{status} {self.kind}: {self.detail} {self.errors or ''}")


class IncompleteExport(httpx.TransportError):
    """An export's answer ended too early; no file was written. Export again."""


class Workbench:
    """The API at one address, in one person's name.

    Args:
        url: The dashboard's address; WEBRL_URL unless given.
        token: A token from /account/tokens/; WEBRL_TOKEN unless given.
        transport: Another way to send requests, for tests.
    """

    def __init__(
        self,
        url: str = "",
        token: str = "",
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        url = url or os.environ.get("WEBRL_URL", "http://localhost:8000")
        token = token or os.environ.get("WEBRL_TOKEN", "")
        self._sleep = sleep
        self._http = httpx.Client(
            base_url=f"{url.rstrip('/')}/api/",
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=TIMEOUT_S,
            transport=transport,
        )

    def __enter__(self) -> Workbench:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def get(self, path: str, **params: Any) -> Row:
        """Return one resource: `get("phases/3/")`."""
        return self._object(self._send("GET", path, params=_given(params)))

    def rows(self, path: str, **filters: Any) -> Iterator[Row]:
        """Yield every row of a list, page by page: `rows("tasks/", split="test")`."""
        params: dict[str, Any] | None = {"limit": LIMIT} | _given(filters)
        following: str | None = path
        while following:
            page = self._object(self._send("GET", following, params=params))
            yield from page["results"]
            # The address of the next page names the filters again.
            following, params = page["next"], None

    def post(self, path: str, body: Any = None, *, key: str = "") -> Row:
        """Do something once, even if it has to be sent again; {} for an empty answer.

        Args:
            path: Below /api/.
            body: JSON.
            key: The idempotency key; a new one unless given.
        """
        headers = {"Idempotency-Key": key or uuid.uuid4().hex}
        return self._object(
            self._send("POST", path, json={} if body is None else body, headers=headers)
        )

    def me(self) -> Row:
        """Who the token belongs to, and what it may do."""
        return self.get("me/")

    def launch(self, name: str, *, preset: str = "demo", **settings: Any) -> Row:
        """Make a run and open its first phase; returns the run, with `last_phase`.

        `settings` are config, seed, auto_accept, policy_uri, critic_uri, orm_uri,
        served_uri and notes, as in docs/api.md.
        """
        body = {"name": name, "preset": preset, "launch": True, **settings}
        return self.post("runs/", body)

    def open_phase(self, run_id: int) -> Row:
        """Open the run's next phase."""
        return self.post(f"runs/{run_id}/phases/")

    def stop(self, phase_id: int) -> Row:
        """Stop a phase; it keeps what it has."""
        return self.post(f"phases/{phase_id}/stop/")

    def resume(self, phase_id: int) -> Row:
        """Resume a stopped or failed phase."""
        return self.post(f"phases/{phase_id}/resume/")

    def finish_review(self, phase_id: int) -> Row:
        """Set aside undecided tasks and let the phase continue."""
        return self.post(f"phases/{phase_id}/finish-review/")

    def watch(self, phase_id: int, *, every_s: float = 2.0) -> Iterator[Row]:
        """Yield the phase's events from its first on, each once, until it has ended.

        An event that was written late may come after one with a higher id.
        """
        seen: set[int] = set()
        while True:
            ended = self.get(f"phases/{phase_id}/")["status"] in ENDED
            start = max(0, max(seen, default=0) - LOOK_BACK)
            seen = {event_id for event_id in seen if event_id > start}
            for event in self.rows("events/", phase=phase_id, after=start):
                if event["id"] not in seen:
                    seen.add(event["id"])
                    yield event
            if ended:
                return
            self._sleep(every_s)

    def import_tasks(self, tasks: list[Row]) -> Row:
        """Add tasks in WebArena's format: all of them, or none."""
        return self.post("tasks/import/", {"tasks": tasks})

    def claim_review(self, phase_id: int | None = None) -> Row | None:
        """Reserve the next task; None when nothing waits."""
        return self.post("reviews/claim/", {"phase": phase_id}) or None

    def decide(self, claim: Row, decision: str, **more: Any) -> Row:
        """Decide a reserved task: accept, edit, reject or skip.

        `more` are edited_instruction, reason, note, seconds_spent, skip_to and
        guideline. Where the claim's opinion is hidden, `look_first` comes before.
        """
        return self.post("reviews/", {**_lease(claim), "decision": decision, **more})

    def look_first(self, claim: Row, decision: str, **more: Any) -> Row:
        """Decide blind: accept, edit or reject; return the claim with the opinion."""
        body = {**_lease(claim), "decision": decision, **more}
        return self.post("reviews/first-look/", body)

    def export(
        self, kind: str, file: str | Path, format: str = "", **filters: Any
    ) -> int:
        """Write a whole list to a file; return its size in bytes.

        The file appears only when it is complete; until then an earlier one stays.

        Args:
            kind: tasks, trajectories, steps or reviews.
            file: Its ending sets the format, unless `format` is given.
            format: jsonl, csv, parquet, webrl, sft or webarena.
            filters: Those of the list.

        Raises:
            IncompleteExport: The answer ended before the export did.
            OSError: The file cannot be written.
        """
        path = Path(file)
        format = format or path.suffix.lstrip(".")
        params = _given(filters) | {"format": format}
        # Two exports to the same file at a time do not write into one another's.
        partial = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.part")
        try:
            mark = self._download(f"exports/{kind}/", params, partial)
            _cut_mark(partial, mark)
            _check_end(partial, format)
            size = partial.stat().st_size
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
        return size

    def _download(self, path: str, params: Row, file: Path) -> bytes:
        """Write an answer to a file; return the mark that it has to end with."""
        headers = {_END: "yes"}
        with self._http.stream("GET", path, params=params, headers=headers) as response:
            if not response.is_success:
                response.read()
                raise _problem(response)
            with file.open("wb") as output:
                try:
                    for part in response.iter_bytes():
                        output.write(part)
                except (httpx.TransportError, httpx.DecodingError) as error:
                    raise _incomplete(str(error)) from error
                # A compressed answer is longer in the file than on its way.
                received = response.num_bytes_downloaded or output.tell()
            length = response.headers.get("Content-Length", "")
            if length.isdecimal() and received < int(length):
                raise _incomplete(f"{received} of {length} bytes came")
            return str(response.headers.get(_END, "")).encode()

    def _send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send until there is an answer; what is sent again is safe to repeat."""
        for attempt in range(1, TRIES + 1):
            is_last = attempt == TRIES
            try:
                response = self._http.request(method, path, **options)
            except httpx.TransportError:
                if is_last:
                    raise
                self._sleep(2.0**attempt / 2)
                continue
            if is_last or not _may_repeat(response):
                break
            asked = _read_retry_after(response.headers.get("Retry-After", ""))
            pause = 2.0**attempt / 2 if asked is None else asked
            self._sleep(min(pause, MAX_WAIT_S))
        if not response.is_success:
            raise _problem(response)
        return response

    @staticmethod
    def _object(response: httpx.Response) -> Row:
        found: Row = response.json() if response.content else {}
        return found


def _may_repeat(response: httpx.Response) -> bool:
    if response.status_code in _AGAIN:
        return True
    # Only the conflict with the client's own first request resolves itself.
    return response.status_code == 409 and "Retry-After" in response.headers


def _read_retry_after(text: str) -> float | None:
    """Return the seconds until the moment that a server names; None if it names none.

    It may be a number of seconds or, as proxies write it, a date.
    """
    if text.strip().isdecimal():
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return max(moment.timestamp() - time.time(), 0.0)


def _problem(response: httpx.Response) -> WorkbenchProblem:
    if not response.is_error:
        # Nothing was done. Following a redirect could send the token to another host.
        target = response.headers.get("Location", "no address")
        detail = f"The server redirects to {target}: use its address as url."
        return WorkbenchProblem(response.status_code, {"detail": detail})
    try:
        body = response.json()
    except ValueError:
        body = {"detail": response.text[:200]}
    known = body if isinstance(body, dict) else {"detail": str(body)[:200]}
    return WorkbenchProblem(response.status_code, known)


def _cut_mark(file: Path, mark: bytes) -> None:
    """Remove the mark of a whole export; a server of an earlier version sends none.

    Raises:
        IncompleteExport: The mark is missing.
    """
    with file.open("r+b") as content:
        size = max(content.seek(0, os.SEEK_END) - len(mark), 0)
        content.seek(size)
        if content.read() != mark:
            raise _incomplete("its end mark is missing")
        content.truncate(size)


def _check_end(file: Path, format: str) -> None:
    """Refuse a file that lacks its format's end: the connection may not have told.

    Raises:
        IncompleteExport: It ends in the middle of a line or of a table.
    """
    end = b"PAR1" if format == "parquet" else b"\n"
    with file.open("rb") as content:
        size = content.seek(0, os.SEEK_END)
        content.seek(max(size - len(end), 0))
        is_whole = content.read() == end
    # Lists without rows have no lines; the other formats have a head.
    if not is_whole and (size or format in ("csv", "parquet")):
        raise _incomplete(f"the {format} file has no end")


def _incomplete(reason: str) -> IncompleteExport:
    told = "The answer ended before the export was complete"
    return IncompleteExport(f"{told}: {reason}. Export again.")


def _lease(claim: Row) -> Row:
    return {"task": claim["task"]["id"], "token": claim["token"]}


def _given(params: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}
