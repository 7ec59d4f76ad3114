"""Tokens: owners, scopes and expiry. Users create them; here they are only ended."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from timeline_app.web.admin.base import ReadOnly, get_staff_user
from timeline_app.web.models.tokens import ApiToken
from timeline_app.web.people.token_services import revoke_token_of


@admin.register(ApiToken)
class TokenAdmin(ReadOnly):
    """All tokens, without their secret texts."""

    list_display = ("name", "user", "allowed", "created", "expiry", "last_used_at")
    list_filter = ("user",)
    actions = ("end",)
    search_fields = ("name", "user__username")
    list_select_related = ("user",)
    fields = readonly_fields = ("name", "user", "allowed", "created", "expiry", "last_used_at")

    @admin.display(description="scopes")
    def allowed(self, token: ApiToken) -> str:
        return ", ".join(token.scopes)

    @admin.action(permissions=["own"], description="End…")
    def end(self, request: HttpRequest, chosen: QuerySet[ApiToken]) -> HttpResponse | None:
        """Ask for a reason, then end the tokens."""
        user, words = get_staff_user(request), "They open nothing any more, from now on."
        return self.why(
            request, chosen, "End", words, lambda token: revoke_token_of(token=token, user=user), "ended."
        )
