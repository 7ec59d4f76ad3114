"""Log formatters for text and JSON; no input can break a line."""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from timeline_app.web.core import log_context

CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that would end a line, colour a terminal, or reverse text."""
STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName", "color_message"}


def join_lines(text: str) -> str:
    """Return the text on one line."""
    return CONTROLS.sub(lambda separator: separator.group().encode("unicode_escape").decode(), text)


def format_instant(record: logging.LogRecord) -> str:
    """Return the time of a record, UTC."""
    at = datetime.fromtimestamp(record.created, UTC)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def select_extra_fields(record: logging.LogRecord) -> dict[str, Any]:
    """Return the extra fields of a record that have simple values."""
    extra = {name: value for name, value in record.__dict__.items() if name not in STANDARD}
    return {name: value for name, value in extra.items() if isinstance(value, str | int | float | bool)}


class Text(logging.Formatter):
    """A format for people: facts follow the message, and tracebacks are indented."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line, and those of a traceback."""
        facts = " ".join(f"{name}={join_lines(value)}" for name, value in log_context.collect_facts().items())
        words = (
            f"{format_instant(record)} {record.levelname} {record.name}: {join_lines(record.getMessage())}"
        )
        return words + (f" [{facts}]" if facts else "") + self._trace(record)

    def _trace(self, record: logging.LogRecord) -> str:
        parts = [self.formatException(record.exc_info)] if record.exc_info else []
        if record.stack_info:
            parts.append(self.formatStack(record.stack_info))
        return "".join(f"\n  | {join_lines(line)}" for part in parts for line in part.splitlines())


class JsonLogFormatter(JsonFormatter):
    """A format for machines: one object per line."""

    def add_fields(
        self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]
    ) -> None:
        """Add time, level, logger and message, then the context, then extra fields."""
        log_data.update(
            {"time": format_instant(record), "level": record.levelname, "logger": record.name}
            | {"message": record.getMessage()}
            | log_context.collect_facts()
        )
        for name, value in select_extra_fields(record).items():
            log_data.setdefault(name, value)
        for name in ("exc_info", "stack_info"):
            if result := message_dict.get(name):
                log_data[name] = result


def build_logging_config(spelling: str, stream: Any) -> dict[str, Any]:
    """Return Django's LOGGING: one handler for everything, including the servers."""
    own_logger: dict[str, Any] = {"handlers": [], "propagate": True}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": f"{__name__}.{'JsonLogFormatter' if spelling == 'json' else 'Text'}"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "stream": stream, "formatter": "line"}},
        "root": {"handlers": ["console"], "level": "INFO"},
        "loggers": {
            "django": own_logger,
            "django.server": own_logger | {"level": "WARNING"},
            "uvicorn": own_logger,
            "uvicorn.error": own_logger,
            # `observation` logs every request already.
            "uvicorn.access": {"handlers": [], "propagate": False},
            "celery.beat": {"level": "WARNING"},
        },
    }
