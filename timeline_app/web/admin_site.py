"""The admin pages use the one login of the product."""

from __future__ import annotations

from django.contrib.admin import AdminSite
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator


class Site(AdminSite):
    """For staff; others who are logged in are told so."""

    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:  # noqa: ARG002
        """To the login page, or for those who are logged in already, that they are no staff."""
        if request.user.is_authenticated and not self.has_permission(request):
            return render(request, "403.html", status=403)
        return redirect_to_login(request.GET.get("next", "/admin/"))
