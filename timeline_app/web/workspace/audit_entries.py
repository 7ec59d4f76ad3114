"""Acts as sentences: what was done, and what changed, with the names of resources that the reader may read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from timeline_app.web.models.people import AuditEntry


class Part(NamedTuple):
    """A part of a sentence, and the page of what it names."""

    text: str
    address: str | None = None


Sentence = tuple[Part, ...]
Plans = Mapping[int, Part]
"""The plans that the reader may read, by number."""
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
    "clear_rejected_events": "cleared the rejected events of",
    "end": "ended",
    "empty": "emptied",
    "purge": "removed for good",
}
PHRASES = {
    "stream.change": "redeclared the stream",
    "stream.source": "changed what feeds the stream",
    "stream.undelete": "restored from the trash the stream",
    "node.sink": "changed the sinks of the node",
    "dashboard.link": "made a public link to the dashboard",
    "dashboard.unlink": "ended a public link to the dashboard",
    "alert.incident": "took care of an incident of the alert",
    "node.retry": "restarted the failed node",
    "node.give_up": "gave up restarting the node",
}
"""Acts that are not a verb before the resource."""
DELIVERED = {"revisions": "every revision", "final": "only what is final"}
RIGHTS = {"read": "look", "edit": "change", "operate": "operate"}
"""As in the share dialog; to operate a stream is to push events."""


def describe_act(entry: AuditEntry) -> str:
    """Return what was done, before the name of the resource: ran the plan."""
    if entry.act in PHRASES:
        return PHRASES[entry.act]
    verb = entry.act.partition(".")[2] or entry.act
    return f"{VERBS.get(verb, verb.replace('_', ' '))} the {entry.kind}"


def list_mentioned_plans(entry: AuditEntry) -> list[int]:
    """Return the plans that its sentences mention."""
    result = _as_fields(entry.before).get("plans")
    return [item for item in result if isinstance(item, int)] if isinstance(result, list) else []


def describe_changes(entry: AuditEntry, plans: Plans) -> list[Sentence]:
    """Return the changes, one sentence each."""
    if entry.act == "node.stop":
        return _explain_stopped_plans(list_mentioned_plans(entry), plans)
    was, now = _as_fields(entry.before), _as_fields(entry.after)
    tell = ACTS.get(entry.act)
    fields = _explain_fields(was, now) if tell is None else tell(was, now)
    return [(Part(item),) for item in fields]


def _as_fields(document: Any) -> Fields:
    return document if isinstance(document, dict) else {}


def _explain_stopped_plans(numbers: Sequence[int], plans: Plans) -> list[Sentence]:
    """Name the plans that were stopped with a node; count those that the reader may not read."""
    named = [plans[number] for number in numbers if number in plans]
    sentences: list[Sentence] = [(Part("“"), plan, Part("”")) for plan in named]
    if untold := len(numbers) - len(named):
        other = "other " if named else ""
        sentences.append((Part(f"{untold} {other}plan{'' if untold == 1 else 's'} that you cannot look at"),))
    if not sentences:
        return []
    other_sentences = [part for item in sentences[1:] for part in (Part(", "), *item)]
    return [(Part("Stopped with it: "), *sentences[0], *other_sentences, Part("."))]


def _explain_run(was: Fields, now: Fields) -> list[str]:
    """Explain how a plan ran and runs."""
    items = []
    if now.get("running"):
        items.append(f"Version {now.get('version')} runs, placed {now.get('placement')}.")
    if was.get("running"):
        items.append(f"Version {was.get('version')} ran before, placed {was.get('placement')}.")
    return items


def _explain_restart(was: Fields, _now: Fields) -> list[str]:
    """Explain the state of the restarted query."""
    used = was.get("restarts", 0)
    tries = f"{used} restart{'' if used == 1 else 's'} used"
    return [f"Before: {was.get('words') or was.get('observed')}, {tries}."] if was else []


def _explain_draft(_was: Fields, now: Fields) -> list[str]:
    restored = [f"Version {now['version']} is the draft again."] if "version" in now else []
    return restored or [f"The draft is at save {now['draft']}."] if "draft" in now else restored


def _explain_version(was: Fields, now: Fields) -> list[str]:
    named = f"is called “{now['name']}”" if now.get("name") else "has no name"
    before = f"; it was called “{was['name']}”" if was.get("name") else ""
    return [f"Version {now.get('version')} {named}{before}."]


def _explain_test(was: Fields, now: Fields) -> list[str]:
    old, new = was.get("test"), now.get("test")
    if old is None:
        return [f"The test “{new}” was added."]
    if new is None:
        return [f"The test “{old}” was deleted."]
    return [f"The test “{new}” is at version {now.get('version')}."] + (
        [f"It was called “{old}”."] if old != new else []
    )


def _explain_token(was: Fields, now: Fields) -> list[str]:
    if not now:
        token_words = [f"It was a token of {was['user']}."] if "user" in was else []
        return [*token_words, "It opens nothing any more."]
    ends = f", for {now['days']} days" if now.get("days") else ""
    return [f"Its scopes: {format_list(now.get('scopes', []))}{ends}."]


def _explain_clearing(was: Fields, _now: Fields) -> list[str]:
    kind = f" of the kind “{was['kind']}”" if was.get("kind") else ""
    return [f"{was.get('lines', 0)} lines{kind} were forgotten."]


def _explain_declaration(_was: Fields, now: Fields) -> list[str]:
    """Return the declaration of a new stream in one line."""
    text = ", ".join(f"{name.replace('_', ' ')} {format_value(value)}" for name, value in now.items())
    return [f"Declared with {text}."] if text else []


def _explain_connection(was: Fields, now: Fields) -> list[str]:
    """Explain a change of a source or a sink."""
    if not now:
        return [f"{was['kind']} was removed."] if "kind" in was else []
    if was:
        return _explain_fields(was, now)
    delivered = f", {DELIVERED.get(now['delivers'], now['delivers'])}" if "delivers" in now else ""
    secrets = f" There are secrets: {format_list(now['secrets'])}." if now.get("secrets") else ""
    where = f": {format_value(now['options'])}" if "options" in now else ""
    return [f"{now.get('kind')} was added{delivered}{where}.{secrets}"]


def _explain_nothing(_was: Fields, _now: Fields) -> list[str]:
    return []


def _explain_save(_was: Fields, now: Fields) -> list[str]:
    return [f"It is at version {now['version']}."] if "version" in now else []


def _explain_display(_was: Fields, now: Fields) -> list[str]:
    """Name the fields or nodes whose display options changed."""
    return [f"It concerns {format_list(list(now))}."] if now else []


ACTS: dict[str, Callable[[Fields, Fields], list[str]]] = {
    "plan.run": _explain_run,
    "plan.stop": _explain_run,
    "plan.delete": _explain_run,
    "plan.edit": _explain_draft,
    "plan.restore": _explain_draft,
    "plan.version": _explain_version,
    "plan.test": _explain_test,
    "dashboard.edit": _explain_save,
    "dashboard.delete": _explain_nothing,
    "plan.display": _explain_display,
    "stream.display": _explain_display,
    "stream.create": _explain_declaration,
    "stream.delete": _explain_nothing,
    "stream.clear_rejected_events": _explain_clearing,
    "stream.source": _explain_connection,
    "node.sink": _explain_connection,
    "node.restart": _explain_restart,
    "query.restart": _explain_restart,
    "token.create": _explain_token,
    "token.end": _explain_token,
}


def _explain_fields(was: Fields, now: Fields) -> list[str]:
    """Return a sentence for each changed field."""
    items = []
    for name in {**was, **now}:
        old, new = was.get(name), now.get(name)
        if old != new and name != "owner_kind":
            items.append(FIELDS.get(name, _make_explainer(name))(old, new))
    return [item for item in items if item]


def _make_explainer(name: str) -> Callable[[Any, Any], str]:
    title = name.replace("_", " ").capitalize()

    def tell(old: Any, new: Any) -> str:
        if old is None:
            return f"{title}: {format_value(new)}."
        if new is None:
            return f"{title} was {format_value(old)}."
        return f"{title} was {format_value(old)}, and is {format_value(new)}."

    return tell


def _explain_owner(old: Any, new: Any) -> str:
    return f"It went from {old} to {new}."


def _explain_open(_old: Any, new: Any) -> str:
    return "It is open to all." if new else "It is not open to all any more."


def _explain_active(_old: Any, new: Any) -> str:
    return "There is a way in again." if new else "There is no way in any more."


def _explain_teams(_old: Any, new: Any) -> str:
    return f"In the teams now: {format_list(new)}." if new else "In no team now."


def _explain_members(_old: Any, new: Any) -> str:
    return f"Members now: {format_list(new)}." if new else "It has no members now."


def _explain_one_time(_old: Any, _new: Any) -> str:
    return "The password is for one login, and is changed then."


def _explain_shares(old: Any, new: Any) -> str:
    """Explain who got or lost which rights."""
    before, after = ({item["name"]: item["rights"] for item in item or []} for item in (old, new))
    phrases = [
        f"{name} may {format_list([RIGHTS.get(right, right) for right in rights])}"
        for name, rights in after.items()
        if before.get(name) != rights
    ]
    phrases += [f"{name} may not any more" for name in before if name not in after]
    return f"{'; '.join(phrases)}." if phrases else ""


def _explain_stream_fields(old: Any, new: Any) -> str:
    """Explain which fields of a stream were added or removed."""
    before, after = old or {}, new or {}
    phrases = [f"{name} is {kind}" for name, kind in after.items() if before.get(name) != kind]
    phrases += [f"there is no {name} any more" for name in before if name not in after]
    return f"Fields: {', '.join(phrases)}." if phrases else ""


def _explain_hidden(_old: Any, new: Any) -> str:
    """Name options whose values the audit hides, entirely or in part."""
    return f"{format_list(new).capitalize()} changed (hidden part)." if new else ""


FIELDS: dict[str, Callable[[Any, Any], str]] = {
    "owner": _explain_owner,
    "open_to_all": _explain_open,
    "active": _explain_active,
    "teams": _explain_teams,
    "members": _explain_members,
    "one_time": _explain_one_time,
    "shares": _explain_shares,
    "fields": _explain_stream_fields,
    "hidden": _explain_hidden,
}


def format_list(names: Any) -> str:
    """Join names: read, edit and operate."""
    items = [str(name) for name in names] if isinstance(names, list) else [str(names)]
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items) or "nothing"


def format_value(value: Any) -> str:
    """Return a value within a sentence."""
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return format_list(value) if value else "nobody"
    if isinstance(value, dict):
        return ", ".join(f"{name} {format_value(item)}" for name, item in value.items()) or "nothing"
    return str(value)
