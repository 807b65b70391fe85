from __future__ import annotations

import pytest

from tests.seed import Example
from tests.webrl_site.conftest import SignIn

FOR_BOTH = [
    "/",
    "/curriculum/",
    "/curriculum/{task}/",
    "/curriculum/{task}/try/",
    "/curriculum/sites/",
    "/review/",
    "/trajectories/",
    "/trajectories/{trajectory}/",
    "/trajectories/{trajectory}/steps/2/",
    "/trajectories/{trajectory}/live/",
    "/account/tokens/",
]
FOR_RESEARCHERS = [
    "/curriculum/import/",
    "/runs/",
    "/runs/new/",
    "/runs/new/?from={run}",
    "/runs/{run}/config.json",
    "/runs/compare/?run={run}",
    "/runs/queue/",
    "/runs/notices/",
    "/runs/{run}/",
    "/phases/{phase}/",
    "/phases/{phase}/log/",
    "/phases/{phase}/record/",
    "/phases/{phase}/record.json",
    "/phases/{failed}/edit/",
    "/training/{training}/",
    "/charts/",
    "/charts/success.csv",
]
POSTS = [
    "/runs/{run}/notes/",
    "/runs/{run}/phases/",
    "/phases/{phase}/stop/",
    "/phases/{phase}/resume/",
    "/phases/{phase}/finish-review/",
]


def fill(url: str, example: Example) -> str:
    return url.format(
        task=example.evolved[0].pk,
        trajectory=example.trajectory.pk,
        run=example.run.pk,
        phase=example.review_phase.pk,
        failed=example.failed_phase.pk,
        training=example.closed_phase.training_run.pk,
    )


def test_a_visitor_is_sent_to_sign_in(sign_in: SignIn, example: Example):
    for url in FOR_BOTH + FOR_RESEARCHERS:
        response = sign_in("").get(fill(url, example))

        assert response.status_code == 302, url
        assert response["Location"].startswith("/sign-in/?next="), url


@pytest.mark.parametrize("who", ["annotator", "researcher", "admin"])
def test_both_roles_and_the_admin_see_the_shared_pages(
    who: str, sign_in: SignIn, example: Example
):
    for url in FOR_BOTH:
        assert sign_in(who).get(fill(url, example)).status_code == 200, url


@pytest.mark.parametrize(
    ("who", "status"), [("researcher", 200), ("admin", 200), ("annotator", 403)]
)
def test_researchers_see_their_pages_and_annotators_do_not(
    who: str, status: int, sign_in: SignIn, example: Example
):
    for url in FOR_RESEARCHERS:
        assert sign_in(who).get(fill(url, example)).status_code == status, url


def test_annotators_cannot_steer_phases(sign_in: SignIn, example: Example):
    for url in POSTS:
        response = sign_in("annotator").post(fill(url, example))

        assert response.status_code == 403, url


def test_phases_are_never_steered_by_a_link(sign_in: SignIn, example: Example):
    for url in POSTS:
        response = sign_in("researcher").get(fill(url, example))

        assert response.status_code == 405, url


def test_a_new_person_is_told_that_they_have_no_role(sign_in: SignIn, example: Example):
    example.annotator.groups.clear()

    response = sign_in("annotator").get("/")

    seen = response.content.decode()
    assert response.status_code == 403
    assert "You have no role yet" in seen and "annotator" in seen
    assert "Go home" not in seen and "/account/tokens/" not in seen


def test_a_person_without_a_role_changes_their_password(
    sign_in: SignIn, example: Example
):
    example.annotator.groups.clear()

    assert sign_in("annotator").get("/account/password/").status_code == 200


def test_a_page_for_another_role_says_who_may_open_it(sign_in: SignIn):
    seen = sign_in("annotator").get("/runs/").content.decode()

    assert "A researcher or an admin can." in seen and "Go home" in seen


def test_the_navigation_shows_only_what_the_role_may_open(sign_in: SignIn):
    seen = sign_in("annotator").get("/").content.decode()

    assert "/review/" in seen
    assert 'href="/runs/"' not in seen
    assert 'href="/charts/"' not in seen
