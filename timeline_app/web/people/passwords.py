"""The page for changing the own password, which is mandatory after a one-time password."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth import authenticate, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.core.exceptions import ValidationError
from django.dispatch import receiver
from django.forms import BooleanField
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme

from timeline_app.web.core import notifications
from timeline_app.web.core.audit_context import is_token_call
from timeline_app.web.core.errors import ApiError, Busy
from timeline_app.web.models.people import Member
from timeline_app.web.people.services import change_password
from timeline_app.web.people.token_services import count_tokens

FLAG = "must_change_password"
TYPED_AT = "password_typed_at"
PASSWORD_FRESH_S = 300
"""During this time after a login nothing asks for the password again."""
OPEN_PATHS = (
    "/password/",
    "/logout/",
    "/login/",
    "/static/",
    "/api/me/",
    "/healthz",
    "/readyz",
    "/favicon.ico",
)
"""Paths that stay open before the password is changed."""


class LoginForm(AuthenticationForm):
    """A login form that focuses the password after a failed attempt."""

    def __init__(self, request: HttpRequest | None = None, *arguments: Any, **named: Any) -> None:
        super().__init__(request, *arguments, **named)
        if self.data.get("username"):
            del self.fields["username"].widget.attrs["autofocus"]
            self.fields["password"].widget.attrs["autofocus"] = True


class BusyPage:
    """Mixin for views that hash passwords: with too many waiting, they answer 429 with a page that says so."""

    def dispatch(self, request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
        """Answer the request; do not keep the submitted form."""
        try:
            return super().dispatch(request, *arguments, **named)  # type: ignore[misc,no-any-return]
        except Busy as busy:
            seconds = busy.headers["Retry-After"]
            response = render(request, "busy.html", {"seconds": seconds}, status=busy.status)
            response.headers["Retry-After"] = seconds
            return response


@method_decorator(login_not_required, name="dispatch")
class LoginPage(BusyPage, LoginView):
    """Login by name and password. It never redirects, so other sites cannot learn who is logged in."""

    form_class = LoginForm


class MustChangePassword(ApiError):
    """The password is known to somebody else."""

    status = 403
    code = "password_must_change"


def must_change(session: Any) -> bool:
    """Return whether the session began with a one-time password."""
    return session is not None and bool(session.get(FLAG))


@receiver(user_logged_in)
def remember_login(sender: type[User], request: HttpRequest, user: User, **_rest: Any) -> None:  # noqa: ARG001
    """Store in the session when the password was typed and whether it must change, to save queries."""
    if not hasattr(request, "session"):
        return
    request.session[TYPED_AT] = time.time()
    if Member.objects.filter(user=user, must_change=True).exists():
        request.session[FLAG] = True


def is_password_fresh(session: Any) -> bool:
    """Return whether the password was typed in this session during the last `PASSWORD_FRESH_S` seconds."""
    typed_at = session.get(TYPED_AT) if session is not None else None
    return isinstance(typed_at, float) and 0 <= time.time() - typed_at < PASSWORD_FRESH_S


def confirm_password(request: HttpRequest, user: User, password: str) -> bool:
    """Return whether this is the user's password. A wrong one counts as a failed login and may lock the user out."""
    if authenticate(request, username=user.get_username(), password=password) is None:
        return False
    request.session[TYPED_AT] = time.time()
    return True


class MustChange:
    """Block everything but the password page until a one-time password is changed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer, or redirect to the password page; programs with a token have no password."""
        if is_token_call(request) or request.path.startswith(OPEN_PATHS) or not must_change(request.session):
            return self.get_response(request)
        if request.path.startswith("/api/"):
            message = "Change your password first, at /password/: the one that you have is for one login."
            return JsonResponse(MustChangePassword(message).body(), status=403)
        return redirect(redirect_to_password_page(request))


def redirect_to_password_page(request: HttpRequest) -> str:
    """Return the URL of the password page, which leads back to the requested one."""
    page, path = resolve_url("password"), request.get_full_path()
    if request.method not in ("GET", "HEAD") or path == "/":
        return page
    return f"{page}?{urlencode({'next': path}, safe='/')}"


class FirstPasswordForm(SetPasswordForm):  # type: ignore[type-arg]
    """A form after login with a one-time password: it does not ask for it again, and refuses to keep it."""

    def clean_new_password1(self) -> str:
        """Refuse the one-time password itself."""
        password = str(self.cleaned_data["new_password1"])
        if self.user.check_password(password):
            raise ValidationError("Choose another one: this is the password for one login.")
        return password


class OwnPasswordForm(PasswordChangeForm):
    """The old password, the new one, and whether to keep the tokens."""

    keep_tokens = BooleanField(required=False)

    def __init__(self, *arguments: Any, request: HttpRequest, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._request = request

    def clean_old_password(self) -> str:
        """Count a wrong password as a failed login; otherwise a stolen session could guess without limit."""
        password: str = self.cleaned_data["old_password"]
        if not confirm_password(self._request, self.user, password):
            raise ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return password


class PasswordPage(BusyPage, PasswordChangeView):
    """Change the own password, then continue to `next`, if that is a URL of ours."""

    template_name = "password.html"
    request: HttpRequest

    def get_form_class(self) -> type[Any]:
        """Ask for the old password, unless it is the one-time password typed a moment ago."""
        return FirstPasswordForm if must_change(self.request.session) else OwnPasswordForm

    def get_form_kwargs(self) -> dict[str, Any]:
        """Add the request, by which wrong passwords are counted."""
        form_kwargs: dict[str, Any] = super().get_form_kwargs()
        return form_kwargs if must_change(self.request.session) else form_kwargs | {"request": self.request}

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**more)
        user = self.request.user
        tokens = count_tokens(user) if isinstance(user, User) else 0
        return context | {
            "must": must_change(self.request.session), "next": self.get_success_url(), "tokens": tokens
        }  # fmt: skip

    def get_success_url(self) -> str:
        """Return the requested URL if it is ours; never redirect elsewhere."""
        next_path = self.request.POST.get("next") or self.request.GET.get("next") or ""
        secure = self.request.is_secure()
        hosts = {self.request.get_host()}
        is_ours = url_has_allowed_host_and_scheme(next_path, allowed_hosts=hosts, require_https=secure)
        return next_path if is_ours else "/"

    def form_valid(self, form: Any) -> HttpResponse:
        """Change the password, and stay logged in."""
        # The creator of the one-time password has already decided about the tokens.
        keep = must_change(self.request.session) or bool(form.cleaned_data.get("keep_tokens"))
        set_password(self.request, form.user, form.cleaned_data["new_password1"], keep_tokens=keep)
        return HttpResponseRedirect(self.get_success_url())


def set_password(request: HttpRequest, user: User, password: str, *, keep_tokens: bool = False) -> int:
    """Set the password; return how many tokens ended.

    The caller stays logged in, all other sessions end, and their pages close.
    """
    ended = change_password(user=user, password=password, keep_tokens=keep_tokens)
    update_session_auth_hash(request, user)
    request.session.pop(FLAG, None)
    notifications.send_access_soon()
    return ended
