from __future__ import annotations

import re
from urllib.parse import urlsplit

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import UserFactory
from tests.webrl_site.conftest import CountQueries, SignIn

FRESH = "quiet-river-7412"


def invite(admin: Client, name: str = "nora", role: str = "annotator") -> str:
    """Return the path of the link that the page shows."""
    return _find_link(admin.post("/people/", {"name": name, "role": role}).text)


def make_link(admin: Client, person: User) -> str:
    return _find_link(admin.post("/people/", {"person": person.pk}).text)


def _find_link(page: str) -> str:
    found = re.search(r">(http[^<]*/welcome/[^<]*)</textarea>", page)
    assert found, page
    return urlsplit(found[1]).path


def choose(link: str, password: str = FRESH) -> tuple[Client, str]:
    client = Client()
    form = client.get(link, follow=True)
    twice = {"new_password1": password, "new_password2": password}
    url = form.redirect_chain[-1][0] if form.redirect_chain else link
    return client, client.post(url, twice, follow=True).text


def roles_of(name: str) -> set[str]:
    groups = User.objects.get(username=name).groups
    return set(groups.values_list("name", flat=True))


def test_who_is_invited_chooses_a_password_and_is_signed_in(admin: Client):
    client, _ = choose(invite(admin))

    assert User.objects.get(username="nora").check_password(FRESH)
    assert client.get("/review/").status_code == 200
    assert client.get("/runs/").status_code == 403


def test_a_researcher_may_also_review(admin: Client):
    invite(admin, role="researcher")

    assert roles_of("nora") == {"annotator", "researcher"}


def test_a_link_works_once(admin: Client):
    link = invite(admin)
    choose(link)

    _, seen = choose(link, "another-river-7412")

    assert "This link no longer works" in seen
    assert User.objects.get(username="nora").check_password(FRESH)


def test_nobody_signs_in_without_a_chosen_password(admin: Client):
    invite(admin)

    assert not Client().login(username="nora", password="")
    assert "no password yet" in admin.get("/people/").text


def test_a_weak_password_is_refused_and_the_link_still_works(admin: Client):
    link = invite(admin)

    _, seen = choose(link, "short")
    choose(link)

    assert "at least 12 characters" in seen
    assert User.objects.get(username="nora").check_password(FRESH)


@pytest.mark.parametrize(
    "name", ["annotator", "ANNOTATOR", "\uff41nnotator", "two words", ""]
)
def test_a_name_in_use_or_with_odd_characters_is_refused(name: str, admin: Client):
    before = User.objects.count()

    seen = admin.post("/people/", {"name": name, "role": "annotator"}).text

    assert "errorlist" in seen and "/welcome/" not in seen
    assert User.objects.count() == before


def test_a_name_in_use_is_refused_in_capitals_of_any_alphabet(admin: Client):
    invite(admin, name="émile")

    seen = admin.post("/people/", {"name": "ÉMILE", "role": "annotator"}).text

    assert "There is an account ÉMILE already." in seen


def test_a_refused_name_says_which_characters_it_may_have(admin: Client):
    seen = admin.post("/people/", {"name": "two words", "role": "annotator"}).text
    assert "Use only letters, digits and @ . + - _." in seen


def test_a_forgotten_password_is_replaced_by_a_new_link(admin: Client):
    person = UserFactory(roles=["annotator"])

    choose(make_link(admin, person))

    person.refresh_from_db()
    assert person.check_password(FRESH)


def test_the_link_of_a_deactivated_account_does_not_work(admin: Client):
    link = invite(admin)
    person = User.objects.get(username="nora")

    admin.post(f"/people/{person.pk}/", {"active": "no"})

    assert "This link no longer works" in choose(link)[1]
    assert admin.post("/people/", {"person": person.pk}).status_code == 404


def test_a_deactivated_person_is_signed_out_and_comes_back(
    admin: Client, sign_in: SignIn
):
    client = sign_in("annotator")
    person = User.objects.get(username="annotator")

    admin.post(f"/people/{person.pk}/", {"active": "no"})
    out = client.get("/review/")
    admin.post(f"/people/{person.pk}/", {"active": "yes"})

    assert out["Location"].startswith("/sign-in/")
    assert sign_in("annotator").get("/review/").status_code == 200


def test_a_role_is_set_and_taken(admin: Client):
    invite(admin)
    person = User.objects.get(username="nora")

    admin.post(f"/people/{person.pk}/", {"role": "researcher"})
    more = roles_of("nora")
    admin.post(f"/people/{person.pk}/", {"role": ""})

    assert more == {"annotator", "researcher"} and roles_of("nora") == set()


@pytest.mark.parametrize("form", [{}, {"role": "king"}])
def test_an_unknown_role_changes_nothing(form: dict[str, str], admin: Client):
    invite(admin)
    person = User.objects.get(username="nora")

    seen = admin.post(f"/people/{person.pk}/", form, follow=True).text

    assert "There is no such role." in seen and roles_of("nora") == {"annotator"}


def test_administrators_are_not_changed_here(admin: Client):
    me = User.objects.get(username="admin")

    for change in ({"role": "annotator"}, {"active": "no"}):
        seen = admin.post(f"/people/{me.pk}/", change, follow=True).text
        assert "Administrators are changed under Admin." in seen

    me.refresh_from_db()
    assert me.is_active and me.is_superuser and roles_of("admin") == set()


def test_no_link_is_made_for_an_administrator(admin: Client):
    me = User.objects.get(username="admin")

    assert f'value="{me.pk}"' not in admin.get("/people/").text
    assert admin.post("/people/", {"person": me.pk}).status_code == 404


def test_changes_are_in_the_admins_history(admin: Client):
    invite(admin)
    person = User.objects.get(username="nora")

    admin.post(f"/people/{person.pk}/", {"role": "researcher"})
    make_link(admin, person)

    said = LogEntry.objects.filter(object_id=str(person.pk)).order_by("pk")
    assert list(said.values_list("user__username", "change_message")) == [
        ("admin", "Invited as annotator."),
        ("admin", "Role: researcher."),
        ("admin", "New link to choose a password."),
    ]


@pytest.mark.parametrize("name", ["annotator", "researcher"])
def test_only_administrators_see_and_change_people(name: str, sign_in: SignIn):
    client, me = sign_in(name), User.objects.get(username=name)

    assert client.get("/people/").status_code == 403
    assert client.post("/people/", {"person": me.pk}).status_code == 403
    assert client.post(f"/people/{me.pk}/", {"role": "researcher"}).status_code == 403
    assert "/people/" not in client.get("/").text


def test_many_people_need_no_more_queries(admin: Client, count_queries: CountQueries):
    few = count_queries(admin, "/people/")
    UserFactory.create_batch(5, roles=["annotator"])

    assert count_queries(admin, "/people/") == few
