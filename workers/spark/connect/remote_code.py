"""Small classes that are pickled by value, travel to Spark, and find our code there.

At an external Spark the code comes as archives with the session. Spark unpacks them wherever a task of the session
runs. For streaming queries, however, it gives Python only the folder above, and the driver's own processes get
nothing. So each class searches for the code (`add_code_to_path`) before anything of ours is imported or unpickled.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from pyspark import cloudpickle
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.datasource_internal import _SimpleStreamReaderWrapper
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]


def add_code_to_path(code: str) -> None:
    """Put the named code on Python's path, and unload what a task with other code had imported.

    Without a name the code is already there: the product started the server.
    """
    loaded = sys.modules.get("workers")
    if not code or (loaded and (Path(loaded.__path__[0]).parent / code).is_dir()):
        return
    folders = [Path(entry or ".").resolve() for entry in sys.path]
    around = (
        code_path for folder in folders for code_path in (*folder.glob(code), *folder.glob(f"*/{code}"))
    )
    beside = (code_path for folder in folders for code_path in folder.parent.glob(f"*/{code}"))
    archive = next(around, None) or next(beside, None)
    if archive is None:
        raise ModuleNotFoundError(f"the code {code} of the session is not here: looked in {sys.path}")
    packages = {"workers", "timeline_app", "timelines_own", *(path.name for path in archive.parent.iterdir())}
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]
    sys.path.insert(0, str(archive.parent))


class RemoteProcessor(StatefulProcessor):
    """Builds a `PagedProcessor`, `kind(*arguments)`, where it runs.

    The driver can ask for its state without our code.
    """

    def __init__(self, code: str, kind: type[Any], *arguments: Any) -> None:
        self.code, self.module, self.kind, self.arguments = (
            code,
            kind.__module__,
            kind.__qualname__,
            arguments,
        )
        self.processor: Any = None

    def init(self, handle: Any) -> None:
        """Open the state. Spark calls this for every task, and once on the driver."""
        self.state = handle.getMapState("pages", "kind string, name string, number int", "data binary")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:
        """Process all new rows of one bucket."""
        if self.processor is None:
            add_code_to_path(self.code)
            self.processor = getattr(import_module(self.module), self.kind)(*self.arguments)
            self.processor.open(self.state)
        return self.processor.process_bucket(int(key[0]), rows)  # type: ignore[no-any-return]

    def close(self) -> None:
        """Do nothing: nothing is held open."""


class RemoteReader(_SimpleStreamReaderWrapper, SupportsTriggerAvailableNow):
    """Builds a `LogReader` by a function of `workers.spark.sources` where it runs.

    For readers of this kind Spark takes the rows from the planning process, where that has them already.
    """

    def __init__(self, function: str, options: Mapping[str, Any]) -> None:
        """`options["code"]` names the code."""
        self.__setstate__((function, dict(options)))

    @property
    def simple_reader(self) -> Any:  # type: ignore[override]  # it is asked for nothing else
        """Return the object that Spark asks, and tells, about ending with what is there."""
        return self

    def __getstate__(self) -> tuple[str, dict[str, Any]]:
        return self.function, self.options

    def __setstate__(self, state: tuple[str, dict[str, Any]]) -> None:
        self.function, self.options = state
        add_code_to_path(self.options["code"])
        self.reader = getattr(import_module("workers.spark.sources"), self.function)(self.options)

    def initialOffset(self) -> dict[str, int]:
        """See `LogReader`, as for the methods below."""
        return self.reader.initialOffset()  # type: ignore[no-any-return]

    def getDefaultReadLimit(self) -> ReadLimit:
        """Return the limit of a batch."""
        return self.reader.getDefaultReadLimit()  # type: ignore[no-any-return]

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:
        """Return the end of a batch."""
        return self.reader.latestOffset(start, limit)  # type: ignore[no-any-return]

    def prepareForTriggerAvailableNow(self) -> None:
        """Remember where the log ends now."""
        self.reader.prepareForTriggerAvailableNow()

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        """Return the slices of a batch."""
        return self.reader.partitions(start, end)  # type: ignore[no-any-return]

    def getCache(self, start: dict[str, int], end: dict[str, int]) -> Iterator[Any] | None:
        """Return the rows of a small batch."""
        return self.reader.read_small(start, end)  # type: ignore[no-any-return]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """Return the rows of a slice."""
        return self.reader.read(partition)  # type: ignore[no-any-return]

    def commit(self, end: dict[str, int]) -> None:
        """Do nothing: there is nothing to acknowledge."""

    def stop(self) -> None:
        """Do nothing: nothing is held open."""


class LandingSource(DataSource):
    """Format `timeline_landing`; options path, stream, place, declaration, fields, breaks, buckets, commits, code."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "timeline_landing"

    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        """Return a reader of the stream's landing."""
        return RemoteReader("open_landing", self.options)


class FeedSource(DataSource):
    """Format `timeline_feed`; options path, node, port, sources, breaks, buckets, commits, code."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the format."""
        return "timeline_feed"

    def streamReader(self, schema: Any) -> DataSourceStreamReader:
        """Return a reader of the node's revisions."""
        return RemoteReader("open_feed", self.options)
