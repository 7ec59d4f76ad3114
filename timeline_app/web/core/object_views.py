"""Views of one thing that belongs to somebody: all kinds are found in the same way, by their name in the address."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.models import User

from timeline_app.web.core.views import ApiView


class ThingView(ApiView):
    """What can be done to a thing of any kind; the view of a kind says by `find` how it is found."""

    find: ClassVar[Any]
    """A function of a name and of who asks, as a static method."""

    def find_thing(self, user: User, named: dict[str, Any]) -> Any:
        """The thing that the address names, if this user may look at it."""
        [name] = named.values()
        return type(self).find(name, user)
