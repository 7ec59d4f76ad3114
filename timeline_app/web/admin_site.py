"""The admin pages use the one login of the product."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.decorators import method_decorator

from timeline_app.web.people_models import Role
from timeline_app.web.selectors.access import at_least


class Site(AdminSite):
    """For staff; others who are logged in are told so."""

    def has_permission(self, request: HttpRequest) -> bool:
        """The role decides; Django's own permissions are not asked."""
        user = request.user
        return isinstance(user, User) and user.is_active and at_least(user, Role.OPERATOR)

    def password_change(  # type: ignore[override]  # it answers with any page
        self,
        request: HttpRequest,  # noqa: ARG002
        extra_context: dict[str, object] | None = None,  # noqa: ARG002
    ) -> HttpResponse:
        """On the one page for it."""
        return redirect("password")

    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:  # noqa: ARG002
        """To the login page, or for those who are logged in already, that they are no staff."""
        if request.user.is_authenticated and not self.has_permission(request):
            return render(request, "403.html", status=403)
        return redirect_to_login(request.GET.get("next", "/admin/"))
