"""Decides tasks at the review desk in one process; prints what each decision cost.

`benchmarks/decision.py` starts it with this checkout's code on the path, or an older
one's, so it uses only what both have.
"""

from __future__ import annotations

import html
import json
import os
import re
import sys
import time

import django

FIELD = re.compile(r'name="(task_id|token|csrfmiddlewaretoken)"\s+value="([^"]*)"')
TEXT = re.compile(r'data-original="([^"]*)"')
WARM = 20


def main(count: int) -> None:
    """Decide `count` tasks, after some that warm up and are not counted."""
    from django.conf import settings
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from benchmarks.desk_rows import open_desk

    with open_desk(1, count + WARM + 10) as desk:
        client = Client(HTTP_HOST="localhost:8000")
        client.cookies[settings.SESSION_COOKIE_NAME] = desk.sessions[0]
        phase = str(desk.phase_id)
        page = client.get("/review/", {"phase": phase}).content.decode()
        spent: list[float] = []
        for number in range(count + WARM):
            fields = dict(FIELD.findall(page))
            text = html.unescape(TEXT.findall(page)[0])
            fields |= {
                "decision": "accept",
                "instruction": f"{text} Number {number}.",
                "phase": phase,
                "seconds_spent": "4",
            }
            # A browser does the same while the person reads.
            client.get("/review/warm/", {"phase": phase})
            began = time.process_time()
            answer = client.post("/review/decide/", fields, HTTP_HX_REQUEST="true")
            spent.append(1000 * (time.process_time() - began))
            page = answer.content.decode()
            if "Edited and accepted" not in page:
                raise SystemExit(f"The decision was not taken: {answer.status_code}")
        fields = dict(FIELD.findall(page)) | {
            "decision": "accept",
            "phase": phase,
            "seconds_spent": "4",
        }
        fields["instruction"] = html.unescape(TEXT.findall(page)[0])
        client.get("/review/warm/", {"phase": phase})
        with CaptureQueriesContext(connection) as asked:
            client.post("/review/decide/", fields, HTTP_HX_REQUEST="true")
    found = {"ms": spent[WARM:], "queries": len(asked), "bytes": len(page)}
    if os.environ.get("SHOW_QUERIES"):
        found["sql"] = [one["sql"] for one in asked.captured_queries]
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    django.setup()
    main(int(sys.argv[1]))
