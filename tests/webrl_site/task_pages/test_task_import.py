from __future__ import annotations

import json

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from curriculum.evolution.types import digest_task
from curriculum.models import Site, Task
from tests.webrl_site.conftest import SignIn

PUBLISHED = {"intent": "Find a post", "sites": ["reddit"], "start_url": "__REDDIT__"}
LITE = PUBLISHED | {
    "task_id": 81,
    "old_task_id": 5,
    "intent_template_id": 3,
    "eval": {
        "eval_types": ["string_match"],
        "reference_answers": {"must_include": "yjlou"},
    },
}


def send(client, tasks, button="import", name="tasks.json", **headers):
    text = tasks if isinstance(tasks, str) else json.dumps(tasks)
    file = SimpleUploadedFile(name, text.encode())
    sent = {"file": file, button: "yes"}
    return client.post("/curriculum/import/", sent, headers=headers)


def test_a_file_is_looked_at_without_writing(sign_in: SignIn):
    before = Task.objects.count()
    page = send(sign_in("researcher"), [LITE], "check").content.decode()
    assert Task.objects.count() == before
    assert "Nothing was imported yet" in page
    assert "must be a list of texts" in page


def test_what_the_import_would_refuse_is_told_at_the_first_look(sign_in: SignIn):
    bad = [{"task_id": 1, "sites": ["nosuch"], "intent": "x"}, {"foo": 1}]
    response = send(sign_in("researcher"), bad, "check")
    assert response.status_code == 422
    assert "task 1: sites: unknown site" in response.content.decode()


def test_looking_registers_no_sites(sign_in: SignIn):
    send(sign_in("researcher"), [LITE], "check")
    assert not Site.objects.filter(key="reddit").exists()


def test_a_published_file_is_imported_as_it_is(sign_in: SignIn):
    page = send(sign_in("researcher"), [LITE]).content.decode()
    task = Task.objects.get(key="webarena-lite.81")
    assert (task.split, task.site.key) == ("test", "reddit")
    assert "WebArena-Lite: 1 imported" in page
    assert "Sites without an address: reddit" in page


def test_its_sites_are_registered_once_and_keep_their_address(sign_in: SignIn):
    client = sign_in("researcher")
    send(client, [PUBLISHED])
    Site.objects.filter(key="reddit").update(base_url="http://forum.lab/")
    page = send(client, [PUBLISHED | {"intent": "Other"}]).content.decode()
    assert Site.objects.get(key="reddit").base_url == "http://forum.lab/"
    assert "Sites without an address" not in page


def test_a_mistake_is_named_with_line_and_field_and_nothing_is_written(
    sign_in: SignIn,
):
    before = Task.objects.count()
    bad = [PUBLISHED, "\n", PUBLISHED | {"intent": 5}]
    text = "\n".join(json.dumps(one) if one != "\n" else "" for one in bad)
    response = send(sign_in("researcher"), text)
    assert response.status_code == 422
    assert (
        "Line 3, task 2: intent: must be a non-empty string"
        in response.content.decode()
    )
    assert Task.objects.count() == before
    assert not Site.objects.filter(key="reddit").exists()


@pytest.mark.parametrize("button", ["check", "import"])
def test_the_chosen_file_stays_because_only_a_part_is_sent_back(
    button, sign_in: SignIn
):
    part = send(sign_in("researcher"), [LITE], button, hx_request="true")
    assert "<form" not in part.content.decode()
    assert "WebArena-Lite" in part.content.decode() or button == "check"


def test_the_part_says_what_is_wrong_with_the_file(sign_in: SignIn):
    part = send(sign_in("researcher"), [{"foo": 1}], "check", hx_request="true")
    assert part.status_code == 200
    assert "task 1: sites: must be a non-empty list" in part.content.decode()


@pytest.mark.parametrize("headers", [{}, {"hx_request": "true"}])
def test_every_mistake_is_told_at_once(headers, sign_in: SignIn):
    bad = [LITE | {"task_id": number, "intent": 5} for number in range(25)]
    page = send(sign_in("researcher"), bad, "check", **headers).content.decode()
    assert page.count("intent: must be a non-empty string") == 20
    assert page.count("5 more mistakes; fix these first") == 1


def test_a_form_without_a_file_says_so(sign_in: SignIn):
    response = sign_in("researcher").post("/curriculum/import/", {"import": "yes"})
    assert response.status_code == 422
    assert "This field is required" in response.content.decode()


def test_importing_is_for_researchers(sign_in: SignIn):
    assert sign_in("annotator").get("/curriculum/import/").status_code == 403
    page = sign_in("annotator").get("/curriculum/").content.decode()
    assert "/curriculum/import/" not in page


def test_text_from_the_file_is_shown_as_text(sign_in: SignIn):
    evil = LITE | {
        "eval": {
            "eval_types": ["program_html"],
            "program_html": [{"locator": "<script>alert(1)</script>"}],
        }
    }
    page = send(sign_in("researcher"), [evil], "check").content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Line 2, task 2: intent: must be a non-empty string."),
        ("es", "Línea 2, tarea 2: intent: debe ser un texto que no esté vacío."),
        ("zh-hans", "必须是非空文本。"),
    ],
)
def test_a_mistake_is_named_in_the_readers_language(
    language: str, said: str, sign_in: SignIn
):
    client = sign_in("researcher")
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    text = "\n".join(json.dumps(one) for one in (PUBLISHED, PUBLISHED | {"intent": 5}))

    assert said in send(client, text).content.decode()


def test_the_linter_speaks_the_readers_language(sign_in: SignIn):
    client = sign_in("researcher")
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "es"

    page = send(client, [LITE, LITE | {"task_id": 82}], "check").content.decode()

    assert "la misma instrucción que Línea 1, tarea 1" in page
    assert "reglas mal formadas: string_match.must_include debe ser una lista" in page
    assert "no se puede puntuar tal como está escrita" in page


def test_programs_are_told_of_mistakes_in_english(sign_in: SignIn):
    client = sign_in("researcher")
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"

    answer = client.post(
        "/api/tasks/import/", {"tasks": [{}]}, content_type="application/json"
    )

    assert "Task 1: sites: must be a non-empty list." in answer.content.decode()


def find_task_with_a_check() -> Task:
    rules = {
        "eval_types": ["string_match"],
        "reference_answers": {"exact_match": "5"},
    }
    task = Task.objects.filter(site__key="shop").first()
    assert task is not None
    task.spec = {"eval": rules}
    task.digest = digest_task(task.instruction, task.start_url)
    task.save()
    return task


@pytest.mark.parametrize(("answer", "warned"), [("5", False), ("6", True)])
def test_a_known_sentence_with_another_check_is_a_warning(
    answer: str, warned: bool, sign_in: SignIn
):
    known = find_task_with_a_check()
    rules = known.spec["eval"] | {"reference_answers": {"exact_match": answer}}
    mine = {
        "key": "mine.1",
        "sites": ["shop"],
        "intent": known.instruction.upper(),
        "start_url": known.start_url,
        "eval": rules,
    }
    said = f"the same instruction as {known.key}, with another check"

    for button in ("check", "import"):
        seen = send(sign_in("researcher"), [mine], button).content.decode()
        assert (said in seen) is warned
    assert Task.objects.filter(key="mine.1").exists()


@pytest.mark.parametrize("name", ["tasks.json", "tasks.csv"])
def test_the_samples_can_be_imported(name: str, sign_in: SignIn):
    text = (settings.BASE_DIR / "static/samples" / name).read_text()
    seen = send(sign_in("researcher"), text, name=name).content.decode()

    assert "2 imported, 0 already there" in seen
    assert "Every task can be scored" in seen


def test_the_page_names_what_a_file_needs_and_offers_samples(sign_in: SignIn):
    seen = sign_in("researcher").get("/curriculum/import/").content.decode()

    assert "<code>start_url</code>" in seen
    assert "samples/tasks" in seen
