"""A query that is composed once answers like the one that Django composes anew."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef
from django.utils import timezone

from curriculum.models import DeskKeys, Flag, Task
from curriculum.selectors.prepared import (
    Prepared,
    PreparedObjects,
    PreparedUpdate,
    moment,
    number,
    text,
)
from tests.factories import TaskFactory

pytestmark = pytest.mark.django_db


def test_each_time_is_asked_with_its_own_values():
    first, second = TaskFactory.create_batch(2)
    query = Prepared(lambda: Task.objects.filter(pk=number("task")).values_list("key"))

    assert query.ask(task=first.pk) == [(first.key,)]
    assert query.ask(task=second.pk) == [(second.key,)]


def test_values_reach_subqueries_and_may_stand_twice():
    task, other = TaskFactory.create_batch(2)
    person = User.objects.create_user("ann")
    Flag.objects.create(task=task, author=person, note="odd")
    flags = Flag.objects.filter(task=OuterRef("pk"), author_id=number("person"))
    query = Prepared(
        lambda: (
            Task.objects.filter(~Exists(flags), pk__gt=number("person") * 0)
            .order_by("pk")
            .values_list("pk")
        )
    )

    assert query.ask(person=person.pk) == [(other.pk,)]
    assert query.ask(person=person.pk + 1) == [(task.pk,), (other.pk,)]


def test_times_go_in_and_json_comes_out_as_the_fields_have_them():
    person = User.objects.create_user("ann", last_login=timezone.now())
    DeskKeys.objects.create(person=person, keys={"accept": "j"})
    query = Prepared(
        lambda: DeskKeys.objects.filter(
            person__last_login__lt=moment("now"), person__username=text("name")
        ).values_list("keys", "person__last_login")
    )

    soon = timezone.now() + timedelta(seconds=1)

    assert query.ask(now=soon, name="ann") == [({"accept": "j"}, person.last_login)]
    assert query.ask(now=soon - timedelta(days=1), name="ann") == []


def test_a_value_that_is_missing_or_none_is_refused():
    query = Prepared(lambda: Task.objects.filter(pk=number("task")).values_list("key"))

    with pytest.raises(KeyError):
        query.ask()
    with pytest.raises(ValueError, match="task is None"):
        query.ask(task=None)


def test_a_query_that_never_has_a_row_is_a_mistake():
    with pytest.raises(ValueError, match="never"):
        Prepared(lambda: Task.objects.filter(pk__in=[]).values_list("key")).ask()


def test_objects_come_with_their_relations_and_without_what_was_left_out():
    task = TaskFactory(instruction="Buy a lamp.")
    query = PreparedObjects(
        lambda: (
            Task.objects.filter(pk=number("task"))
            .select_related("site", "parent")
            .only("instruction", "spec", "site__key", "parent__key")
        )
    )

    found = query.first(task=task.pk)

    assert found == task
    assert found.__dict__.keys() >= {"id", "instruction", "spec", "site_id"}
    assert "start_url" in found.get_deferred_fields()
    assert found.spec == task.spec
    assert found.site.key == task.site.key
    assert found.parent is None


def test_objects_cost_one_query_and_can_be_saved(django_assert_num_queries):
    task = TaskFactory()
    query = PreparedObjects(
        lambda: Task.objects.filter(pk=number("task")).select_related("site")
    )

    with django_assert_num_queries(1):
        found = query.ask(task=task.pk)[0]
        assert found.site.key
    found.instruction = "Buy two lamps."
    found.save()

    assert Task.objects.get().instruction == "Buy two lamps."


def test_of_no_object_none_is_the_first():
    query = PreparedObjects(lambda: Task.objects.filter(pk=number("task")))

    assert query.first(task=1) is None
    assert query.ask(task=1) == []


def test_an_update_changes_what_it_finds_and_says_how_much():
    task, other = TaskFactory.create_batch(2, instruction="Buy a lamp.")
    update = PreparedUpdate(
        lambda: Task.objects.filter(pk=number("task"), instruction=text("before")),
        instruction=text("after"),
        leased_until=moment("until"),
    )
    until = timezone.now()
    given = {"task": task.pk, "after": "Buy two lamps.", "until": until}

    assert update.carry_out(before="Buy a lamp.", **given) == 1
    assert update.carry_out(before="Buy a lamp.", **given) == 0
    task.refresh_from_db()
    other.refresh_from_db()
    assert (task.instruction, task.leased_until) == ("Buy two lamps.", until)
    assert other.instruction == "Buy a lamp."
