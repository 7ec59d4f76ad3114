"""JSON that somebody sent: never deeper or stranger than the database can keep."""

from __future__ import annotations

import json
import math
from typing import Any

from timeline_app.plan import Refused
from timeline_app.web.core.errors import ApiError, Invalid, describe_problem

DEPTH_LIMIT = 32


def refuse_json(message: str, cure: str) -> Invalid:
    """The body is not JSON that can be taken."""
    return Invalid(
        f"{message} {cure}", code="bad_json", problems=[describe_problem(message, code="bad_json", cure=cure)]
    )


def parse_json(body: bytes) -> Any:
    """A JSON document whose every part can be stored and sent again."""
    try:
        document = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError as why:
        raise refuse_json(f"The body is not UTF-8 (byte {why.start}).", "Encode it as UTF-8.") from None
    except json.JSONDecodeError as why:
        place = f"line {why.lineno}, column {why.colno}"
        raise refuse_json(f"The body is not JSON: {why.msg} at {place}.", "Send one JSON object.") from None
    except RecursionError:
        raise is_too_deep() from None
    except ValueError:
        raise refuse_json("A number has too many digits.", "Send it as text.") from None
    refuse_strange(document)
    return document


def parse_object(body: bytes) -> dict[str, Any]:
    """A JSON object; an empty body is an empty object."""
    document = parse_json(body) if body.strip() else {}
    if not isinstance(document, dict):
        raise refuse_json("The body must be a JSON object.", 'Send {"name": value, …}.')
    return document


def is_too_deep() -> Invalid:
    """Nested more than anything of ours is."""
    return refuse_json("The body is nested too deeply.", f"At most {DEPTH_LIMIT} levels are possible.")


def refuse_strange(document: Any) -> None:
    """Refuse depth, infinities and characters that a database cannot keep; without recursion."""
    waiting = [(document, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, dict | list):
            if depth > DEPTH_LIMIT:
                raise is_too_deep()
            inner = [*value, *value.values()] if isinstance(value, dict) else value
            waiting.extend((child, depth + 1) for child in inner)
        elif isinstance(value, str):
            refuse_strange_text(value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise refuse_json("NaN and infinities are not JSON numbers.", "Send null, or a finite number.")


def refuse_strange_text(text: str) -> None:
    """Refuse NUL characters and halves of surrogate pairs."""
    if "\0" in text:
        raise refuse_json("A text contains the NUL character.", "Leave it out.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise refuse_json("A text contains half of a surrogate pair.", "Send whole Unicode characters.")


def as_refusal(refused: Refused) -> ApiError:
    """All that is wrong with a declaration, each with its field."""
    problems = [
        describe_problem(problem.message, code=problem.code, cure=problem.cure, field=problem.port)
        for problem in refused.problems
    ]
    return ApiError(f"The declaration cannot be used: {refused}.", code="invalid", problems=problems)
