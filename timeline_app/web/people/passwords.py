"""One's own password: its page, and that one which somebody else made is changed before anything else is done."""

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
"""For so long after a login nothing asks for the password again."""
OPEN = ("/password/", "/logout/", "/login/", "/static/", "/api/me/", "/healthz", "/readyz", "/favicon.ico")
"""What can be opened before the password is changed."""


class LoginForm(AuthenticationForm):
    """After a wrong try the password is what is written anew."""

    def __init__(self, request: HttpRequest | None = None, *arguments: Any, **named: Any) -> None:
        super().__init__(request, *arguments, **named)
        if self.data.get("username"):
            del self.fields["username"].widget.attrs["autofocus"]
            self.fields["password"].widget.attrs["autofocus"] = True


class BusyPage:
    """Views that hash passwords: where too many wait, they answer 429 with a page that says so."""

    def dispatch(self, request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponseBase:
        """Answer; what the form held is not kept."""
        try:
            return super().dispatch(request, *arguments, **named)  # type: ignore[misc,no-any-return]
        except Busy as busy:
            seconds = busy.headers["Retry-After"]
            response = render(request, "busy.html", {"seconds": seconds}, status=busy.status)
            response.headers["Retry-After"] = seconds
            return response


@method_decorator(login_not_required, name="dispatch")
class LoginPage(BusyPage, LoginView):
    """Log in by name and password; it redirects nobody, so that other sites cannot learn who is logged in."""

    form_class = LoginForm


class MustChangePassword(ApiError):
    """Somebody else knows the password."""

    status = 403
    code = "password_must_change"


def must_change(session: Any) -> bool:
    """Whether who is logged in has a password that somebody else made."""
    return session is not None and bool(session.get(FLAG))


@receiver(user_logged_in)
def remember_login(sender: type[User], request: HttpRequest, user: User, **_rest: Any) -> None:  # noqa: ARG001
    """Keep in the session when the password was typed, and that it is to be changed, so that no request asks for it."""
    if not hasattr(request, "session"):
        return
    request.session[TYPED_AT] = time.time()
    if Member.objects.filter(user=user, must_change=True).exists():
        request.session[FLAG] = True


def is_password_fresh(session: Any) -> bool:
    """Whether the password was typed in this session during the last `PASSWORD_FRESH_S` seconds."""
    typed_at = session.get(TYPED_AT) if session is not None else None
    return isinstance(typed_at, float) and 0 <= time.time() - typed_at < PASSWORD_FRESH_S


def confirm_password(request: HttpRequest, user: User, password: str) -> bool:
    """Whether this is the person's password. A wrong one counts as a failed login, and too many lock as these do."""
    if authenticate(request, username=user.get_username(), password=password) is None:
        return False
    request.session[TYPED_AT] = time.time()
    return True


class MustChange:
    """Nothing but the page of the password for those whose password somebody else made."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """The answer, or the way to the page; programs with a token have no password."""
        if is_token_call(request) or request.path.startswith(OPEN) or not must_change(request.session):
            return self.get_response(request)
        if request.path.startswith("/api/"):
            words = "Change your password first, at /password/: the one that you have is for one login."
            return JsonResponse(MustChangePassword(words).body(), status=403)
        return redirect(redirect_to_password_page(request))


def redirect_to_password_page(request: HttpRequest) -> str:
    """The page of the password, and from there on to what was to be looked at."""
    page, wanted = resolve_url("password"), request.get_full_path()
    if request.method not in ("GET", "HEAD") or wanted == "/":
        return page
    return f"{page}?{urlencode({'next': wanted}, safe='/')}"


class FirstPasswordForm(SetPasswordForm):  # type: ignore[type-arg]
    """Who has just come in with a password for one login is not asked for it again, and may not keep it."""

    def clean_new_password1(self) -> str:
        """Another one than that which somebody else made."""
        password = str(self.cleaned_data["new_password1"])
        if self.user.check_password(password):
            raise ValidationError("Choose another one: this is the password for one login.")
        return password


class OwnPasswordForm(PasswordChangeForm):
    """The old password, the new one, and what becomes of the tokens that were made with the old one."""

    keep_tokens = BooleanField(required=False)

    def __init__(self, *arguments: Any, request: HttpRequest, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._request = request

    def clean_old_password(self) -> str:
        """A wrong one counts as a failed login: a stolen session would else guess it here without end."""
        password: str = self.cleaned_data["old_password"]
        if not confirm_password(self._request, self.user, password):
            raise ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return password


class PasswordPage(BusyPage, PasswordChangeView):
    """Change one's own password, and go on to `next`, where that is an address of ours."""

    template_name = "password.html"
    request: HttpRequest

    def get_form_class(self) -> type[Any]:
        """The old password is asked for where it is not what was typed a moment ago."""
        return FirstPasswordForm if must_change(self.request.session) else OwnPasswordForm

    def get_form_kwargs(self) -> dict[str, Any]:
        """The form that asks for the old password counts wrong ones by request."""
        given: dict[str, Any] = super().get_form_kwargs()
        return given if must_change(self.request.session) else given | {"request": self.request}

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """Whether it must be changed, and where one goes on."""
        context: dict[str, Any] = super().get_context_data(**more)
        user = self.request.user
        tokens = count_tokens(user) if isinstance(user, User) else 0
        return context | {
            "must": must_change(self.request.session), "next": self.get_success_url(), "tokens": tokens
        }  # fmt: skip

    def get_success_url(self) -> str:
        """Where one wanted to go; elsewhere leads nothing."""
        wanted = self.request.POST.get("next") or self.request.GET.get("next") or ""
        secure = self.request.is_secure()
        hosts = {self.request.get_host()}
        is_ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=hosts, require_https=secure)
        return wanted if is_ours else "/"

    def form_valid(self, form: Any) -> HttpResponse:
        """Change it, and stay logged in."""
        # Whoever made the password for one login has chosen already what becomes of the tokens.
        keep = must_change(self.request.session) or bool(form.cleaned_data.get("keep_tokens"))
        set_password(self.request, form.user, form.cleaned_data["new_password1"], keep_tokens=keep)
        return HttpResponseRedirect(self.get_success_url())


def set_password(request: HttpRequest, user: User, password: str, *, keep_tokens: bool = False) -> int:
    """The password is this from now on; how many tokens ended.

    Who asks stays logged in, all others are logged out, and their pages closed.
    """
    ended = change_password(user=user, password=password, keep_tokens=keep_tokens)
    update_session_auth_hash(request, user)
    request.session.pop(FLAG, None)
    notifications.send_access_soon()
    return ended
