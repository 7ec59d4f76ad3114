"""Folders that sinks may write to, below a directory of the installation; each belongs to one delivery."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Annotated

from timeline_app.connectors.options import Option
from timeline_app.connectors.sink_contract import Delivery, TargetUnavailable
from timeline_app.fs import durable

CLAIM = "_sink.json"
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=-]{0,99}")


def check_folder_name(text: str) -> str | None:
    """Say what is wrong with the name of a folder, and what to do."""
    parts = text.split("/")
    if len(text) > 300 or not all(_PART.fullmatch(part) for part in parts):
        hint = "write names of letters, digits, '.', '_', '=' and '-' with '/' between them, such as video/rebuffering"
        return f"{text!r} is no folder below the one that this installation lets sinks write to; {hint}"
    return None


def check_pause(value: float) -> str | None:
    """Say what is wrong with a pause between two batches."""
    return None if 0 <= value <= 86_400 else "must be from 0 to 86400 seconds"


Folder = Annotated[str, Option("The folder, below the one of this installation", check_folder_name)]
Every = Annotated[
    float,
    Option(
        "How long between two batches at least, so that files are not too many", check_pause, unit="seconds"
    ),
]


def find_folder(delivery: Delivery, name: str) -> Path:
    """Return the path of a folder. Raises `TargetUnavailable` where a link leads out."""
    path = delivery.base / name
    if not path.resolve().is_relative_to(delivery.base.resolve()):
        raise TargetUnavailable(
            f"the folder {name} leads out of the one of this installation by a link: choose another"
        )
    return path


def check_folder(delivery: Delivery, name: str) -> None:
    """Check that this delivery may write there. Raises `TargetUnavailable`, without naming the server's folder."""
    path = find_folder(delivery, name)
    with trouble(name):
        _check_claims(path, name, delivery)


def _check_claims(path: Path, name: str, delivery: Delivery) -> None:
    owner = _read_owner(path, name)
    if owner is not None and owner != delivery.identity:
        hint = "choose another folder, or move that one away"
        raise TargetUnavailable(f"the folder {name} has what another sink delivered; {hint}")
    if owner is None and path.is_dir() and any(path.iterdir()):
        raise TargetUnavailable(f"the folder {name} is not empty: choose another folder, or empty that one")
    for parent in path.parents[: len(path.relative_to(delivery.base).parts) - 1]:
        if (parent / CLAIM).exists():  # readers of that folder would find these files
            within = parent.relative_to(delivery.base)
            words = f"the folder {name} lies in {within}, which has what another sink delivered"
            raise TargetUnavailable(f"{words}; choose another folder")
    above = next(item for item in (path, *path.parents) if item.exists())
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        inside = above.is_relative_to(delivery.base) and above != delivery.base
        called = above.relative_to(delivery.base) if inside else "the folder of this installation"
        raise TargetUnavailable(
            f"nothing can be written to {name}: {called} is no directory that the product may write to"
        )


def claim(delivery: Delivery, name: str) -> Path:
    """Create the folder, and claim it for a delivery. Raises `TargetUnavailable` where another one owns it."""
    check_folder(delivery, name)
    path = find_folder(delivery, name)
    if _read_owner(path, name) is None:
        with trouble(name):
            durable.make_folders(path)
            durable.replace(
                path / CLAIM, json.dumps({"delivery": delivery.identity, "node": delivery.node}).encode()
            )
    return path


class trouble:  # noqa: N801  (it reads as a word)
    """Raises errors of the disk as `TargetUnavailable`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        """Nothing to do."""

    def __exit__(self, _kind: object, why: BaseException | None, _trace: object) -> None:
        if isinstance(why, OSError):
            words = why.strerror or type(why).__name__
            raise TargetUnavailable(f"the folder {self._name} cannot be written: {words}") from why


def _read_owner(path: Path, name: str) -> str | None:
    with trouble(name):
        try:
            return str(json.loads((path / CLAIM).read_text())["delivery"])
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            raise TargetUnavailable(
                f"{name}/{CLAIM} cannot be read: move the folder away, or choose another one"
            ) from None
