from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Any

from django.conf import settings

from rollouts.artifacts import artifact_path, store, store_html
from rollouts.browser.errors import explain_notes
from rollouts.models import HumanVerdict, Step, Trajectory
from rollouts.selectors.pages import trajectories_in_full
from tests.factories import StepFactory, TrajectoryFactory
from tests.seed import Example
from tests.webrl_site.conftest import SignIn
from webrl_site.replay.bundle import Bundle


def unpack(data: bytes) -> dict[str, bytes]:
    """Files by their path inside the bundle's folder."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        names = archive.namelist()
        assert {name.split("/")[0] for name in names} == {names[0].split("/")[0]}
        return {name.split("/", 1)[1]: archive.read(name) for name in names}


def pack(trajectory: Trajectory) -> bytes:
    row = trajectories_in_full().get(pk=trajectory.pk)
    return b"".join(Bundle(row).stream())


def test_the_manifest_names_every_file_with_its_digest(example: Example):
    files = unpack(pack(example.trajectory))
    manifest = json.loads(files.pop("manifest.json"))

    assert manifest["format"] == "webrl-episode/1"
    assert {entry["path"]: entry["sha256"] for entry in manifest["files"]} == {
        path: hashlib.sha256(data).hexdigest() for path, data in files.items()
    }


def test_everything_that_the_page_names_is_inside(example: Example):
    files = unpack(pack(example.trajectory))
    page = files["index.html"].decode()

    assert "http" not in page.replace("http-equiv", "").replace("http://shop", "")
    for step in example.trajectory.steps.all():
        assert f'src="pages/{step.snapshot}.html"' in page
        assert f"pages/{step.snapshot}.html" in files
    assert page.count('id="step-') >= 4
    assert page.count("<iframe") == page.count('<iframe sandbox=""') == 8


def test_the_same_episode_gives_the_same_bytes(example: Example):
    assert pack(example.trajectory) == pack(example.trajectory)


def test_the_record_holds_what_the_page_shows(example: Example):
    HumanVerdict.objects.create(
        trajectory=example.trajectory, author=example.annotator, verdict="unclear"
    )

    record = json.loads(unpack(pack(example.trajectory))["episode.json"])

    assert record["trajectory"]["id"] == example.trajectory.pk
    assert record["checks"] == example.trajectory.outcome_checks
    assert [step["index"] for step in record["steps"]] == [0, 1, 2, 3]
    assert record["steps"][1]["prompt"][0]["content"].startswith("Task Instruction")
    assert record["steps"][0]["experiences"][0]["value"] is not None
    assert record["verdicts"][2]["who"] == "annotator"


def test_the_timeline_tells_the_episode_in_words(example: Example):
    text = unpack(pack(example.trajectory))["timeline.txt"].decode()

    assert f"Task: {example.trajectory.task.instruction}" in text
    assert "Step 3 of 4: Click [12]\n" in text
    assert "  failed: Element 12 is not on this page.\n" in text
    assert '  target: <a id="1"> Enamel camping mug </a>\n' in text


def test_what_came_of_an_action_is_told_apart_from_failures(example: Example):
    told = explain_notes(frozenset(), ["Sure?"])
    Step.objects.filter(trajectory=example.trajectory).update(error=told)

    files = unpack(pack(example.trajectory))

    page = files["index.html"].decode()
    assert f"  told: {told}\n" in files["timeline.txt"].decode()
    assert page.count("A dialog said &quot;Sure?&quot;") >= 4
    assert "The action failed" not in page
    assert "tile-error" not in page


def test_a_page_that_is_gone_is_named_as_missing(example: Example):
    digest = store_html(Path(settings.ARTIFACTS_DIR), "<p>Soon gone</p>")
    Step.objects.filter(trajectory=example.trajectory, index=1).update(snapshot=digest)
    artifact_path(Path(settings.ARTIFACTS_DIR), digest, ".html.gz").unlink()

    files = unpack(pack(example.trajectory))

    path = f"pages/{digest}.html"
    assert path not in files
    assert json.loads(files["episode.json"])["missing_files"] == [path]
    assert "1 recorded file could not be read" in files["index.html"].decode()


def test_screenshots_come_along(example: Example):
    digest = store(Path(settings.ARTIFACTS_DIR), b"\xff\xd8 a picture", ".jpg")
    Step.objects.filter(trajectory=example.trajectory).update(screenshot=digest)

    files = unpack(pack(example.trajectory))

    assert files[f"screenshots/{digest}.jpg"] == b"\xff\xd8 a picture"
    assert f'src="screenshots/{digest}.jpg"' in files["index.html"].decode()


def test_an_episode_without_steps_has_a_bundle_too(example: Example):
    queued = Trajectory.objects.filter(status="queued").first()
    assert queued

    assert "index.html" in unpack(pack(queued))


def test_what_a_model_wrote_is_never_markup(example: Example):
    attack = "</pre><script>alert(1)</script>"
    Step.objects.filter(trajectory=example.trajectory).update(
        output=attack, observation=attack, title=attack, error=attack
    )

    assert b"<script>alert" not in unpack(pack(example.trajectory))["index.html"]


def test_a_bundle_of_nothing_is_not_found(sign_in: SignIn, example: Example):
    response = sign_in("annotator").get("/trajectories/999999/bundle.zip")

    assert response.status_code == 404


def test_the_archive_is_sent_while_it_is_written(sign_in: SignIn):
    trajectory = TrajectoryFactory()
    StepFactory(trajectory=trajectory)

    response: Any = sign_in("annotator").get(
        f"/trajectories/{trajectory.pk}/bundle.zip"
    )
    chunks = list(response.streaming_content)

    assert response["Content-Type"] == "application/zip"
    assert f"episode-{trajectory.pk}.zip" in response["Content-Disposition"]
    assert len(chunks) > 10
    assert "manifest.json" in unpack(b"".join(chunks))
