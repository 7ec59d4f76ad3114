"""Forms of the admin pages for confirming actions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import Group, User

from timeline_app.web.models.people import Role


class WhyForm(forms.Form):
    """The reason for an action."""

    reason = forms.CharField(max_length=500, required=False, help_text="for the audit; may be left out")


class TransferForm(WhyForm):
    """The new owner: a person or a team."""

    to = forms.ModelChoiceField(
        User.objects.filter(is_active=True).order_by("username"), label="New owner", required=False
    )
    team = forms.ModelChoiceField(Group.objects.order_by("name"), label="or a team", required=False)
    field_order = ("to", "team", "reason")

    def clean(self) -> dict[str, Any]:
        """Require exactly one of both."""
        data: dict[str, Any] = super().clean() or {}
        if not self.errors and (data.get("to") is None) == (data.get("team") is None):
            raise forms.ValidationError("Choose a person or a team, one of both.")
        return data

    def holder(self) -> User | Group:
        holder: User | Group = self.heir()
        return holder

    def heir(self) -> Any:
        """Return the selected owner, or None."""
        return self.cleaned_data["to"] or self.cleaned_data["team"]


class HeirForm(TransferForm):
    """The optional new owner of everything that somebody owns."""

    def clean(self) -> dict[str, Any]:
        """Refuse both at once."""
        data: dict[str, Any] = forms.Form.clean(self) or {}
        if data.get("to") and data.get("team"):
            raise forms.ValidationError("Choose a person or a team, not both.")
        return data


class RoleForm(WhyForm):
    """The new role."""

    role = forms.ChoiceField(choices=Role.choices, initial=Role.EDITOR)
    field_order = ("role", "reason")
