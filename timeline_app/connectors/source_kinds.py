"""The kinds of sources that a stream may be fed from, by name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from timeline_app.algebra.kinds import SECOND
from timeline_app.connectors.egress.policy import Destination, Egress
from timeline_app.connectors.files.source import Files, GrowingFiles, JsonLinesFiles
from timeline_app.connectors.files.table_source import CsvFiles, ParquetFiles
from timeline_app.connectors.http.source import HttpApi
from timeline_app.connectors.kafka.source import Kafka
from timeline_app.connectors.mqtt.source import Mqtt
from timeline_app.connectors.options import describe
from timeline_app.connectors.reading import Message, Reader
from timeline_app.connectors.redis.source import RedisStreams
from timeline_app.connectors.simulator import Simulator
from timeline_app.connectors.source_contract import SplittableSource
from timeline_app.connectors.source_plugins import own_sources
from timeline_app.connectors.splits.notes import Folder
from timeline_app.connectors.splits.portions import Carried
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.operators.parameters import spell_duration


class Source(Protocol):
    """A configured source, which can be opened and tested."""

    def open(self, positions: Mapping[str, Any]) -> Reader:
        """Continue from the known positions of its parts. Raises `SourceUnavailable`."""

    def sample(self) -> list[Message]:
        """Return some of its newest messages. Raises `SourceUnavailable`."""


@dataclass(frozen=True, slots=True)
class Around:
    """The context of a source beside its options.

    `folder` is for its notes, `within` the folders whose files may be read, `redis` the product's own Redis, which is
    no source. `declared` returns the stream's current declaration; `egress` is what it may reach.
    """

    folder: Path
    within: Sequence[Path]
    redis: str
    declared: Callable[[], StreamDeclaration]
    egress: Egress = field(default_factory=Egress)


SHIPPED: dict[str, type[Any]] = {
    "kafka": Kafka,
    "mqtt": Mqtt,
    "http": HttpApi,
    "redis_streams": RedisStreams,
    "json_lines": JsonLinesFiles,
    "growing_files": GrowingFiles,
    "csv": CsvFiles,
    "parquet": ParquetFiles,
    "simulator": Simulator,
}
KINDS: dict[str, type[Any]] = {**SHIPPED, **own_sources(SHIPPED)}


def get_title(kind: str) -> str:
    """Return the name of a kind for people."""
    return KINDS[kind].title or KINDS[kind].__name__


def list_place_options(kind: str) -> tuple[str, ...]:
    """Return the options that decide where it reads, and so who gets its secrets."""
    named: tuple[str, ...] | None = KINDS[kind].where
    return (
        tuple(option.name for option in describe(KINDS[kind]) if option.required) if named is None else named
    )


def open_source(kind: str, options: Mapping[str, Any], around: Around) -> Source:
    """Build a source from validated options."""
    if not issubclass(KINDS[kind], SplittableSource):
        source = KINDS[kind](**options)
        source.egress = around.egress
        opened: Source = source
        return opened
    name = f"{kind}-{_identify_source(kind, options)}"
    pace = options.get(KINDS[kind].paced)
    return Carried(
        lambda: _equip_source(KINDS[kind](**options), around), name, Folder(around.folder / name), pace
    )


def list_destinations(kind: str, options: Mapping[str, Any]) -> Iterable[Destination]:
    """Return the hosts and ports in validated options, without connecting to anything."""
    destinations: Iterable[Destination] = KINDS[kind](**options).destinations()
    return destinations


def find_rare_polling(
    kind: str, options: Mapping[str, Any], idle_after: int | None
) -> Iterator[tuple[str, str]]:
    """Yield the option that polls so rarely that the stream would count as idle (microseconds), and why."""
    name: str = getattr(KINDS.get(kind), "paced", "")
    every = options.get(name, 0)
    if idle_after is not None and every * SECOND >= idle_after:
        after = f"idle_after is {spell_duration(idle_after)}"
        words = f"so rarely that the stream counts as idle in between ({after}), and what comes is late"
        yield name, f"{every:g} s is {words}: ask more often, or declare a longer idle_after"


NO_FOLDER = "no folder may be read: whoever runs the servers names some in TIMELINE_SOURCE_FOLDERS"


def find_forbidden_folders(
    kind: str, options: Mapping[str, Any], within: Sequence[Path]
) -> Iterator[tuple[str, str]]:
    """Yield the options that name a directory that may not be read, and why."""
    words = f"lies in none of the folders that may be read: {', '.join(map(str, within))}"
    if not within:
        words = NO_FOLDER
    for option in describe(KINDS[kind]):
        if option.folder and not any(
            Path(options[option.name]).resolve().is_relative_to(folder) for folder in within
        ):
            yield option.name, words


def _equip_source(source: SplittableSource, around: Around) -> SplittableSource:
    source.egress = around.egress
    after = around.declared().idle_after
    if source.idle is None and after is not None:
        source.idle = after / SECOND  # longer silence no longer holds back the other restrictions
    if isinstance(source, Files):
        source.within = around.within
    if isinstance(source, Files | HttpApi):
        source.declared = around.declared
    if isinstance(source, RedisStreams):
        source.own = around.redis
    return source


def _identify_source(kind: str, options: Mapping[str, Any]) -> str:
    """Return an identity that changes with the place it reads."""
    folders = {option.name for option in describe(KINDS[kind]) if option.folder}
    parts = [
        str(Path(options[name])) if name in folders else options[name] for name in list_place_options(kind)
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
