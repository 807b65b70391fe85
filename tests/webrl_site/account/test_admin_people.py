from __future__ import annotations

from django.contrib.auth.models import Group, User
from django.test import Client

from curriculum.models import Review
from tests.factories import UserFactory
from tests.seed import Example
from tests.webrl_site.conftest import CountQueries

PEOPLE = "/admin/auth/user/"
ROLES = "/admin/auth/group/"


def delete(client: Client, person: User) -> str:
    url = f"{PEOPLE}{person.pk}/delete/"
    return client.post(url, {"post": "yes"}, follow=True).text


def delete_chosen(client: Client, url: str, pk: int) -> str:
    form = {"action": "delete_selected", "_selected_action": [pk], "post": "yes"}
    return client.post(url, form, follow=True).text


def test_the_list_shows_roles_and_the_last_sign_in(admin: Client):
    seen = admin.get(PEOPLE).text

    assert '<td class="field-roles">researcher</td>' in seen
    assert '<td class="field-roles">administrator</td>' in seen
    assert "column-last_login" in seen and "column-is_active" in seen


def test_people_are_searched_by_name(admin: Client):
    seen = admin.get(f"{PEOPLE}?q=annot").text

    assert "1 user" in seen and ">annotator</a></th>" in seen


def test_many_people_cost_no_more_questions(admin: Client, count_queries: CountQueries):
    few = count_queries(admin, PEOPLE)
    UserFactory.create_batch(5, roles=["annotator"])

    assert count_queries(admin, PEOPLE) == few


def test_who_did_something_is_deactivated_instead_of_deleted(
    admin: Client, example: Example
):
    person = Review.objects.all()[0].reviewer

    one, chosen = delete(admin, person), delete_chosen(admin, PEOPLE, person.pk)

    assert (
        "Deactivate the account instead" in one
        and "Deactivate the account instead" in chosen
    )
    assert User.objects.filter(pk=person.pk).exists()


def test_who_did_nothing_is_deleted(admin: Client):
    person = UserFactory()

    delete(admin, person)

    assert not User.objects.filter(pk=person.pk).exists()


def test_the_groups_of_roles_are_not_deleted(admin: Client):
    group = Group.objects.get(name="annotator")

    delete_chosen(admin, ROLES, group.pk)

    assert admin.post(f"{ROLES}{group.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Group.objects.filter(name="annotator").exists()


def test_the_groups_of_roles_keep_their_names(admin: Client):
    group = Group.objects.get(name="annotator")

    admin.post(f"{ROLES}{group.pk}/change/", {"name": "reviewer"})

    assert Group.objects.filter(name="annotator").exists()


def test_other_groups_are_the_administrators_own(admin: Client):
    group = Group.objects.create(name="night shift")

    admin.post(f"{ROLES}{group.pk}/change/", {"name": "day shift"})
    delete_chosen(admin, ROLES, group.pk)

    assert not Group.objects.filter(pk=group.pk).exists()
