"""Acts in words: what was done, and what is otherwise since then, with the names of what the reader may look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from timeline_app.web.models.people import AuditEntry


class Part(NamedTuple):
    """Some words of a sentence, and the page of what they name."""

    text: str
    address: str | None = None


Sentence = tuple[Part, ...]
Plans = Mapping[int, Part]
"""The plans that the reader may look at, by number."""
Fields = dict[str, Any]

VERBS = {
    "create": "made",
    "delete": "deleted",
    "edit": "edited",
    "change": "changed",
    "run": "ran",
    "stop": "stopped",
    "restart": "restarted",
    "display": "changed colours and formats of",
    "recover": "saw the recovery of",
    "restore": "restored a version of",
    "version": "kept a version of",
    "test": "changed a test of",
    "share": "changed who may look at",
    "transfer": "transferred",
    "rename": "renamed",
    "role": "gave another role to",
    "active": "changed whether there is a way in for",
    "teams": "changed the teams of",
    "password": "changed the password of",  # nosec B105
    "clear_aside": "cleared what is kept aside of",
    "end": "ended",
    "empty": "emptied",
    "purge": "removed for good",
}
PHRASES = {
    "stream.change": "redeclared the stream",
    "stream.source": "changed what feeds the stream",
    "stream.undelete": "restored from the trash the stream",
    "node.sink": "changed the sinks of the node",
    "node.retry": "restarted the failed node",
    "node.give_up": "gave up restarting the node",
}
"""Of acts that are no verb before the thing."""
DELIVERED = {"revisions": "every revision", "final": "only what is final"}
RIGHTS = {"read": "look", "edit": "change", "operate": "operate"}
"""As the dialog of who may look, change and run says them; of streams, to operate is to push events."""


def describe_act(entry: AuditEntry) -> str:
    """What was done, before the name of the thing: ran the plan."""
    if entry.act in PHRASES:
        return PHRASES[entry.act]
    verb = entry.act.partition(".")[2] or entry.act
    return f"{VERBS.get(verb, verb.replace('_', ' '))} the {entry.kind}"


def mentioned_plans(entry: AuditEntry) -> list[int]:
    """The plans of which its sentences speak."""
    found = _fields(entry.before).get("plans")
    return [one for one in found if isinstance(one, int)] if isinstance(found, list) else []


def describe_changes(entry: AuditEntry, plans: Plans) -> list[Sentence]:
    """What it changed, a sentence each."""
    if entry.act == "node.stop":
        return _stopped(mentioned_plans(entry), plans)
    was, now = _fields(entry.before), _fields(entry.after)
    tell = ACTS.get(entry.act)
    told = _by_field(was, now) if tell is None else tell(was, now)
    return [(Part(one),) for one in told]


def _fields(document: Any) -> Fields:
    return document if isinstance(document, dict) else {}


def _stopped(numbers: Sequence[int], plans: Plans) -> list[Sentence]:
    """Which plans were stopped with a node; of those that may not be looked at only how many."""
    named = [plans[one] for one in numbers if one in plans]
    told: list[Sentence] = [(Part("“"), plan, Part("”")) for plan in named]
    if untold := len(numbers) - len(named):
        other = "other " if named else ""
        told.append((Part(f"{untold} {other}plan{'' if untold == 1 else 's'} that you cannot look at"),))
    if not told:
        return []
    rest = [part for one in told[1:] for part in (Part(", "), *one)]
    return [(Part("Stopped with it: "), *told[0], *rest, Part("."))]


def _ran(was: Fields, now: Fields) -> list[str]:
    """How a plan ran, and runs."""
    told = []
    if now.get("running"):
        told.append(f"Version {now.get('version')} runs, placed {now.get('placement')}.")
    if was.get("running"):
        told.append(f"Version {was.get('version')} ran before, placed {was.get('placement')}.")
    return told


def _restarted(was: Fields, _now: Fields) -> list[str]:
    """How the query was that was started again."""
    used = was.get("restarts", 0)
    tries = f"{used} restart{'' if used == 1 else 's'} used"
    return [f"Before: {was.get('words') or was.get('observed')}, {tries}."] if was else []


def _draft(_was: Fields, now: Fields) -> list[str]:
    restored = [f"Version {now['version']} is the draft again."] if "version" in now else []
    return restored or [f"The draft is at save {now['draft']}."] if "draft" in now else restored


def _version(was: Fields, now: Fields) -> list[str]:
    named = f"is called “{now['name']}”" if now.get("name") else "has no name"
    before = f"; it was called “{was['name']}”" if was.get("name") else ""
    return [f"Version {now.get('version')} {named}{before}."]


def _tested(was: Fields, now: Fields) -> list[str]:
    old, new = was.get("test"), now.get("test")
    if old is None:
        return [f"The test “{new}” was added."]
    if new is None:
        return [f"The test “{old}” was deleted."]
    return [f"The test “{new}” is at version {now.get('version')}."] + (
        [f"It was called “{old}”."] if old != new else []
    )


def _token(was: Fields, now: Fields) -> list[str]:
    if not now:
        whose = [f"It was a token of {was['user']}."] if "user" in was else []
        return [*whose, "It opens nothing any more."]
    ends = f", for {now['days']} days" if now.get("days") else ""
    return [f"Its scopes: {format_list(now.get('scopes', []))}{ends}."]


def _cleared(was: Fields, _now: Fields) -> list[str]:
    kind = f" of the kind “{was['kind']}”" if was.get("kind") else ""
    return [f"{was.get('lines', 0)} lines{kind} were forgotten."]


def _declared(_was: Fields, now: Fields) -> list[str]:
    """How a new stream was declared, in one line."""
    told = ", ".join(f"{name.replace('_', ' ')} {format_value(one)}" for name, one in now.items())
    return [f"Declared with {told}."] if told else []


def _connected(was: Fields, now: Fields) -> list[str]:
    """What feeds a stream, or where a node is delivered."""
    if not now:
        return [f"{was['kind']} was removed."] if "kind" in was else []
    if was:
        return _by_field(was, now)
    what = f", {DELIVERED.get(now['delivers'], now['delivers'])}" if "delivers" in now else ""
    secrets = f" There are secrets: {format_list(now['secrets'])}." if now.get("secrets") else ""
    where = f": {format_value(now['options'])}" if "options" in now else ""
    return [f"{now.get('kind')} was added{what}{where}.{secrets}"]


def _nothing(_was: Fields, _now: Fields) -> list[str]:
    return []


def _saved(_was: Fields, now: Fields) -> list[str]:
    return [f"It is at version {now['version']}."] if "version" in now else []


def _displayed(_was: Fields, now: Fields) -> list[str]:
    """What is shown otherwise: fields of a stream, or nodes of a plan."""
    return [f"It concerns {format_list(list(now))}."] if now else []


ACTS: dict[str, Callable[[Fields, Fields], list[str]]] = {
    "plan.run": _ran,
    "plan.stop": _ran,
    "plan.delete": _ran,
    "plan.edit": _draft,
    "plan.restore": _draft,
    "plan.version": _version,
    "plan.test": _tested,
    "dashboard.edit": _saved,
    "dashboard.delete": _nothing,
    "plan.display": _displayed,
    "stream.display": _displayed,
    "stream.create": _declared,
    "stream.delete": _nothing,
    "stream.clear_aside": _cleared,
    "stream.source": _connected,
    "node.sink": _connected,
    "node.restart": _restarted,
    "query.restart": _restarted,
    "token.create": _token,
    "token.end": _token,
}


def _by_field(was: Fields, now: Fields) -> list[str]:
    """What is otherwise, a sentence for each field."""
    told = []
    for name in {**was, **now}:
        old, new = was.get(name), now.get(name)
        if old != new and name != "owner_kind":
            told.append(FIELDS.get(name, _otherwise(name))(old, new))
    return [one for one in told if one]


def _otherwise(name: str) -> Callable[[Any, Any], str]:
    title = name.replace("_", " ").capitalize()

    def tell(old: Any, new: Any) -> str:
        if old is None:
            return f"{title}: {format_value(new)}."
        if new is None:
            return f"{title} was {format_value(old)}."
        return f"{title} was {format_value(old)}, and is {format_value(new)}."

    return tell


def _owner(old: Any, new: Any) -> str:
    return f"It went from {old} to {new}."


def _open(_old: Any, new: Any) -> str:
    return "It is open to all." if new else "It is not open to all any more."


def _active(_old: Any, new: Any) -> str:
    return "There is a way in again." if new else "There is no way in any more."


def _teams(_old: Any, new: Any) -> str:
    return f"In the teams now: {format_list(new)}." if new else "In no team now."


def _members(_old: Any, new: Any) -> str:
    return f"Members now: {format_list(new)}." if new else "It has no members now."


def _one_time(_old: Any, _new: Any) -> str:
    return "The password is for one login, and is changed then."


def _shares(old: Any, new: Any) -> str:
    """Who got what, and who lost it."""
    before, after = ({one["name"]: one["rights"] for one in found or []} for found in (old, new))
    told = [
        f"{name} may {format_list([RIGHTS.get(one, one) for one in rights])}"
        for name, rights in after.items()
        if before.get(name) != rights
    ]
    told += [f"{name} may not any more" for name in before if name not in after]
    return f"{'; '.join(told)}." if told else ""


def _fields_of(old: Any, new: Any) -> str:
    """Which fields of a stream there are now, and which are gone."""
    before, after = old or {}, new or {}
    told = [f"{name} is {kind}" for name, kind in after.items() if before.get(name) != kind]
    told += [f"there is no {name} any more" for name in before if name not in after]
    return f"Fields: {', '.join(told)}." if told else ""


def _hidden(_old: Any, new: Any) -> str:
    """Options whose values are not told here, or not whole."""
    return f"{format_list(new).capitalize()} changed (hidden part)." if new else ""


FIELDS: dict[str, Callable[[Any, Any], str]] = {
    "owner": _owner,
    "open_to_all": _open,
    "active": _active,
    "teams": _teams,
    "members": _members,
    "one_time": _one_time,
    "shares": _shares,
    "fields": _fields_of,
    "hidden": _hidden,
}


def format_list(names: Any) -> str:
    """Names in a row: read, edit and operate."""
    found = [str(one) for one in names] if isinstance(names, list) else [str(names)]
    return f"{', '.join(found[:-1])} and {found[-1]}" if len(found) > 1 else "".join(found) or "nothing"


def format_value(value: Any) -> str:
    """A value within a sentence."""
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return format_list(value) if value else "nobody"
    if isinstance(value, dict):
        return ", ".join(f"{name} {format_value(one)}" for name, one in value.items()) or "nothing"
    return str(value)
