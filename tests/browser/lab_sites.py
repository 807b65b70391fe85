"""Stand-ins for two of WebArena's sites: their sign-in forms and their manners.

The shop redirects to its own base address, as Magento does, and wants the form key of
its page back; the forum wants its CSRF token. Both name their session PHPSESSID. What
a lab does to its containers is done at /control/...
"""

from __future__ import annotations

import dataclasses
import secrets
import threading
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

USER, PASSWORD = "emma.lopez@gmail.com", "Password.123"
FIRST = "127 items"


@dataclasses.dataclass(frozen=True)
class Form:
    """What differs between the two sites.

    Attributes:
        path: Where the form is; it is sent to the same address.
        token: The hidden field that must come back.
        fields: Name of the person's field and of the password's.
        html: The visible fields and the button.
        signed_in: What only a person who is signed in sees.
    """

    path: str
    token: str
    fields: tuple[str, str]
    html: str
    signed_in: str


SHOP = Form(
    "/customer/account/login/",
    "form_key",
    ("login[username]", "login[password]"),
    "<input id=email name='login[username]'>"
    "<input id=pass type=password name='login[password]'>"
    "<button id=send2>Sign In</button>",
    "<span class=customer-welcome>Welcome, Emma</span>",
)
FORUM = Form(
    "/login",
    "_csrf_token",
    ("_username", "_password"),
    "<input name=_username><input type=password name=_password><button>Log in</button>",
    "<form action=/logout method=post><button>Log out</button></form>",
)


class LabSite(ThreadingHTTPServer):
    """One instance on loopback; `base` is the address that it takes for its own."""

    def __init__(self, form: Form, base: str = "") -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.form = form
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.base = base or self.url
        self.text = FIRST
        self.tokens: dict[str, str] = {}
        self.known: set[str] = set()
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    """Answers for a `LabSite`."""

    server: LabSite

    def do_GET(self) -> None:
        """Show a page, at the base address only."""
        if self.server.base != self.server.url:
            self._answer(302, "", ("Location", self.server.base + self.path))
        elif self.path == self.server.form.path:
            self._show_form()
        else:
            known = self._session() in self.server.known
            who = self.server.form.signed_in if known else "<p>Sign in</p>"
            self._answer(200, f"<title>Lab</title>{who}<p>{self.server.text}</p>")

    def do_POST(self) -> None:
        """Sign a person in, or do what a lab does to the container."""
        size = int(self.headers.get("Content-Length") or 0)
        sent = {k: v[0] for k, v in parse_qs(self.rfile.read(size).decode()).items()}
        if self.path.startswith("/control/"):
            self._control(self.path.removeprefix("/control/"))
        else:
            self._sign_in(sent)

    def _control(self, what: str) -> None:
        site = self.server
        if what == "reset":
            site.text = FIRST
            site.known.clear()
        elif what == "change":
            site.text = "128 items"
        elif what == "base":
            site.base = site.url
        self._answer(200, "")

    def _show_form(self) -> None:
        form, session = self.server.form, secrets.token_hex(8)
        token = self.server.tokens[session] = secrets.token_hex(8)
        hidden = f"<input type=hidden name={form.token} value={token}>"
        page = f"<form method=post action={form.path}>{hidden}{form.html}</form>"
        self._answer(200, page, self._cookie(session))

    def _sign_in(self, sent: dict[str, str]) -> None:
        form, session = self.server.form, self._session()
        wanted = dict(zip(form.fields, (USER, PASSWORD), strict=True))
        wanted[form.token] = self.server.tokens.get(session, "")
        if sent != wanted:
            self._answer(403, "<p>Invalid form key</p>")
            return
        fresh = secrets.token_hex(8)
        self.server.known.add(fresh)
        self._answer(302, "", ("Location", "/"), self._cookie(fresh))

    def _session(self) -> str:
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("PHPSESSID")
        return cookie.value if cookie else ""

    def _cookie(self, session: str) -> tuple[str, str]:
        return "Set-Cookie", f"PHPSESSID={session}; Path=/; HttpOnly"

    def _answer(self, status: int, text: str, *headers: tuple[str, str]) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(data)))):
            self.send_header(name, value)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
