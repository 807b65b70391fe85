from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from tests.factories import TaskFactory, TrajectoryFactory
from tests.webrl_site.conftest import SignIn
from webrl_site.templatetags.workbench import NOTHING, decimal, percent, plain, points

TEMPLATES = sorted(Path(__file__).resolve().parents[2].glob("templates/**/*.html"))


def test_the_design_shows_each_component_to_admins_alone(sign_in: SignIn):
    seen = sign_in("admin").get("/styleguide/").content.decode()

    assert "badge-warn" in seen and "This field is required." in seen
    assert sign_in("researcher").get("/styleguide/").status_code == 403
    assert sign_in("").get("/styleguide/").status_code == 302


@pytest.mark.parametrize(
    ("cookie", "is_compact"), [("compact", True), ("x", False), ("", False)]
)
def test_the_density_is_there_before_any_script(
    cookie: str, is_compact: bool, client: Client
):
    client.cookies["density"] = cookie

    seen = client.get("/sign-in/").content.decode()

    assert ('data-density="compact"' in seen) == is_compact


def test_the_account_menu_says_who_it_is_and_leads_to_what_is_theirs(sign_in: SignIn):
    admin = sign_in("admin").get("/").content.decode()
    annotator = sign_in("annotator").get("/").content.decode()

    assert "/account/tokens/" in annotator and "/admin/" in admin
    assert "/admin/" not in annotator


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "yes"),
        (1.0526315789473684, "1.05263"),
        (["forum", "shop"], "forum, shop"),
        ([], NOTHING),
        (None, NOTHING),
        (0, 0),
    ],
)
def test_settings_are_written_as_people_write_them(value: object, text: object):
    assert plain(value) == text


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1 / 8, "13 %"), (3 / 8, "38 %"), (0.145, "15 %"), (0.1249, "12 %"), (1, "100 %")],
)
def test_half_a_per_cent_is_rounded_up(value: float, shown: str):
    assert percent(value) == shown


def test_numbers_that_have_no_digits_to_round_stay_as_they_are():
    assert [decimal(n, 1) for n in (float("inf"), float("nan"), 1e20)] == [
        "inf",
        "nan",
        f"{1e20:.1f}",
    ]


def test_every_hour_is_told_in_the_readers_zone():
    bare = []
    for path in TEMPLATES:
        text = re.sub(r"<time\b.*?</time>", "", path.read_text(), flags=re.S)
        bare += [(path.name, one) for one in re.findall(r'\|date:"[^"]*H:i', text)]

    assert bare == []


def test_no_page_names_a_zone_that_the_settings_may_replace():
    assert [path.name for path in TEMPLATES if "UTC" in path.read_text()] == []


@pytest.mark.parametrize(
    ("difference", "text"),
    [
        (0.08, "+8"),
        (-0.094, "\N{MINUS SIGN}9"),
        (0.0, "0"),
        (-0.001, "0"),
        (1.0, "+100"),
    ],
)
def test_a_difference_of_shares_has_a_sign(difference: float, text: str):
    assert points(difference) == text


@pytest.mark.parametrize(("repeats", "is_long"), [(1, False), (20, True)])
def test_a_long_instruction_has_a_smaller_title(
    repeats: int, is_long: bool, sign_in: SignIn
):
    task = TaskFactory(instruction="Buy a mug. " * repeats)
    episode = TrajectoryFactory(task=task)
    client = sign_in("annotator")

    for path in (f"/curriculum/{task.pk}/", f"/trajectories/{episode.pk}/"):
        seen = client.get(path).content.decode()
        assert ('<h1 class="long-title">' in seen) == is_long, path
