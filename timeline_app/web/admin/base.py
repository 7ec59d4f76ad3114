"""Shared parts of the admin pages: read-only tables, readable times, actions that report results, and the history."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import FieldDoesNotExist, PermissionDenied
from django.db import IntegrityError
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from timeline_app.web.admin.forms import TransferForm, WhyForm
from timeline_app.web.core.audit_context import act_as
from timeline_app.web.core.error_responses import find_refusal
from timeline_app.web.core.errors import ApiError
from timeline_app.web.core.permissions import has_role
from timeline_app.web.core.sharing import transfer
from timeline_app.web.models import PlanNode
from timeline_app.web.models.people import Role
from timeline_app.web.workspace.audit import select_entries as entries_for
from timeline_app.web.workspace.audit_rows import build_entry_rows

if TYPE_CHECKING:  # only the stubs of these classes are generic
    ModelPage = admin.ModelAdmin[Any]
    ModelRows = admin.TabularInline[PlanNode, Any]
else:
    ModelPage, ModelRows = admin.ModelAdmin, admin.TabularInline

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
KINDS = {"user": "person", "group": "team", "apitoken": "token"}
"""The audit's names for models, where they differ."""
MAX_HISTORY_ENTRIES = 200
"""On the page of one object."""
FILTER_LOOKUPS = ("", "exact", "isnull", "id__exact", "gte", "lt", "year", "month", "day")
"""The lookups that filters use."""
Thing = TypeVar("Thing")


def format_micros(micros: int | None) -> str:
    """Format microseconds since the epoch for people."""
    if micros is None:
        return "–"
    try:
        moment = EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return str(micros)
    return moment.strftime("%Y-%m-%d %H:%M:%S") + (
        f".{micros // 1000 % 1000:03}" if micros % 1_000_000 else ""
    )


def format_moment(moment: datetime | None) -> str:
    """Format a time for people; Django does so only for fields."""
    return "–" if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"


def format_json(document: Any) -> SafeString:
    """Format a JSON document for people."""
    return format_html("<pre>{}</pre>", json.dumps(document, indent=2, ensure_ascii=False))


def explain_refusal(why: ApiError | IntegrityError) -> str:
    """Return why something was not done."""
    refusal = find_refusal(why)
    return refusal.message if refusal else str(why)


def make_titled_filter(title: str) -> type[admin.FieldListFilter]:
    """Return the default filter of a field, with this title."""

    class Titled(admin.FieldListFilter):
        def __new__(cls, *args: Any, **options: Any) -> Any:
            field_filter = admin.FieldListFilter.create(*args, **options)
            field_filter.title = title
            return field_filter

    return Titled


OWNER_FILTERS = (
    ("owner", admin.RelatedOnlyFieldListFilter),
    ("team", admin.RelatedOnlyFieldListFilter),
)
"""Filters by the owners of such objects."""


def get_staff_user(request: HttpRequest) -> User:
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


class ReadOnly(ModelPage):
    """A read-only page of what the system writes; actions call services, which check permissions."""

    has_history = True
    empty_value_display = "–"

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        return False

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Let operators see everything."""
        return has_role(get_staff_user(request), Role.OPERATOR)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Let operators see everything."""
        return has_role(get_staff_user(request), Role.OPERATOR)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Return whether this user may restart or stop these."""
        return has_role(get_staff_user(request), Role.OPERATOR)

    def has_own_permission(self, request: HttpRequest) -> bool:
        """Return whether this user may transfer these."""
        return has_role(get_staff_user(request), Role.ADMIN)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow only what filters use: others would reveal every field, even a password's hash, letter by letter."""
        filters = [item[0] if isinstance(item, tuple) else item for item in self.get_list_filter(request)]
        names = [item for item in (*filters, self.date_hierarchy) if isinstance(item, str)]
        lookups = {f"{name}__{how}".removesuffix("__") for name in names for how in FILTER_LOOKUPS}
        return (lookup in lookups or not self.is_field(lookup)) and super().lookup_allowed(
            lookup, value, request
        )

    def is_field(self, lookup: str) -> bool:
        """Return whether a lookup begins with a field."""
        try:
            self.opts.get_field(lookup.split("__", maxsplit=1)[0])
        except FieldDoesNotExist:
            return False
        return True

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        title = {"title": capfirst(self.opts.verbose_name_plural)}
        return super().changelist_view(request, title | (extra_context or {}))

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        title = {"title": capfirst(self.opts.verbose_name), "has_history": self.has_history}
        return super().changeform_view(request, object_id, form_url, title | (extra_context or {}))

    def history_view(
        self,
        request: HttpRequest,
        object_id: str,
        extra_context: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> HttpResponse:
        """Show the audit of an object; Django's own history is never written."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        thing = self.get_object(request, object_id)
        if thing is None:
            raise Http404
        kind = KINDS.get(thing._meta.model_name, thing._meta.model_name)
        entries = list(
            entries_for(get_staff_user(request)).filter(kind=kind, thing=thing.pk)[:MAX_HISTORY_ENTRIES]
        )
        context = {
            "title": f"History of {thing}",
            "opts": self.opts,
            "object": thing,
            "rows": build_entry_rows(entries, get_staff_user(request)),
            "kind": kind,
            "most": MAX_HISTORY_ENTRIES,
        }
        return TemplateResponse(
            request, "admin/history.html", self.admin_site.each_context(request) | context
        )

    def named(self, thing: Any) -> str:
        """Return the object's name on confirmation pages."""
        return str(thing)

    def counted(self, count: int) -> str:
        """Return a number with its noun: 1 node, 2 nodes."""
        return f"{count} {self.opts.verbose_name if count == 1 else self.opts.verbose_name_plural}"

    def each(
        self,
        request: HttpRequest,
        chosen: Iterable[Thing],
        act: Callable[[Thing], object],
        done_words: str,
        reason: str = "",
    ) -> None:
        """Apply an action to each, with this reason; report how many succeeded and why others failed."""
        well = []
        for thing in chosen:
            try:
                with act_as(reason=reason):
                    act(thing)
                well.append(thing)
            except (ApiError, IntegrityError) as why:
                self.message_user(request, f"“{thing}”: {explain_refusal(why)}", messages.ERROR)
        if well:
            self.message_user(request, f"{self.counted(len(well))} {done_words}", messages.SUCCESS)

    def ask_first(
        self, request: HttpRequest, chosen: QuerySet[Any], form: Any, **context: Any
    ) -> TemplateResponse:
        """Return the confirmation page of an action."""
        question_context = {
            "opts": self.opts,
            "chosen": [(thing, self.named(thing)) for thing in chosen],
            "form": form,
            "action": request.POST["action"],
            **context,
        }
        return TemplateResponse(
            request, "admin/ask.html", self.admin_site.each_context(request) | question_context
        )

    def why(
        self,
        request: HttpRequest,
        chosen: QuerySet[Any],
        verb: str,
        words: str,
        act: Callable[[Any], object],
        done_words: str,
    ) -> HttpResponse | None:
        """Ask for an optional reason, then apply the action to each."""
        form = WhyForm(request.POST if "apply" in request.POST else None)
        if not form.is_valid():
            title = f"{verb} {self.counted(len(chosen))}?"
            return self.ask_first(request, chosen, form, title=title, words=words, button=verb)
        self.each(request, chosen, act, done_words, form.cleaned_data["reason"])
        return None


class OwnedAdmin(ReadOnly):
    """A page of objects that can be transferred."""

    actions: tuple[str, ...] = ("transfer",)

    @admin.display(description="owner")
    def belongs(self, thing: Any) -> str:
        """Return the owning person or team."""
        return f"{thing.owner_name} (team)" if thing.owner_id is None else str(thing.owner_name)

    @admin.action(permissions=["own"], description="Transfer ownership…")
    def transfer(self, request: HttpRequest, chosen: QuerySet[Any]) -> HttpResponse | None:
        """Ask for the new owner, then transfer the selected objects, all or none."""
        form = TransferForm(request.POST if "apply" in request.POST else None)
        if not form.is_valid():
            title = f"Transfer {self.counted(len(chosen))}?"
            words = "These get another owner, all or none. What runs goes on running."
            return self.ask_first(request, chosen, form, title=title, words=words, button="Transfer")
        to = form.holder()
        try:
            moved = transfer(
                things=chosen, user=get_staff_user(request), to=to, reason=form.cleaned_data["reason"]
            )
        except (ApiError, IntegrityError) as why:
            self.message_user(request, f"Nothing was transferred. {explain_refusal(why)}", messages.ERROR)
            return None
        stayed = len(chosen) - moved
        words = f"{self.counted(moved)} transferred to {to}."
        unchanged = f"{self.counted(stayed)} belonged to {to} already: nothing was changed there."
        text = " ".join([words] * (moved > 0) + [unchanged] * (stayed > 0))
        self.message_user(request, text, messages.SUCCESS if moved else messages.INFO)
        return None


class Use(ModelRows):
    """The plans that use a node, or the nodes of a plan."""

    model = PlanNode
    extra = 0
    can_delete = False
    verbose_name_plural = "uses"
    fields = readonly_fields = ("plan", "node", "name")

    def get_queryset(self, request: HttpRequest) -> QuerySet[PlanNode]:
        return super().get_queryset(request).select_related("plan", "node")

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Let operators see everything."""
        return has_role(get_staff_user(request), Role.OPERATOR)

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        """Forbid adding: plans join nodes by running."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:  # noqa: ARG002
        return False
