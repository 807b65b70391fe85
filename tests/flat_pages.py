"""Pages as a browser lays them out: white space that nobody sees is taken away.

Tests compare what a page says; where its template breaks a line is the template's own
business. What people type or read as it stands, in <textarea> and <pre>, is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

AS_IT_STANDS = re.compile(
    r"(<(?:textarea|pre)\b[^>]*>)(.*?)(?=</(?:textarea|pre)>)", re.S
)
BLOCKS = (
    "html|head|body|title|meta|link|script|style|div|p|ul|ol|li|dl|dt|dd|table|caption"
    "|thead|tbody|tfoot|tr|td|th|section|article|header|footer|nav|main|aside|form"
    "|fieldset|legend|h[1-6]|figure|figcaption|details|summary|dialog|option|select"
    "|button|hr|blockquote|progress"
)
# A no-break space is text.
SPACE = r"[ \t\r\n\f]"
AROUND_BLOCKS = re.compile(rf"{SPACE}*(</?(?:{BLOCKS})\b[^>]*>){SPACE}*")


def flatten(page: str) -> str:
    """Return the page with each run of white space as one space, none at blocks."""
    parts = AS_IT_STANDS.split(page)
    # Outside, an opening tag, and the text that is kept, again and again.
    for number in range(0, len(parts), 3):
        parts[number] = _squeeze(parts[number])
    for number in range(1, len(parts), 3):
        parts[number] = _squeeze(parts[number])
    return "".join(parts)


def _squeeze(html: str) -> str:
    one_line = re.sub(rf"{SPACE}+", " ", html).replace(" >", ">")
    return AROUND_BLOCKS.sub(r"\1", one_line)


class FlatPages:
    """The last to touch an answer in tests: flattens HTML that is not streamed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        kind = response.headers.get("Content-Type", "")
        is_ours = not request.path.startswith("/recorded/")
        is_page = kind.startswith("text/html")
        if is_ours and is_page and isinstance(response, HttpResponse):
            response.content = flatten(response.content.decode()).encode()
        return response
