from __future__ import annotations

import re

import pytest
from django.test import Client

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

    researcher.post(url, {"notes": "", "tags": ""})
    example.run.refresh_from_db()
    assert not example.run.keep_evidence
    assert " checked" not in find_box(researcher, example)


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
