"""The admin site, with the login of the product."""

from __future__ import annotations

from typing import Any, cast

from django.contrib.admin import AdminSite
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.decorators import method_decorator

from timeline_app.web.core.permissions import has_role
from timeline_app.web.models.people import Role
from timeline_app.web.workspace.audit import select_entries
from timeline_app.web.workspace.audit_rows import build_entry_rows

MAX_RECENT_ACTS = 12
"""On the first page."""
MODEL_GROUPS = (
    ("What runs", ("Plan", "Node", "Query", "Stream")),
    ("What is looked at", ("Dashboard", "Sample", "Revision")),
    ("People", ("User", "Group", "ApiToken", "AuditEntry")),
)


class Site(AdminSite):
    """The admin site for staff; other users get a page that says so."""

    def has_permission(self, request: HttpRequest) -> bool:
        """Check the role; Django's own permissions are not used."""
        user = request.user
        return isinstance(user, User) and user.is_active and has_role(user, Role.OPERATOR)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Group the models by what one looks for, not by application."""
        models_by_name = {
            model["object_name"]: model
            for app in super().get_app_list(request, app_label)
            for model in app["models"]
        }
        index = reverse("admin:index")
        groups = [
            (name, [models_by_name[model] for model in models if model in models_by_name])
            for name, models in MODEL_GROUPS
        ]
        return [
            {"name": name, "app_label": name, "app_url": index, "has_module_perms": True, "models": models}
            for name, models in groups
            if models
        ]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show the models, and the latest acts."""
        user = cast("User", request.user)
        newest = {"rows": build_entry_rows(list(select_entries(user)[:MAX_RECENT_ACTS]), user)}
        return super().index(request, newest | (extra_context or {}))

    def app_index(  # type: ignore[override]  # it answers with any page
        self,
        request: HttpRequest,  # noqa: ARG002
        app_label: str,  # noqa: ARG002
        extra_context: dict[str, Any] | None = None,  # noqa: ARG002
    ) -> HttpResponse:
        """Redirect to the single index."""
        return redirect("admin:index")

    def password_change(  # type: ignore[override]  # it answers with any page
        self,
        request: HttpRequest,  # noqa: ARG002
        extra_context: dict[str, object] | None = None,  # noqa: ARG002
    ) -> HttpResponse:
        """Redirect to the password page."""
        return redirect("password")

    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:  # noqa: ARG002
        """Redirect to the login page; tell logged-in users that they are not staff."""
        if request.user.is_authenticated and not self.has_permission(request):
            return render(request, "403.html", status=403)
        return redirect_to_login(request.GET.get("next", "/admin/"))
