"""Columns with the same behaviour on every database."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models.functions import Coalesce, Length

if TYPE_CHECKING:
    _Json = models.TextField[Any, Any]
    _Text = models.TextField[str, str]
    _Chars = models.CharField[str, str]
else:
    _Json, _Text, _Chars = models.TextField, models.TextField, models.CharField


class JsonText(_Json):
    """A JSON document stored as text.

    PostgreSQL's `jsonb` would sort the names of an object, but the author determines the order of a plan's nodes.
    """

    if TYPE_CHECKING:  # what django-stubs reads: any value fits
        _pyi_private_set_type: Any
        _pyi_private_get_type: Any
        _pyi_lookup_exact_type: Any

    loads: Callable[[str], Any] = staticmethod(json.loads)
    dumps: Callable[[Any], str] = staticmethod(json.dumps)

    def from_db_value(self, value: str | None, *_: object) -> Any:
        return None if value is None else self.loads(value)

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else self.dumps(value)

    def value_to_string(self, obj: models.Model) -> str:
        """Return the text for `dumpdata`."""
        return self.dumps(self.value_from_object(obj))

    def to_python(self, value: Any) -> Any:
        """Return the document from a text of `dumpdata`."""
        return self.loads(value) if isinstance(value, str) else value


def make_size_field(*texts: str) -> models.GeneratedField:
    """Return a generated column with the total length of these columns; an index on it makes sums cheap."""
    first, *more = [Coalesce(Length(text), 0) for text in texts]
    size = sum(more, start=first)
    return models.GeneratedField(expression=size, output_field=models.BigIntegerField(), db_persist=True)


class Pieces(JsonText):
    """The pieces of a revision as compact JSON: read often, and only numbers, texts and null."""

    loads = staticmethod(orjson.loads)

    @staticmethod
    def dumps(value: Any) -> str:
        return orjson.dumps(value).decode()


class _Bytewise:
    """Sorts and compares bytes on PostgreSQL, too, which would otherwise use the server's locale."""

    def db_parameters(self, connection: BaseDatabaseWrapper) -> dict[str, Any]:
        plain: dict[str, Any] = super().db_parameters(connection)  # type: ignore[misc]
        return plain | ({"collation": "C"} if connection.vendor == "postgresql" else {})


class BytewiseChars(_Bytewise, _Chars):
    """A short text with the same order on every database."""


class BytewiseText(_Bytewise, _Text):
    """A text of any length with the same order on every database."""
