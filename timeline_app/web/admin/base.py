"""What the admin pages share: read-only tables, readable times, and the transfer of ownership."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from timeline_app.web.models import PlanNode
from timeline_app.web.people_models import Role
from timeline_app.web.selectors.access import at_least
from timeline_app.web.services.access import transfer

if TYPE_CHECKING:  # they know their model only to the type checker
    ModelPage = admin.ModelAdmin[Any]
    ModelRows = admin.TabularInline[PlanNode, Any]
else:
    ModelPage, ModelRows = admin.ModelAdmin, admin.TabularInline

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def readable(micros: int | None) -> str:
    """Microseconds since the epoch for people."""
    if micros is None:
        return "–"
    try:
        return (EPOCH + timedelta(microseconds=micros)).isoformat(sep=" ", timespec="milliseconds")
    except OverflowError:
        return str(micros)


def pretty(document: Any) -> SafeString:
    """A JSON document for people."""
    return format_html("<pre>{}</pre>", json.dumps(document, indent=2, ensure_ascii=False))


def staff(request: HttpRequest) -> User:
    """Who is at the admin pages."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


class ReadOnly(ModelPage):
    """What the system writes is only looked at here; actions need the permission to change it."""

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Nobody adds by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Nobody changes by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Nobody deletes by hand."""
        return False

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Operators look at everything."""
        return at_least(staff(request), Role.OPERATOR)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Operators look at everything."""
        return at_least(staff(request), Role.OPERATOR)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Whether this user may restart or stop these."""
        return at_least(staff(request), Role.OPERATOR)

    def has_own_permission(self, request: HttpRequest) -> bool:
        """Whether this user may transfer these."""
        return at_least(staff(request), Role.ADMIN)


class TransferForm(forms.Form):
    """To whom."""

    to = forms.ModelChoiceField(User.objects.filter(is_active=True).order_by("username"), label="New owner")


class Owned(ReadOnly):
    """Things that can be given to somebody else."""

    actions: tuple[str, ...] = ("transfer",)

    @admin.action(permissions=["own"], description="Transfer ownership…")
    def transfer(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        """Ask for the new owner, then give the chosen ones away."""
        form = TransferForm(request.POST if "apply" in request.POST else None)
        if form.is_valid():
            owner, moved = (
                form.cleaned_data["to"],
                transfer(things=chosen, user=staff(request), to=form.cleaned_data["to"]),
            )
            words = f"{moved} {self.opts.verbose_name_plural} belong to {owner.get_username()} now."
            self.message_user(request, words, messages.SUCCESS)
            return None
        title = f"Transfer ownership of {len(chosen)} {self.opts.verbose_name_plural}"
        context = {"title": title, "opts": self.opts, "chosen": chosen, "form": form}
        return TemplateResponse(
            request, "admin/transfer.html", self.admin_site.each_context(request) | context
        )


class Use(ModelRows):
    """The plans that use a node, or the nodes of a plan."""

    model = PlanNode
    extra = 0
    can_delete = False
    verbose_name_plural = "uses"
    fields = readonly_fields = ("plan", "node", "name")

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Plans join nodes by running."""
        return False
