"""The pages in each language, and what stays the same in all of them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import polib
import pytest
from django.conf import settings
from django.test import Client
from django.utils import translation
from django.utils.functional import Promise

from curriculum.forms import (
    AgreementForm,
    FilterForm,
    TaskFilterForm,
    ValueBandForm,
    WaitingFilterForm,
)
from rollouts.forms import TrajectoryFilterForm
from tests.catalogues import SPOKEN, read_texts
from tests.seed import Example
from tests.webrl_site.account.test_roles import FOR_BOTH, FOR_RESEARCHERS, fill
from tests.webrl_site.conftest import CountQueries, SignIn

LANGUAGES = [code for code, _ in settings.LANGUAGES if code != "en"]
FOR_REVIEWERS = [
    f"/review/{name}/"
    for name in ("agreement", "bulk", "disputes", "gold", "guidelines", "progress")
]
PAGES = [
    url
    for url in FOR_BOTH + FOR_RESEARCHERS + FOR_REVIEWERS
    if not url.endswith((".json", ".csv"))
]
# These differ from one answer to the next, or say where one is.
PASSING = {"value", "content", "lang", "hx-headers", "data-version", "datetime"}


def speak(client: Client, language: str) -> Client:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    return client


def read(client: Client, url: str) -> str:
    response = client.get(url)
    assert response.status_code == 200, url
    return response.content.decode()


def english_texts(language: str) -> set[str]:
    """Return the whole texts that this language says in other words."""
    folder = Path(settings.LOCALE_PATHS[0]) / translation.to_locale(language)
    entries = polib.pofile(str(folder / "LC_MESSAGES/django.po"))
    return {
        entry.msgid
        for entry in entries
        if entry.msgid != entry.msgstr and "%(" not in entry.msgid
    }


class Attributes(HTMLParser):
    """Gathers what machines read of a page, in its order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [
            (tag, name, value) for name, value in attrs if name not in SPOKEN | PASSING
        ]


def test_a_page_is_in_english_unless_asked_otherwise(sign_in: SignIn):
    page = sign_in("researcher").get("/runs/")

    assert '<html lang="en"' in page.content.decode()
    assert "Accept-Language" in page["Vary"]
    assert "script-texts" not in page.content.decode()


def test_a_thread_speaks_after_a_request_as_it_did_before(sign_in: SignIn):
    before = translation.get_language()

    read(speak(sign_in("annotator"), "es"), "/")

    assert translation.get_language() == before


def test_a_browser_that_asks_for_a_language_gets_it(sign_in: SignIn):
    page = sign_in("").get("/sign-in/", headers={"Accept-Language": "es-MX,es;q=0.9"})

    assert '<html lang="es"' in page.content.decode()
    assert "Entrar" in page.content.decode()


@pytest.mark.parametrize(
    ("language", "runs"), [("zh-hans", "运行"), ("es", "Ejecuciones")]
)
def test_the_language_is_chosen_without_scripts_and_kept(
    language: str, runs: str, sign_in: SignIn
):
    client = sign_in("researcher")

    answer = client.post("/language/", {"language": language, "next": "/runs/"})

    assert answer["Location"] == "/runs/"
    assert f"<h1>{runs}</h1>" in read(client, "/runs/")


def test_the_switch_leads_to_no_other_host(sign_in: SignIn):
    choice = {"language": "es", "next": "https://elsewhere.example/"}

    assert sign_in("").post("/language/", choice)["Location"] == "/"


@pytest.mark.parametrize("url", PAGES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_say_no_text_of_the_catalogue_in_english(
    language: str, url: str, sign_in: SignIn, example: Example
):
    page = read(speak(sign_in("researcher"), language), fill(url, example))

    left = set(read_texts(page)) & english_texts(language)

    # A language is named in itself; values and keys of settings are codes.
    assert left - {"English", "paper", "reference", "observation"} == set()


@pytest.mark.parametrize("url", PAGES)
def test_what_machines_read_is_the_same_in_each_language(
    url: str, sign_in: SignIn, example: Example
):
    address = fill(url, example)
    english, spanish = (
        Attributes(read(speak(sign_in("researcher"), language), address)).found
        for language in ("en", "es")
    )

    own = {("script", "id", "script-texts"), ("script", "type", "application/json")}
    chosen = ("button", "aria-current", "true")
    assert [one for one in spanish if one not in own and one != chosen] == [
        one for one in english if one not in own and one != chosen
    ]


def test_programs_are_answered_in_english(sign_in: SignIn, example: Example):
    client = speak(sign_in("researcher"), "zh-hans")

    problem = client.get("/api/v1/runs/999999/")
    file = client.get(f"/charts/success.csv?run={example.run.pk}").content.decode()

    assert problem.status_code == 404
    assert problem.content.decode().isascii()
    assert "Accept-Language" not in problem.get("Vary", "")
    assert file.startswith("series,at,percent") and "Phase 1" in file


def test_decimals_are_written_as_the_reader_writes_them(
    sign_in: SignIn, example: Example
):
    spanish = read(speak(sign_in("researcher"), "es"), "/curriculum/value-band/")

    assert re.search(r"de 0,\d\d a 0,\d\d", spanish)
    assert re.search(r'name="low"[^>]* value="0\.\d\d"', spanish)


def test_the_scripts_texts_come_with_the_page(sign_in: SignIn):
    page = read(speak(sign_in("researcher"), "es"), "/runs/")

    assert '<script id="script-texts" type="application/json">' in page
    assert "Tema: claro" in page


def test_a_language_costs_no_query(sign_in: SignIn, count_queries: CountQueries):
    english = count_queries(sign_in("researcher"), "/runs/")

    assert count_queries(speak(sign_in("researcher"), "zh-hans"), "/runs/") == english


@pytest.mark.parametrize(
    "form",
    [
        TaskFilterForm,
        WaitingFilterForm,
        ValueBandForm,
        AgreementForm,
        TrajectoryFilterForm,
    ],
)
def test_filters_are_called_in_the_readers_language(form: type[FilterForm]):
    fields = [one for one in form.base_fields.values() if not one.widget.is_hidden]
    labels = [field.label for field in fields if field.label]
    choices = [label for field in fields for _, label in getattr(field, "choices", ())]

    plain = [text for text in labels + choices if not isinstance(text, Promise)]
    assert plain == []
