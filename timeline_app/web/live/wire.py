"""The messages to live pages: builders return these types, and `make types` writes them for the page.

Times are integer microseconds (UTC); null means "unbounded" at the start or end of a span. Annotations are evaluated
here: as texts they would hide which fields are not required.
"""

from typing import Any, Literal, NotRequired, TypedDict

from timeline_app.algebra.fold import Point
from timeline_app.algebra.thin import LeftOut
from timeline_app.web.nodes.freshness import Behind

Document = dict[str, Any]


class Progress(TypedDict):
    """The progress of a node: what is final, the newest event of its sources, what is known, when it stopped."""

    final_until: int | None
    newest_event: int | None
    as_of: int | None
    stopped_at: int | None
    behind: Behind | None


class ChartStart(TypedDict, total=False):
    """What a snapshot leaves out: points between the pixels of a chart, and all before `start` of a long one."""

    left_out: list[LeftOut]
    birth: int | None
    truncated: bool
    start: int


class SnapshotMessage(Progress, ChartStart):
    """The timeline of a key, to which later revisions apply."""

    type: Literal["snapshot"]
    id: str
    seq: int
    node: str
    key: str
    kind: str
    points: list[Point]
    version: int


class ChartRevision(TypedDict, total=False):
    """What a revision of a chart leaves out, and the changed span, extended to whole pixels."""

    left_out: list[LeftOut]
    changed: list[int | None]


class RevisionMessage(Progress, ChartRevision):
    """All that became known since the last message."""

    type: Literal["revision"]
    id: str
    seq: int
    version: int
    known_at: int | None
    start: int | None
    end: int | None
    pieces: list[Point]


class ProgressMessage(Progress):
    """The node made progress, and the timeline is unchanged."""

    type: Literal["progress"]
    id: str


class RankedKey(TypedDict):
    """A key of a ranking, and its points from about now on."""

    key: str
    points: list[Point]


class RankingMessage(Progress):
    """The keys with the greatest or least values; `ranked` of `total` keys were compared."""

    type: Literal["ranking"]
    id: str
    node: str
    kind: str
    rows: list[RankedKey]
    ranked: int
    total: int


class StatusMessage(TypedDict):
    """The nodes of a watched plan."""

    type: Literal["status"]
    plan: int
    nodes: list[Document]


class PlanMessage(TypedDict):
    """A plan was saved, run, stopped or deleted; a deleted one has no other fields."""

    type: Literal["plan"]
    plan: int
    deleted: bool
    version: NotRequired[int]
    saved_by: NotRequired[str | None]
    running: NotRequired[bool]
    running_version: NotRequired[int | None]
    newest: NotRequired[int | None]


class PresentPerson(TypedDict):
    """Somebody on another page of a plan, and the nodes that are selected there."""

    id: str
    name: str
    selected: list[str]


class PeopleMessage(TypedDict):
    """The other people on a plan."""

    type: Literal["people"]
    plan: int
    people: list[PresentPerson]


class FiringCounts(TypedDict):
    """The number of firing incidents that a person may read."""

    firing: int
    unacknowledged: int


class BellMessage(FiringCounts):
    """The numbers of the bell; sent once a page asks for it, and whenever they change."""

    type: Literal["bell"]


class IncidentsMessage(TypedDict):
    """Incidents of these alerts changed."""

    type: Literal["incidents"]
    alerts: list[int]


class ErrorMessage(TypedDict):
    """A message was refused; a page leaves the named `plan`."""

    type: Literal["error"]
    id: str | None
    code: str
    message: str
    plan: NotRequired[int]


class PongMessage(TypedDict):
    """The answer to a ping."""

    type: Literal["pong"]


FollowMessage = SnapshotMessage | RevisionMessage | ProgressMessage | RankingMessage
ServerMessage = (
    FollowMessage
    | StatusMessage
    | PlanMessage
    | PeopleMessage
    | BellMessage
    | IncidentsMessage
    | ErrorMessage
    | PongMessage
)
