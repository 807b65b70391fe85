"""The admin's pages of people and roles; what people did keeps their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.db.models import PROTECT, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy

from curriculum.access.roles import ROLES

if TYPE_CHECKING:
    Accounts = UserAdmin[User]
else:
    Accounts = UserAdmin

admin.site.unregister([User, Group])


@admin.register(User)
class PersonAdmin(Accounts):
    """Shows people's roles and last visits; deletes nobody whose name rows need."""

    list_display = ("username", "roles", "last_login", "is_active")

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return super().get_queryset(request).prefetch_related("groups")

    @admin.display(description=gettext_lazy("roles"))
    def roles(self, person: User) -> str:
        names = [group.name for group in person.groups.all()]
        return ", ".join([gettext("administrator")] * person.is_superuser + names)

    def get_deleted_objects(
        self, objs: Sequence[User] | QuerySet[User], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """Say what to do instead, and do not list thousands of reviews."""
        busy = [person.get_username() for person in objs if has_work(person)]
        if not busy:
            return super().get_deleted_objects(objs, request)
        reason = gettext(
            "Reviews, verdicts or other work of %(names)s, which must keep "
            "their author. Deactivate the account instead: untick Active on "
            "its page. The person can no longer sign in, and their tokens "
            "stop working."
        )
        return [], {}, set(), [reason % {"names": ", ".join(busy)}]


@admin.register(Group)
class RoleAdmin(GroupAdmin):
    """The groups of roles are identified by their names."""

    def has_delete_permission(
        self, request: HttpRequest, obj: Group | None = None
    ) -> bool:
        return not is_role(obj) and super().has_delete_permission(request, obj)

    def get_readonly_fields(
        self, request: HttpRequest, obj: Group | None = None
    ) -> list[str] | tuple[str, ...]:
        fields = super().get_readonly_fields(request, obj)
        return [*fields, "name"] if is_role(obj) else fields


def is_role(group: Group | None) -> bool:
    return group is not None and group.name in ROLES


def has_work(person: User) -> bool:
    """Say whether rows name the person that may not lose their author."""
    return any(
        relation.related_model._default_manager.filter(
            **{relation.field.name: person}
        ).exists()
        for relation in User._meta.related_objects
        if relation.on_delete is PROTECT
    )
