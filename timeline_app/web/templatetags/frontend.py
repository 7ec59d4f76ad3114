"""`{% frontend %}` loads the built application, `{% fonts %}` only its fonts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django import template
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from timeline_app.web.core.permissions import member_of

register = template.Library()
FONTS = "src/core/ui/fonts.css"


def load_manifest(folder: Path) -> dict[str, Any] | None:
    """Return Vite's manifest, or None without a build."""
    try:
        document = json.loads((folder / "manifest.json").read_text())
    except (OSError, ValueError):
        return None
    return document if isinstance(document, dict) else None


def collect_styles(built: dict[str, Any], name: str, visited: frozenset[str] = frozenset()) -> list[str]:
    """Return the style sheets of a chunk and of its imports, each once, imports first."""
    chunk = built[name]
    result = [
        css
        for inner in chunk.get("imports", [])
        if inner not in visited
        for css in collect_styles(built, inner, visited | {name})
    ]
    return list(dict.fromkeys([*result, *chunk.get("css", [])]))


def find_entry(folder: Path) -> dict[str, Any] | None:
    """Return the entry's script, style sheets and preloads as URLs, or None without a build."""
    built = load_manifest(folder) or {}
    entries = (name for name, chunk in built.items() if chunk.get("isEntry") and name != FONTS)
    name = next(entries, None)
    if name is None:
        return None
    return {
        "script": static(built[name]["file"]),
        "styles": [static(css) for css in collect_styles(built, name)],
        "preloads": [static(built[inner]["file"]) for inner in built[name].get("imports", [])],
    }


@register.inclusion_tag("frontend.html")
def frontend() -> dict[str, Any]:
    """Return the tags that load the application."""
    return find_entry(settings.FRONTEND) or {}


@register.simple_tag
def fonts() -> SafeString:
    """Return the style sheet of the fonts; without a build the system's fonts are used."""
    built = load_manifest(settings.FRONTEND) or {}
    if FONTS not in built:
        return SafeString("")
    return format_html('<link rel="stylesheet" href="{}">', static(built[FONTS]["file"]))


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """Return the user's theme, or the system's for anonymous users."""
    user = getattr(context.get("request"), "user", None)
    return str(member_of(user or AnonymousUser()).theme)
