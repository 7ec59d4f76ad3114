"""People and teams: what they may do, what they own, and the few actions of administrators on them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse

from timeline_app.web.admin.base import ReadOnly, format_moment, get_staff_user, make_titled_filter
from timeline_app.web.admin.forms import HeirForm, RoleForm, TransferForm
from timeline_app.web.core.permissions import get_role
from timeline_app.web.core.sharing import delete_person, set_role, transfer_all
from timeline_app.web.models.people import Role
from timeline_app.web.people.selectors import KINDS
from timeline_app.web.people.services import delete_team, set_active

admin.site.unregister((User, Group))
# Rename Django's models; only these pages show the names.
for model, singular, plural in ((User, "person", "persons"), (Group, "team", "teams")):
    model._meta.verbose_name, model._meta.verbose_name_plural = singular, plural


def annotate_ownership(queryset: QuerySet[Any], field: str) -> QuerySet[Any]:
    """Annotate how many resources of each kind belong to each holder, in one query."""
    for kind in KINDS:
        rows = kind._default_manager.filter(**{field: OuterRef("pk")}).order_by().values(field)
        count = Subquery(rows.annotate(many=Count("pk")).values("many"), output_field=IntegerField())
        queryset = queryset.annotate(**{f"has_{kind.kind_name()}": Coalesce(count, 0)})
    return queryset


class Holders(ReadOnly):
    """A page of people or teams."""

    field = "owner"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return annotate_ownership(super().get_queryset(request), self.field)

    @admin.display(description="owns")
    def owns(self, holder: Any) -> str:
        """Return how many resources of each kind they own."""
        counts = [(getattr(holder, f"has_{kind.kind_name()}"), kind._meta) for kind in KINDS]
        holdings = [
            f"{count} {meta.verbose_name if count == 1 else meta.verbose_name_plural}"
            for count, meta in counts
            if count
        ]
        return ", ".join(holdings) or "nothing"

    @admin.action(permissions=["own"], description="Transfer all that they own…")
    def give_all(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        """Ask for the new owner, then transfer everything of each holder, all or nothing."""
        form, user = TransferForm(request.POST if "apply" in request.POST else None), get_staff_user(request)
        if not form.is_valid():
            words = "All that belongs to them gets another owner. What runs goes on running."
            return self.ask_first(
                request,
                chosen,
                form,
                title=f"Transfer all that {self.counted(len(chosen))} own{'s' if len(chosen) == 1 else ''}?",
                words=words,
                button="Transfer",
            )
        to, reason = form.holder(), form.cleaned_data["reason"]
        done_words = f"gave all that they owned to {to}."
        self.each(
            request, chosen, lambda holder: transfer_all(holder=holder, user=user, to=to), done_words, reason
        )
        return None


@admin.register(User)
class PersonAdmin(Holders):
    """People: role, teams and resources. They are created on the page of people."""

    list_display = ("person", "role", "teams", "owns", "lets_in", "last_login", "since")
    list_filter = (
        "member__role",
        ("groups", make_titled_filter("team")),
        ("is_active", make_titled_filter("way in")),
    )
    search_fields = ("username", "groups__name")
    list_select_related = ("member",)
    actions = ("give_role", "give_all", "shut_out", "let_in", "delete_and_transfer")
    fields = ("person", "role", "teams", "owns", "lets_in", "last_login", "since")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        queryset: QuerySet[User] = super().get_queryset(request).prefetch_related("groups")
        return queryset

    @admin.display(description="name", ordering="username")
    def person(self, person: User) -> str:
        return person.get_username()

    @admin.display(description="can log in", boolean=True, ordering="is_active")
    def lets_in(self, person: User) -> bool:
        return person.is_active

    @admin.display(description="since", ordering="date_joined")
    def since(self, person: User) -> str:
        return format_moment(person.date_joined)

    @admin.display(ordering="member__role")
    def role(self, person: User) -> str:
        return get_role(person).value

    @admin.display
    def teams(self, person: User) -> str:
        return ", ".join(sorted(group.name for group in person.groups.all())) or "–"

    @admin.action(permissions=["own"], description="Give another role…")
    def give_role(self, request: HttpRequest, chosen: QuerySet[User]) -> HttpResponse | None:
        """Ask for a role, then assign it."""
        form, user = RoleForm(request.POST if "apply" in request.POST else None), get_staff_user(request)
        if not form.is_valid():
            words = "The role is the most that a person may do."
            return self.ask_first(
                request,
                chosen,
                form,
                title=f"Another role for {self.counted(len(chosen))}?",
                words=words,
                button="Give",
            )
        role, reason = Role(form.cleaned_data["role"]), form.cleaned_data["reason"]
        self.each(
            request,
            chosen,
            lambda person: set_role(person=person, user=user, role=role),
            f"now {role.value}.",
            reason,
        )
        return None

    @admin.action(permissions=["own"], description="Shut out: cannot log in any more…")
    def shut_out(self, request: HttpRequest, chosen: QuerySet[User]) -> HttpResponse | None:
        """Ask for a reason, then deactivate the people, which ends their sessions and tokens."""
        user = get_staff_user(request)
        words = "They cannot log in, and their tokens open nothing. What they own stays theirs."
        return self.why(
            request, chosen, "Shut out", words,
            lambda person: set_active(person=person, user=user, active=False), "cannot log in any more.",
        )  # fmt: skip

    @admin.action(permissions=["own"], description="Let in again…")
    def let_in(self, request: HttpRequest, chosen: QuerySet[User]) -> HttpResponse | None:
        """Ask for a reason, then activate the people."""
        user = get_staff_user(request)
        return self.why(
            request, chosen, "Let in", "They can log in again, as they could before.",
            lambda person: set_active(person=person, user=user, active=True), "can log in again.",
        )  # fmt: skip

    @admin.action(permissions=["own"], description="Delete, and transfer what they own…")
    def delete_and_transfer(self, request: HttpRequest, chosen: QuerySet[User]) -> HttpResponse | None:
        """Ask for the new owner, then delete the people; owners without an heir stay."""
        form, user = HeirForm(request.POST if "apply" in request.POST else None), get_staff_user(request)
        if not form.is_valid():
            words = "Who owns something is deleted only if somebody gets it: choose who. The audit keeps their names."
            return self.ask_first(
                request,
                chosen,
                form,
                title=f"Delete {self.counted(len(chosen))}?",
                words=words,
                button="Delete",
            )
        to, reason = form.heir(), form.cleaned_data["reason"]
        self.each(
            request, chosen, lambda person: delete_person(person=person, user=user, to=to), "deleted.", reason
        )
        return None


@admin.register(Group)
class TeamAdmin(Holders):
    """Teams: members and resources. They are edited on the page of people."""

    field = "team"
    list_display = ("name", "members", "owns")
    search_fields = ("name", "user__username")
    actions = ("give_all", "delete_and_transfer")
    fields = readonly_fields = ("name", "members", "owns")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        queryset: QuerySet[Group] = super().get_queryset(request).prefetch_related("user_set")
        return queryset

    @admin.display
    def members(self, team: Group) -> str:
        return ", ".join(sorted(member.get_username() for member in team.user_set.all())) or "nobody"

    @admin.action(permissions=["own"], description="Delete…")
    def delete_and_transfer(self, request: HttpRequest, chosen: QuerySet[Group]) -> HttpResponse | None:
        """Ask for a reason, then delete the teams; a team that owns something stays."""
        user, words = (
            get_staff_user(request),
            "What was shared with them is not any more. A team that owns something stays.",
        )
        return self.why(
            request, chosen, "Delete", words, lambda team: delete_team(team=team, user=user), "deleted."
        )
