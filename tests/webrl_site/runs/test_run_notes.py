from __future__ import annotations

import re

import pytest
from django.test import Client

from curriculum.models import Run
from tests.factories import RunFactory
from tests.seed import Example


def test_notes_and_tags_are_kept(researcher: Client, example: Example):
    data = {"notes": "Odd <b>seed</b>", "tags": "Ablation, beta ablation"}

    researcher.post(f"/runs/{example.run.pk}/notes/", data)

    example.run.refresh_from_db()
    assert example.run.notes == "Odd <b>seed</b>"
    assert example.run.tag_names == ["ablation", "beta"]
    seen = researcher.get(f"/runs/{example.run.pk}/").content.decode()
    assert "Odd &lt;b&gt;" in seen


def test_evidence_is_kept_by_a_box_and_given_up_without_it(
    researcher: Client, example: Example
):
    url = f"/runs/{example.run.pk}/notes/"

    researcher.post(url, {"notes": "", "tags": "", "keep_evidence": "on"})
    example.run.refresh_from_db()
    assert example.run.keep_evidence
    assert " checked" in find_box(researcher, example)

    researcher.post(url, {"notes": "", "tags": "", "before_keep_evidence": "on"})
    example.run.refresh_from_db()
    assert not example.run.keep_evidence
    assert " checked" not in find_box(researcher, example)


def fill(client: Client, run: Run, **typed: str | None) -> dict[str, str]:
    """Open the run's page, and return its form as filled in; None unticks a box."""
    seen = client.get(f"/runs/{run.pk}/").context["said"]
    shown = {"notes": seen.notes, "tags": seen.tags}
    if seen.keep_evidence:
        shown["keep_evidence"] = "on"
    before = {f"before_{name}": value for name, value in shown.items()}
    return {k: v for k, v in (before | shown | typed).items() if v is not None}


def test_a_page_that_was_opened_before_clears_nothing_of_others(
    researcher: Client, example: Example
):
    url, run = f"/runs/{example.run.pk}/notes/", example.run
    old = fill(researcher, run, notes="Typed on a page opened before")
    researcher.post(url, fill(researcher, run, tags="night", keep_evidence="on"))

    assert researcher.post(url, old).status_code == 302

    run.refresh_from_db()
    assert (run.notes, run.tag_names) == ("Typed on a page opened before", ["night"])
    assert run.keep_evidence


def test_what_two_people_changed_is_shown_to_the_second_with_both_texts(
    researcher: Client, example: Example
):
    url, run = f"/runs/{example.run.pk}/notes/", example.run
    old = fill(researcher, run, notes="Mine", tags="mine")
    theirs = {"notes": "Theirs,\r\nat length", "keep_evidence": "on"}
    researcher.post(url, fill(researcher, run, **theirs))

    refused = researcher.post(url, old)

    assert refused.status_code == 409
    run.refresh_from_db()
    assert (run.notes, run.tag_names) == ("Theirs,\nat length", [])
    shown, said = refused.content.decode(), refused.context["said"]
    assert "Mine</textarea>" in shown and "Theirs,\nat length</pre>" in shown
    assert (said.tags, said.keep_evidence) == ("mine", True)

    # Compared; saved again, it goes over what was shown.
    again = {"before_notes": said.before.notes, "before_keep_evidence": "on"}
    researcher.post(url, again | {"notes": "Both", "tags": "mine"})
    run.refresh_from_db()
    assert (run.notes, run.tag_names, run.keep_evidence) == ("Both", ["mine"], False)


def test_unticking_a_box_that_was_found_ticked_gives_the_evidence_up(
    researcher: Client, example: Example
):
    url, run = f"/runs/{example.run.pk}/notes/", example.run
    researcher.post(url, fill(researcher, run, keep_evidence="on"))

    researcher.post(url, fill(researcher, run, keep_evidence=None))

    run.refresh_from_db()
    assert not run.keep_evidence


def test_the_form_brings_what_it_was_filled_with(researcher: Client):
    run = RunFactory(notes="A b", tags=" night ", keep_evidence=True)

    seen = researcher.get(f"/runs/{run.pk}/").content.decode()

    found = re.findall(r'name="before_(\w+)" value="([^"]*)"', seen)
    assert dict(found) == {"notes": "A b", "tags": "night", "keep_evidence": "on"}


def find_box(client: Client, example: Example) -> str:
    seen = client.get(f"/runs/{example.run.pk}/").content.decode()
    [box] = re.findall(r'<input[^>]*name="keep_evidence"[^>]*>', seen)
    return box


def test_the_list_is_filtered_by_a_whole_tag(researcher: Client):
    wanted = RunFactory(tags=" beta ")
    RunFactory(tags=" beta-2 ")

    seen = researcher.get("/runs/?tag=beta").context

    assert list(seen["page"]) == [wanted]
    assert seen["tags"] == ["beta", "beta-2"]


@pytest.mark.parametrize("tags", ["<script>", "x" * 41, " ".join("abcdefghi")])
def test_a_wrong_tag_is_refused_at_its_field_and_costs_no_note(
    tags: str, researcher: Client, example: Example
):
    data = {"notes": "Found at last", "tags": tags, "keep_evidence": "on"}

    response = researcher.post(f"/runs/{example.run.pk}/notes/", data)

    example.run.refresh_from_db()
    assert (example.run.tags, example.run.notes) == ("", "")
    seen = response.content.decode()
    assert 'aria-describedby="tags-error tags-help" aria-invalid="true"' in seen
    assert "Nothing was saved." in seen
    assert "Found at last</textarea>" in seen
    assert response.context["said"].tags == tags
    assert response.context["said"].keep_evidence
