"""Tokens: whose, for what, until when. They are made by their users; here they are only ended."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from timeline_app.web.admin.base import ModelPage
from timeline_app.web.token_models import ApiToken


@admin.register(ApiToken)
class TokenAdmin(ModelPage):
    """All tokens; nobody sees what they are."""

    list_display = ("name", "user", "allowed", "created", "expiry", "last_used_at")
    list_filter = ("user",)
    search_fields = ("name", "user__username")
    list_select_related = ("user",)
    fields = readonly_fields = ("name", "user", "allowed", "created", "expiry", "last_used_at")

    @admin.display(description="scopes")
    def allowed(self, token: ApiToken) -> str:
        """In a line."""
        return ", ".join(token.scopes)

    def has_add_permission(self, _request: HttpRequest) -> bool:
        """A token is shown once, to who makes it."""
        return False

    def has_change_permission(self, _request: HttpRequest, _token: ApiToken | None = None) -> bool:
        """What a token may do stays as its user chose."""
        return False
