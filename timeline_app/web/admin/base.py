"""What the admin pages share: read-only tables, readable times, acts that say what became of them, and the history."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from timeline_app.web.admin.forms import TransferForm, WhyForm
from timeline_app.web.errors import ApiError
from timeline_app.web.models import PlanNode
from timeline_app.web.people_models import AuditEntry, Role
from timeline_app.web.selectors.access import at_least
from timeline_app.web.selectors.audit import entries as entries_for
from timeline_app.web.services.access import transfer
from timeline_app.web.source import acting

if TYPE_CHECKING:  # they know their model only to the type checker
    ModelPage = admin.ModelAdmin[Any]
    ModelRows = admin.TabularInline[PlanNode, Any]
else:
    ModelPage, ModelRows = admin.ModelAdmin, admin.TabularInline

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HISTORY = 200
"""So many entries of a thing are shown on its page."""
Thing = TypeVar("Thing")


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


def told(entry: AuditEntry) -> dict[str, Any]:
    """An entry for people, with what was before and after as JSON."""
    change = {name: getattr(entry, name) for name in ("before", "after")}
    shown = {
        name: None if one is None else json.dumps(one, ensure_ascii=False) for name, one in change.items()
    }
    return {name: getattr(entry, name) for name in ("at", "actor_name", "act", "source", "reason")} | shown


def staff(request: HttpRequest) -> User:
    """Who is at the admin pages."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


class ReadOnly(ModelPage):
    """What the system writes is only looked at here; actions are services, which say who may do them."""

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

    def history_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> HttpResponse:
        """Who did what to it, from the audit: Django's own history is never written."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        thing = self.get_object(request, object_id)
        if thing is None:
            raise Http404
        kind = (
            "person"
            if isinstance(thing, User)
            else {"group": "team"}.get(thing._meta.model_name, thing._meta.model_name)
        )
        entries = [
            told(one) for one in entries_for(staff(request)).filter(kind=kind, thing=thing.pk)[:HISTORY]
        ]
        context = {"title": f"History: {thing}", "opts": self.opts, "object": thing, "entries": entries}
        return TemplateResponse(
            request,
            "admin/history.html",
            self.admin_site.each_context(request) | context | {"kind": kind, "most": HISTORY},
        )

    def each(
        self,
        request: HttpRequest,
        chosen: Iterable[Thing],
        act: Callable[[Thing], object],
        done: str,
        reason: str = "",
    ) -> None:
        """Do it to each, for this reason, and say how many it was done to and why it was not done to the others."""
        count = 0
        for one in chosen:
            try:
                with acting(reason=reason):
                    act(one)
                count += 1
            except ApiError as why:
                self.message_user(request, f"“{one}”: {why.message}", messages.ERROR)
        if count:
            self.message_user(request, f"{count} {done}", messages.SUCCESS)

    def asked(
        self, request: HttpRequest, chosen: QuerySet[Any], form: Any, **context: Any
    ) -> TemplateResponse:
        """The page that asks before something is done."""
        told = {
            "opts": self.opts,
            "chosen": chosen,
            "form": form,
            "action": request.POST["action"],
            **context,
        }
        return TemplateResponse(request, "admin/ask.html", self.admin_site.each_context(request) | told)

    def why(
        self,
        request: HttpRequest,
        chosen: QuerySet[Any],
        title: str,
        words: str,
        act: Callable[[Any], object],
        done: str,
    ) -> HttpResponse | None:
        """Ask for the reason, which may be left out, then do it to each."""
        form = WhyForm(request.POST if "apply" in request.POST else None)
        if not form.is_valid():
            return self.asked(
                request, chosen, form, title=title, words=words, button=title.split(maxsplit=1)[0]
            )
        self.each(request, chosen, act, done, form.cleaned_data["reason"])
        return None


class Owned(ReadOnly):
    """Things that can be given to somebody else."""

    actions: tuple[str, ...] = ("transfer",)

    @admin.display(description="owner")
    def belongs(self, thing: Any) -> str:
        """The person, or the team."""
        return f"{thing.owner_name} (team)" if thing.owner_id is None else str(thing.owner_name)

    @admin.action(permissions=["own"], description="Transfer ownership…")
    def transfer(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        """Ask for the new owner, then give the chosen ones away, all or none."""
        form = TransferForm(request.POST if "apply" in request.POST else None)
        if not form.is_valid():
            title = f"Transfer ownership of {len(chosen)} {self.opts.verbose_name_plural}"
            words = "These get another owner, all or none. What runs goes on running."
            return self.asked(request, chosen, form, title=title, words=words, button="Transfer")
        to = form.holder()
        try:
            moved = transfer(things=chosen, user=staff(request), to=to, reason=form.cleaned_data["reason"])
        except ApiError as why:
            self.message_user(request, f"Nothing was transferred. {why.message}", messages.ERROR)
            return None
        words = f"{moved} {self.opts.verbose_name_plural} belong to {to} now."
        self.message_user(request, words, messages.SUCCESS)
        return None


class Use(ModelRows):
    """The plans that use a node, or the nodes of a plan."""

    model = PlanNode
    extra = 0
    can_delete = False
    verbose_name_plural = "uses"
    fields = readonly_fields = ("plan", "node", "name")

    def get_queryset(self, request: HttpRequest) -> QuerySet[PlanNode]:
        """With what each row shows."""
        return super().get_queryset(request).select_related("plan", "node")

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Operators look at everything."""
        return at_least(staff(request), Role.OPERATOR)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Plans join nodes by running."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Nobody changes by hand."""
        return False
