"""Setting, pausing, testing and removing the source of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from timeline_app.connectors import options
from timeline_app.connectors.egress.policy import Egress
from timeline_app.connectors.masked_addresses import mask_addresses, mask_options
from timeline_app.connectors.messages import decode_messages
from timeline_app.connectors.reading import Message, NothingYet, SourceUnavailable
from timeline_app.connectors.source_kinds import (
    KINDS,
    Around,
    Source,
    find_forbidden_folders,
    find_rare_polling,
    get_title,
    list_destinations,
    list_place_options,
    open_source,
)
from timeline_app.events.declaration import StreamDeclaration
from timeline_app.events.decode.json_faults import decode_json
from timeline_app.events.guess.sample import COMPARED_EVENTS
from timeline_app.events.mapping import FieldMapping, parse_mapping
from timeline_app.events.mapping_preview import compare_event
from timeline_app.events.validate import LineProblem
from timeline_app.landing.request_body import read_lines
from timeline_app.web.core import audit_writing
from timeline_app.web.core.connector_forms import (
    check_options,
    explain_unreachable,
    have_options_changed,
    hide_values,
    list_secret_names,
    list_units,
    open_secrets,
    restore_kept_secrets,
    split_secrets,
)
from timeline_app.web.core.egress import build_egress
from timeline_app.web.core.errors import ApiError, Missing, describe_problem, end_sentence
from timeline_app.web.core.field_mappings import check_mapping
from timeline_app.web.core.permissions import Right
from timeline_app.web.core.quotas import enforce_quotas, get_holder
from timeline_app.web.core.secrets import Unreadable, decrypt, encrypt
from timeline_app.web.core.sharing import lock_permitted
from timeline_app.web.core.stale_status import as_seen
from timeline_app.web.models import Stream
from timeline_app.web.models.sources import StreamSource
from timeline_app.web.streams.selectors import load_declaration

Document = dict[str, Any]
NOTES_FOLDER = "sources"
"""The folder of what sources note, with a subfolder for each stream by its number."""


def set_source(
    *,
    stream: Stream,
    user: User,
    kind: str,
    options: Mapping[str, Any],
    paused: bool | None = None,
    mapping: object = None,
) -> StreamSource:
    """Set the source of a stream.

    Secrets, the field mapping and the pause stay as they are unless given.
    """
    _refuse_unreachable(stream, user, kind, options)
    with transaction.atomic():
        stream = lock_permitted(stream, user, Right.EDIT)
        before = find_source(stream)
        paused = (before is not None and before.paused) if paused is None else paused
        rules = read_mapping_form(mapping, before, stream).to_document()
        read = _read(stream, kind, _complete_options(before, kind, options))
        public_options, secrets = split_secrets(KINDS[kind], read)
        fields = {
            "kind": kind, "options": public_options, "secrets": encrypt(secrets), "mapping": rules,
            "paused": paused, "changed_at": timezone.now(),
            "set_by": user, **describe_new_status(paused=paused),
        }  # fmt: skip
        if before is None or _is_other_source(before, kind, options):
            fields["opened"] = False
        with enforce_quotas(get_holder(stream), "sources"):
            source, _ = StreamSource.objects.update_or_create(stream=stream, defaults=fields)
        flag, after = before and describe_for_audit(before), describe_for_audit(source)
        if before:
            after |= hide_values((before.options, before.secrets), (source.options, source.secrets))
        audit_writing.note(user=user, act="stream.source", thing=stream, before=flag, after=after)
    return source


def remove_source(*, stream: Stream, user: User) -> None:
    """Remove the source. Its events and read positions stay, in case it comes back."""
    with transaction.atomic():
        stream = lock_permitted(stream, user, Right.EDIT)
        before = get_source(stream)
        audit_writing.note(
            user=user, act="stream.source", thing=stream, before=describe_for_audit(before), after=None
        )
        before.delete()


def pause_source(*, stream: Stream, user: User, paused: bool) -> StreamSource:
    """Pause reading, or resume at the stored position."""
    with transaction.atomic():
        stream = lock_permitted(stream, user, Right.OPERATE)
        source = get_source(stream)
        if source.paused != paused:
            before = describe_for_audit(source)
            source.paused, source.changed_at = paused, timezone.now()
            for name, value in describe_new_status(paused=paused).items():
                setattr(source, name, value)
            source.save(update_fields=["paused", "changed_at", "observed", "words", "lag"])
            audit_writing.note(
                user=user, act="stream.source", thing=stream, before=before, after=describe_for_audit(source)
            )
    return source


def describe_new_status(*, paused: bool) -> Document:
    """Return the state of a source that was just set."""
    if paused:
        return {"observed": StreamSource.Observed.PAUSED, "words": "paused", "lag": 0}
    return {"observed": StreamSource.Observed.STARTING, "words": "starting", "lag": 0}


def find_source(stream: Stream) -> StreamSource | None:
    return StreamSource.objects.filter(stream=stream).first()


def get_source(stream: Stream) -> StreamSource:
    """Return the source; raise `Missing`."""
    source = find_source(stream)
    if source is None:
        message = f"{stream.name} is fed by its door only: it has no source."
        raise Missing(f"{message} PUT one here to give it one.", code="no_source")
    return source


def try_source(
    *,
    stream: Stream,
    kind: str,
    options: Mapping[str, Any],
    user: User | None = None,
    mapping: object = None,
) -> list[Document]:
    """Connect, and read some of the newest messages as the stream would take them; nothing is kept.

    The role of `user` decides what may be reached; None: what a non-administrator may reach.
    """
    rules = read_mapping_form(mapping, find_source(stream), stream)
    read = _read(stream, kind, _complete_options(find_source(stream), kind, options))
    try:
        messages = open_source(
            kind, read, _build_surroundings(stream, build_egress(user, trying=True), rules)
        ).sample()
    except NothingYet as why:
        raise ApiError(end_sentence(f"There is nothing to read yet: {why}"), code="source_empty") from None
    except SourceUnavailable as why:
        raise ApiError(end_sentence(f"The source cannot be read: {why}"), code="source_trouble") from None
    return [_describe_trial(stream, message, rules) for message in messages]


def build_source(source: StreamSource) -> Source:
    """Return a source ready to open; raise `SourceUnavailable` if its options are unusable."""
    try:
        read = _read_options(source.kind, {**source.options, **decrypt(source.secrets)})
    except (KeyError, Unreadable, options.BadOptions) as why:
        raise SourceUnavailable(f"its options cannot be used: {why}") from None
    mapping = parse_mapping(source.mapping)
    return open_source(
        source.kind, read, _build_surroundings(source.stream, build_egress(source.set_by), mapping)
    )


def describe_source(source: StreamSource, *, whole: bool) -> Document:
    """Return a source in its wire type: names of secrets only, and only hosts of addresses unless `whole`."""
    names = ("kind", "options", "mapping", "paused", "missed")
    document = {name: getattr(source, name) for name in names}
    goes_on = source.observed in (StreamSource.Observed.READING, StreamSource.Observed.WAITING)
    observed, words = as_seen(
        source.observed, source.words, source.looked_at, goes_on=goes_on, by="the intake"
    )
    document |= {
        "observed": observed,
        "words": mask_addresses(words),
        "lag": source.lag if goes_on and source.opened else None,
    }
    if not whole:
        document |= {"options": mask_options(source.options)}
    moments = {
        name: moment.isoformat() if (moment := getattr(source, name)) else None
        for name in ("last_message_at", "looked_at")
    }
    title = get_title(source.kind) if source.kind in KINDS else source.kind
    units = {"units": list_units(KINDS.get(source.kind))}
    return {"title": title} | document | moments | units | {"secrets": list_secret_names(source.secrets)}


def describe_for_audit(source: StreamSource) -> Document:
    """Return what others may later know of a source."""
    options = mask_options(source.options)
    document = {"kind": source.kind, "options": options, "mapping": source.mapping, "paused": source.paused}
    return document | {"secrets": list_secret_names(source.secrets)}


def _complete_options(before: StreamSource | None, kind: str, options: Mapping[str, Any]) -> Document:
    """Add the stored secrets, unless they would be sent elsewhere."""
    if before is None or _is_other_source(before, kind, options):
        return dict(options)
    return restore_kept_secrets(KINDS[kind], before.options, before.secrets, options)


def _is_other_source(before: StreamSource, kind: str, options: Mapping[str, Any]) -> bool:
    """Return whether the options describe another source, not the same one with changed options."""
    if before.kind != kind or kind not in KINDS:
        return True
    options_before = (before.options, {**before.options, **open_secrets(before.secrets)})
    return all(
        have_options_changed(KINDS[kind], list_place_options(kind), was, options) for was in options_before
    )


def _read(stream: Stream, kind: str, given_options: Mapping[str, Any]) -> Document:
    def read() -> Document:
        parsed_options = _read_options(kind, given_options)
        if rare := list(find_rare_polling(kind, parsed_options, load_declaration(stream).idle_after)):
            raise options.BadOptions(rare)
        return parsed_options

    return check_options("source", KINDS, kind, read)


def _read_options(kind: str, given_options: Mapping[str, Any]) -> Document:
    """Parse the options of a kind; raise `BadOptions`, also for forbidden folders."""
    read = options.read(KINDS[kind], given_options)
    if problems := list(find_forbidden_folders(kind, read, settings.SOURCE_FOLDERS)):
        raise options.BadOptions(problems)
    return read


def _refuse_unreachable(stream: Stream, user: User, kind: str, options: Mapping[str, Any]) -> None:
    """Resolve host names before anything is locked: a slow resolver blocks nobody."""
    read = _read(stream, kind, _complete_options(find_source(stream), kind, options))
    with explain_unreachable("source"):
        build_egress(user, trying=True).check(list_destinations(kind, read))


def read_mapping_form(document: object, before: StreamSource | None, stream: Stream) -> FieldMapping:
    """Return the given field mapping, or the current one; raise `ApiError` with all problems."""
    if document is None:
        return parse_mapping([] if before is None else before.mapping)
    return check_mapping(document, load_declaration(stream))


def notes_folder(stream: Stream) -> Path:
    """Return the folder in which the sources of a stream note what they have read."""
    return Path(settings.TIMELINE_LOCAL) / NOTES_FOLDER / str(stream.pk)


def _build_surroundings(stream: Stream, egress: Egress, mapping: FieldMapping) -> Around:
    def declared() -> StreamDeclaration:
        return mapping.decoded_as(load_declaration(Stream.objects.get(pk=stream.pk)))

    return Around(notes_folder(stream), settings.SOURCE_FOLDERS, settings.REDIS_URL, declared, egress)


def _describe_trial(stream: Stream, message: Message, mapping: FieldMapping) -> Document:
    messages = decode_messages([message], load_declaration(stream), mapping)
    _, rejected = (
        read_lines(messages.lines, load_declaration(stream))
        if messages.lines
        else (None, list[LineProblem]())
    )
    line_problems = [item.problem for item in messages.wrong] + rejected
    lines = b"\n".join(messages.lines) if message.beside and not mapping else b""
    text = (lines or message.value or b"")[:8_192].decode(errors="replace")
    return {
        "place": message.describe_place(),
        "text": text,
        "problems": [
            describe_problem(item.message, code=item.code, field=item.field, severity="error")
            for item in line_problems[:20]
        ],
        "events": [compare_event(event, mapping) for event in _decode(stream, message, mapping)],
    }


def _decode(stream: Stream, message: Message, mapping: FieldMapping) -> list[Document]:
    """Return the first events of a message, before the mapping."""
    messages = decode_messages([message], mapping.decoded_as(load_declaration(stream)))
    events = [
        event
        for number, line in enumerate(messages.lines, 1)
        if isinstance(event := decode_json(line, number), dict)
    ]
    return events[:COMPARED_EVENTS]
