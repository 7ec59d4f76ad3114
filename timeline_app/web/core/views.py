"""The base class of all API views: idempotency keys, scopes and refusals."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from timeline_app.web.core.errors import Invalid
from timeline_app.web.core.idempotency import KEY_HEADER, Handler, replay_or_answer
from timeline_app.web.core.known_parameters import refuse_unknown_parameters
from timeline_app.web.core.scopes import select_required_scopes
from timeline_app.web.models.tokens import Scope

MAX_PARAMETER_CHARS = 8_192
"""Of one query parameter: a cursor holds an encoded key of up to 1,024 characters of any script."""
MAX_NAME_SHOWN = 100


class ApiView(APIView):
    """Base class of API views. Calls that only read need no idempotency key."""

    scopes: Mapping[str, str | tuple[str, ...]] = {}
    """The scopes that a token needs, by method; the default is `read` for GET and `write` for the others."""
    refusals: tuple[str, ...] = ()
    """The statuses of refusals, beyond those that follow from URL and method."""
    tagged = False
    """Whether responses carry an ETag and changes obey `If-Match`."""
    max_parameter_chars = MAX_PARAMETER_CHARS
    keyed = True
    """Whether a POST with a key is executed once. False where the response holds a secret, as it would be stored."""

    @classmethod
    def takes_key(cls) -> bool:
        """Return whether `Idempotency-Key` has an effect here."""
        return cls.keyed and hasattr(cls, "post") and select_required_scopes(cls, "POST") != (Scope.READ,)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check permissions and parameters, then replay a repeated POST."""
        super().initial(request, *args, **kwargs)
        self._refuse_long_parameters(request)
        refuse_unknown_parameters(self, request)
        if request.method == "POST" and KEY_HEADER in request.headers and self.takes_key():
            handler: Handler = getattr(self, "post")  # noqa: B009  (not every view has one)
            vars(self)["post"] = partial(replay_or_answer, handler, refuse=self.answer_refusal)

    def _refuse_long_parameters(self, request: Request) -> None:
        for name, values in request.query_params.lists():
            if (length := max(map(len, values), default=0)) > self.max_parameter_chars:
                message = f"{length:,} characters; at most {self.max_parameter_chars:,} are possible."
                raise Invalid.field(name[:MAX_NAME_SHOWN], message, "Shorten it.", code="too_long")

    def answer_refusal(self, why: Exception) -> Response:
        """Return the response to an exception; raise our own faults."""
        return self.handle_exception(why)
