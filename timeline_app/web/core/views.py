"""The root of all views of the API: what a POST under a key means, and what a view says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.idempotency import KEY_HEADER, Handler, replay_or_answer
from timeline_app.web.core.scopes import select_required_scopes
from timeline_app.web.models.tokens import Scope

MAX_PARAMETER_CHARS = 8_192
"""A parameter behind the `?`: a cursor holds the name of a key of 1,024 characters, in whatever script, encoded."""
MAX_NAME_SHOWN = 100


class ApiView(APIView):
    """A resource. Calls that only answer need no key: asked again, they answer again."""

    scopes: Mapping[str, str | tuple[str, ...]] = {}
    """By method, what a token must allow; else `read` for GET and `write` for the others."""
    refusals: tuple[str, ...] = ()
    """How its calls may be refused, beyond what follows from address and method."""
    tagged = False
    """Whether its answers carry an ETag, and its changes heed `If-Match`."""
    max_parameter_chars = MAX_PARAMETER_CHARS
    keyed = True
    """Whether a POST under a key is done once; what answers with a secret is not, for the answer would be kept."""

    @classmethod
    def takes_key(cls) -> bool:
        """Whether `Idempotency-Key` means anything here."""
        return cls.keyed and hasattr(cls, "post") and select_required_scopes(cls, "POST") != (Scope.READ,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Who may not call does not get here; a POST under a key is done once."""
        super().initial(request, *args, **kwargs)
        self._refuse_long_parameters(request)
        if request.method == "POST" and KEY_HEADER in request.headers and self.takes_key():
            handler: Handler = getattr(self, "post")  # noqa: B009  (not every view has one)
            vars(self)["post"] = partial(replay_or_answer, handler, refuse=self.refused)

    def _refuse_long_parameters(self, request: Request) -> None:
        for name, values in request.query_params.lists():
            if (length := max(map(len, values), default=0)) > self.max_parameter_chars:
                words = f"{length:,} characters; at most {self.max_parameter_chars:,} are possible."
                raise Invalid.field(name[:MAX_NAME_SHOWN], words, "Shorten it.", code="too_long")

    def refused(self, why: Exception) -> Response:
        """The answer that an exception means; raises what is our own fault."""
        return self.handle_exception(why)
