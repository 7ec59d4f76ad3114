"""Views of one owned resource; all kinds are found by their name in the URL."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import User

from timeline_app.web.core.views import ApiView


class ThingView(ApiView):
    """Base class of views of one resource; subclasses set `find`."""

    find: ClassVar[Any]
    """A static method that takes a name and the user, and returns the resource."""

    def find_thing(self, user: User, named: dict[str, Any]) -> Any:
        """Return the resource that the URL names, if this user may read it."""
        [name] = named.values()
        return type(self).find(name, user)
