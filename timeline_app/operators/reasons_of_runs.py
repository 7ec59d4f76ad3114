"""Why a sequence says what it says: which event made which step, and which one was missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from timeline_app.operators.parameters import spell_duration
from timeline_app.operators.reasons import Boundary, Moment, Question, Reason
from timeline_app.operators.steps import OUTCOMES, SequenceBreak, SequenceStep
from timeline_app.operators.words import format_length, format_names, format_value


@dataclass(frozen=True, slots=True)
class RunSteps:
    """The run that a sequence speaks of at an instant: when it reached which steps, as far as that shows."""

    steps: Sequence[SequenceStep]
    reached: Mapping[int, int]
    """When each step was made, by its number from 1."""

    @classmethod
    def build(cls, moment: Moment, steps: Sequence[SequenceStep]) -> RunSteps:
        """Read them back from the timeline, piece by piece."""
        numbers = {step.name: number for number, step in enumerate(steps[:-1], 1)} | {"completed": len(steps)}
        points, reached = moment.seen.points, dict[int, int]()
        index = moment.place - (moment.value in ("expired", "broken"))
        limit = len(steps) + 1
        while index >= 0 and points[index][0] is not None and numbers.get(points[index][1], limit) < limit:
            limit = numbers[points[index][1]]
            reached[limit] = points[index][0]
            index -= 1
        return cls(steps, dict(sorted(reached.items())))

    @property
    def following(self) -> SequenceStep | None:
        """The step that did not come."""
        last = max(self.reached, default=0)
        return self.steps[last] if last < len(self.steps) else None

    def events(self) -> tuple[Boundary, ...]:
        """Return the events that made the steps."""
        return tuple(
            Boundary(time, self.steps[number - 1].where, stream=self.steps[number - 1].stream)
            for number, time in self.reached.items()
        )

    def describe(self, question: Question) -> str:
        """`login` at 12:00:01, `pay` at 12:00:04."""
        words = [
            f"`{self.steps[number - 1].name}` at {question.clock(time)}"
            for number, time in self.reached.items()
        ]
        return ", ".join(words)


def explain_sequence(question: Question) -> Reason:
    """Explain the run at the instant."""
    steps, value = question.params["steps"], question.result.value
    run = RunSteps.build(question.result, steps)
    if value is None:
        return Reason(_describe_unborn(question), ends=question.ends("ends with the first event"))
    if value == "none":
        begins = f"ends with an event that is `{steps[0].name}`: {describe_event(steps[0])}"
        return Reason(
            f"no run has begun: no event has been `{steps[0].name}`", ends=question.ends(begins, "")
        )
    if value not in OUTCOMES:
        return _explain_step(question, run)
    words = {"completed": _explain_completed, "expired": _explain_expired, "broken": _explain_broken}[value]
    ends = question.ends(
        f"ends with the next run, when an event is `{steps[0].name}`", f" with a new `{steps[0].name}`"
    )
    sentence, events = words(question, run)
    return Reason(sentence, events=events, ends=ends)


def describe_event(item: SequenceStep | SequenceBreak) -> str:
    """Return which events are meant."""
    where = "" if item.where is None else f" with `{item.where.text()}`"
    return f"an event of `{item.stream}`{where}"


def _describe_unborn(question: Question) -> str:
    streams = {item.stream: None for item in (*question.params["steps"], *question.params.get("not", ()))}
    return f"no event of {format_names(streams)} had come for `{question.result.key}` by then"


def _explain_step(question: Question, run: RunSteps) -> Reason:
    following = run.following
    sentence = f"`{question.op}` is at {format_value(question.result.value)}: {run.describe(question)}"
    if question.params.get("again") == "latest":
        sentence += f" (a later event that is `{run.steps[0].name}` begins the run anew)"
    missing = (
        "" if following is None else f"`{following.name}` is missing so far: {describe_event(following)}"
    )
    until, after = question.result.until, question.result.after
    if until is not None and after == "expired":
        ends = f"expires at {question.clock(until)}, if no such event comes before"
        if question.is_over(until):
            ends = f"expired at {question.clock(until)}, as no such event came before"
        return Reason(f"{sentence}; {missing}", events=run.events(), ends=ends)
    how = "" if after is None else f", when it became {format_value(after)}"
    return Reason(
        f"{sentence}; {missing}", events=run.events(), ends=question.ends("ends with such an event", how)
    )


Explanation = tuple[str, tuple[Boundary, ...]]


def _explain_completed(question: Question, run: RunSteps) -> Explanation:
    if not run.reached:
        return "all steps were made before events were kept", ()
    first, last = min(run.reached.values()), max(run.reached.values())
    duration_words = f", {format_length(last - first)} in all" if 1 in run.reached and last > first else ""
    return f"every step was made: {run.describe(question)}{duration_words}", run.events()


def _explain_expired(question: Question, run: RunSteps) -> Explanation:
    following, since = run.following, question.result.since
    if since is None or following is None or not run.reached:
        return "the run took too long", run.events()
    missing = f"`{following.name}` was missing ({describe_event(following)})"
    sentence = (
        f"{missing}: it had to come before {question.clock(since)}, {_describe_limit(question, run, since)}"
    )
    late = Boundary(
        _find_search_end(question), following.where, after=since - 1, missed=since, stream=following.stream
    )
    return f"{sentence}; the run had {run.describe(question)}", (*run.events(), late)


def _find_search_end(question: Question) -> int:
    """Return up to when late events are searched: the end of the piece, or the instant itself."""
    until = question.result.until
    return question.at if until is None else until


def _describe_limit(question: Question, run: RunSteps, since: int) -> str:
    """Return which limit it was that came."""
    last = max(run.reached)
    limit = run.steps[last].within
    if limit is not None and run.reached[last] + limit == since:
        return f"{spell_duration(limit)} after `{run.steps[last - 1].name}`"
    within = question.params.get("within")
    return "the limit" if within is None else f"{spell_duration(within)} after `{run.steps[0].name}`"


def _explain_broken(question: Question, run: RunSteps) -> Explanation:
    since = question.result.since
    if since is None:
        return "the run was broken before events were kept", ()
    breaks: Sequence[SequenceBreak] = question.params.get("not", ())
    following = run.following
    missing = (
        f"; `{following.name}` was missing, after {run.describe(question)}"
        if following and run.reached
        else ""
    )
    kinds = " or ".join(dict.fromkeys(describe_event(item) for item in _select_active(breaks, run)))
    events = tuple(Boundary(since, item.where, stream=item.stream) for item in _select_active(breaks, run))
    return f"at {question.clock(since)} {kinds} broke the run{missing}", (*run.events(), *events)


def _select_active(breaks: Sequence[SequenceBreak], run: RunSteps) -> list[SequenceBreak]:
    """Return what could break the run where it was."""
    names, reached = [step.name for step in run.steps], max(run.reached, default=0)
    if not reached:
        return list(breaks)
    return [
        item
        for item in breaks
        if item.between is None or names.index(item.between[0]) < reached <= names.index(item.between[1])
    ]


def _get_sequence(question: Question) -> Moment:
    return question.look_at_input(at=question.at if question.result.since is None else question.result.since)


def explain_duration(question: Question) -> Reason:
    """Explain the run that completed last."""
    of, result = _get_sequence(question), question.result
    ends = question.ends(f"changes when `{of.node}` completes again", f", when `{of.node}` completed again")
    if result.value is None:
        return Reason(f"no run of `{of.node}` has completed by then", (question.look_at_input(),), ends=ends)
    when = "before events were kept" if result.since is None else f"at {question.clock(result.since)}"
    sentence = f"the latest run of `{of.node}` completed {when} and took {format_value(result.value)} seconds"
    return Reason(sentence, (of,), ends=ends)


def explain_count(question: Question) -> Reason:
    """Explain the runs that ended so."""
    of, result, outcome = _get_sequence(question), question.result, question.params["outcome"]
    ends = question.ends(
        f"changes when `{of.node}` is {outcome} again", f", when `{of.node}` was {outcome} again"
    )
    if not result.value:
        return Reason(f"no run of `{of.node}` is {outcome} by then", (question.look_at_input(),), ends=ends)
    times = "1 run" if result.value == 1 else f"{format_value(result.value)} runs"
    last = "" if result.since is None else f", the last one at {question.clock(result.since)}"
    return Reason(
        f"{times} of `{of.node}` {'is' if result.value == 1 else 'are'} {outcome} by then{last}",
        (of,),
        ends=ends,
    )
