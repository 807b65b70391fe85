"""The sandbox's shop as an external site: one state for all, a login, and bad days.

A small proxy in front of one episode of the sandbox. It wants a session, which may
expire; it can fail, or not answer; and a call puts the shop back to its first state.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx

from rollouts.browser.types import SignIn
from rollouts.sites.sandbox.background import Sandbox, running_sandbox

FORM = (
    "<form method=post action=/sign-in><input id=user name=user>"
    "<input id=password name=password type=password><button>Sign in</button></form>"
)
SIGN_IN = SignIn(
    "/sign-in", (("#user", "emma"), ("#password", "s3cret")), "button", ".brand"
)
RESET_KEY = "reset-key"
PASSED_ON = ("content-type", "location")


class RemoteSandbox:
    """What the proxy knows; a test changes it while episodes run."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._inside = httpx.Client(trust_env=False)
        self.sessions: set[str] = set()
        self.sign_ins = self.resets = 0
        self.status = 200
        # While it is not set, nobody gets an answer.
        self.answers = threading.Event()
        self.answers.set()
        self.port = 0
        self._open()

    @property
    def url(self) -> str:
        return f"http://remote.test.localhost:{self.port}"

    def reset(self) -> None:
        self.resets += 1
        self._open()

    def close(self) -> None:
        self._inside.close()

    def _open(self) -> None:
        url = f"{self._sandbox.control_url}/episodes"
        opened = self._inside.post(url, json={"sites": ["shop"]}).json()
        self._host = opened["origins"]["shop"].removeprefix("http://")

    def answer(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        self.answers.wait(30)
        if path == "/reset":
            if headers.get("Authorization") != RESET_KEY:
                return 403, {}, b""
            self.reset()
            return 204, {}, b""
        if self.status != 200:
            return self.status, {}, b"bad day"
        if method == "POST" and path == "/sign-in" and b"password=s3cret" in body:
            return self._let_in()
        if not any(one in headers.get("Cookie", "") for one in self.sessions):
            return 200, {"Content-Type": "text/html"}, FORM.encode()
        return self._pass_on(method, path, headers, body)

    def _let_in(self) -> tuple[int, dict[str, str], bytes]:
        self.sign_ins += 1
        session = secrets.token_hex(8)
        self.sessions.add(session)
        cookie = f"session={session}; Path=/"
        return 303, {"Location": "/", "Set-Cookie": cookie}, b""

    def _pass_on(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        kept = {"Content-Type": headers.get("Content-Type", ""), "Host": self._host}
        url = f"http://127.0.0.1:{self._sandbox.port}{path}"
        got = self._inside.request(method, url, headers=kept, content=body)
        theirs = {k: v for k, v in got.headers.items() if k in PASSED_ON}
        return got.status_code, theirs, got.content


@contextmanager
def running_remote() -> Iterator[RemoteSandbox]:
    with running_sandbox() as sandbox:
        remote = RemoteSandbox(sandbox)
        server = ThreadingHTTPServer(("127.0.0.1", 0), _make_handler(remote))
        remote.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield remote
        finally:
            remote.answers.set()
            server.shutdown()
            server.server_close()
            thread.join()
            remote.close()


def _make_handler(remote: RemoteSandbox) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            heads = dict(self.headers.items())
            status, headers, data = remote.answer(self.command, self.path, heads, body)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = _answer

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler
