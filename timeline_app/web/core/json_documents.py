"""JSON from clients: limited in depth and to what the database can store."""

from __future__ import annotations

import json
import math
from typing import Any

from timeline_app.plan import Refused
from timeline_app.web.core.errors import ApiError, Invalid, describe_problem

MAX_JSON_DEPTH = 32


def refuse_json(message: str, hint: str) -> Invalid:
    """Return the refusal of a body that is not acceptable JSON."""
    return Invalid(
        f"{message} {hint}", code="bad_json", problems=[describe_problem(message, code="bad_json", hint=hint)]
    )


def parse_json(body: bytes) -> Any:
    """Return a JSON document whose every part can be stored and sent again."""
    try:
        document = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError as why:
        raise refuse_json(f"The body is not UTF-8 (byte {why.start}).", "Encode it as UTF-8.") from None
    except json.JSONDecodeError as why:
        location = f"line {why.lineno}, column {why.colno}"
        raise refuse_json(
            f"The body is not JSON: {why.msg} at {location}.", "Send one JSON object."
        ) from None
    except RecursionError:
        raise build_depth_refusal() from None
    except ValueError:
        raise refuse_json("A number has too many digits.", "Send it as text.") from None
    refuse_strange(document)
    return document


def parse_object(body: bytes) -> dict[str, Any]:
    """Return a JSON object; an empty body is an empty object."""
    document = parse_json(body) if body.strip() else {}
    if not isinstance(document, dict):
        raise refuse_json("The body must be a JSON object.", 'Send {"name": value, …}.')
    return document


def build_depth_refusal() -> Invalid:
    """Return the refusal of a body that is nested deeper than any of our documents."""
    return refuse_json("The body is nested too deeply.", f"At most {MAX_JSON_DEPTH} levels are possible.")


def refuse_strange(document: Any) -> None:
    """Refuse depth, infinities and characters that a database cannot store; without recursion."""
    waiting = [(document, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, dict | list):
            if depth > MAX_JSON_DEPTH:
                raise build_depth_refusal()
            inner = [*value, *value.values()] if isinstance(value, dict) else value
            waiting.extend((child, depth + 1) for child in inner)
        elif isinstance(value, str):
            refuse_strange_text(value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise refuse_json("NaN and infinities are not JSON numbers.", "Send null, or a finite number.")


def refuse_strange_text(text: str) -> None:
    if "\0" in text:
        raise refuse_json("A text contains the NUL character.", "Leave it out.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise refuse_json("A text contains half of a surrogate pair.", "Send whole Unicode characters.")


def as_refusal(refused: Refused) -> ApiError:
    """Return a refusal with all problems of a declaration and their fields."""
    problems = [
        describe_problem(problem.message, code=problem.code, hint=problem.hint, field=problem.port)
        for problem in refused.problems
    ]
    return ApiError(f"The declaration cannot be used: {refused}.", code="invalid", problems=problems)
