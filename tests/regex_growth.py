"""How the time of a regular expression grows with its input, tried on inputs that are derived from the expression.

`python -m tests.regex_growth` reads one pattern as JSON and prints its slowest input and the growth of its time. It is
a process of its own because a bad pattern holds the interpreter until it is done.
"""

from __future__ import annotations

import json
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import product
from re import _parser
from typing import Any

FACTORS = (1, 2, 4, 8)
"""Sizes as multiples of the smallest one."""
SMALLEST = 1_500
MAX_GROWTH = 24.0
"""Eight times the text takes 8 times the time where it is linear, and 64 times where it is quadratic."""
MIN_SUSPECT_S = 0.000_4
"""A text of `SMALLEST * 8` characters takes less than this where no more than a few steps a character are made."""
CPU_LIMIT_S = 30
_FILLERS = ["a", "0", " ", ".", '"', "\\", "\n", "-", "/", ":", "é", "!"]
_TAILS = ["!", "\n", "\x01"]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of the product: its text, its flags, the methods that are called on it, and where it stands."""

    text: str
    flags: int
    methods: tuple[str, ...]
    place: str
    binary: bool = False

    def compiled(self) -> re.Pattern[Any]:
        """As the product compiles it."""
        text: Any = self.text.encode("latin-1") if self.binary else self.text
        return re.compile(text, self.flags)


@dataclass(frozen=True, slots=True)
class Growth:
    """The input on which a pattern slows down most, and how many times longer it takes when it is 8 times as long."""

    ratio: float
    sample: str
    method: str


def measure_in_child(pattern: Pattern, cpu_limit_s: int = CPU_LIMIT_S) -> Growth:
    """The growth of a pattern; infinite where the child process does not finish within its processor time."""
    command = [sys.executable, "-m", "tests.regex_growth", str(cpu_limit_s)]
    run = subprocess.run(
        command, input=json.dumps(asdict(pattern)), stdout=subprocess.PIPE, text=True, check=False
    )
    if run.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return Growth(float("inf"), f"no answer in {cpu_limit_s} s of processor time", "")
    assert run.returncode == 0
    return Growth(**json.loads(run.stdout))


def measure(pattern: Pattern) -> Growth:
    """The greatest growth over all candidate inputs and methods."""
    compiled, worst = pattern.compiled(), Growth(0.0, "", "")
    for method, (head, pump, tail) in product(pattern.methods, list_candidates(pattern)):
        call = _call(compiled, method)
        growth = _measure_growth(call, _make_builder(head, pump, tail, binary=pattern.binary))
        if growth > worst.ratio:
            worst = Growth(growth, f"{head!r} + {pump!r} * n + {tail!r}", method)
        if worst.ratio > MAX_GROWTH:
            break
    return worst


def list_candidates(pattern: Pattern) -> list[tuple[str, str, str]]:
    """Inputs that may be slow, as (head, pump, tail): the pump is repeated."""
    tree = _parser.parse(pattern.text, pattern.flags & ~re.DEBUG)
    samples = [text for text in dict.fromkeys(_iterate_prefixes(tree)) if text][:30]
    letters = sorted(dict.fromkeys([*_iterate_letters(tree), *_FILLERS]), key=str.isalpha)[:24]
    pairs = ["".join(pair) for pair in product(letters[:12], repeat=2)]
    pairs += [letter + sign for letter in ("a", "A", "0") for sign in letters[:12]]
    items = [("", pump, "") for pump in dict.fromkeys([*letters, *samples, *pairs])]
    items += [
        (head, pump, "") for head in samples[:8] for pump in dict.fromkeys([*letters, *samples, *pairs[:60]])
    ]
    pumps, ends = dict.fromkeys([*letters[:12], *samples[:12], "a"]), dict.fromkeys([*_TAILS, *letters[:3]])
    return items + [(head, pump, tail) for head in ["", *samples[:4]] for pump in pumps for tail in ends]


def _make_builder(head: str, pump: str, tail: str, *, binary: bool) -> Callable[[int], Any]:
    def build(size: int) -> Any:
        text = head + pump * (size // len(pump)) + tail
        return text.encode("latin-1", "replace") if binary else text

    return build


def _call(compiled: re.Pattern[Any], method: str) -> Callable[[Any], object]:
    if method == "finditer":
        return lambda text: sum(1 for _ in compiled.finditer(text))
    if method in ("sub", "subn"):
        empty: Any = b"" if isinstance(compiled.pattern, bytes) else ""
        return lambda text: compiled.sub(empty, text)
    return getattr(compiled, method)  # type: ignore[no-any-return]


def _measure_growth(call: Callable[[Any], object], build: Callable[[int], Any]) -> float:
    """How many times longer the greatest size takes; most inputs are let go after one short look."""
    greatest = build(SMALLEST * FACTORS[-1])
    if _time(call, greatest, 1) < MIN_SUSPECT_S:
        return 0.0
    if _time(call, greatest, 3) < MAX_GROWTH / 2 * _time(call, build(SMALLEST), 5):
        return 0.0
    times = [_time(call, build(SMALLEST * factor), 5) for factor in FACTORS]
    return times[-1] / times[0] if times == sorted(times) else 0.0


def _time(call: Callable[[Any], object], text: Any, tries: int) -> float:
    """The least processor time of some tries, seconds."""
    items = []
    for _ in range(tries):
        begin = time.thread_time()
        call(text)
        items.append(time.thread_time() - begin)
    return max(min(items), 1e-7)


def _iterate_prefixes(items: Any) -> Iterator[str]:
    """Texts that match the first 1, 2, 3 … parts of a sequence, and those of the sequences within it."""
    text = ""
    for op, value in items:
        text += _build_example(op, value)
        yield text
        for inner in _list_inner(op, value):
            yield from _iterate_prefixes(inner)


def _list_inner(op: Any, value: Any) -> list[Any]:
    """The sequences within one part."""
    name = str(op)
    if name == "BRANCH":
        return list(value[1])
    if name in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
        return [value[-1]]
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return [value[2]]
    return [value] if name == "ATOMIC_GROUP" else []


def _build_example(op: Any, value: Any) -> str:
    """A text that one part matches; repeats are taken at least once."""
    name = str(op)
    if name == "LITERAL":
        return chr(value)
    if name == "NOT_LITERAL":
        return next(filler for filler in _FILLERS if ord(filler) != value)
    if name == "ANY":
        return "a"
    if name == "IN":
        return _choose_member(value)
    if name in ("ASSERT", "ASSERT_NOT"):
        return ""
    inner = _list_inner(op, value)
    times = min(max(value[0], 1), 50) if name.endswith("REPEAT") else 1
    return "".join(_build_example(*part) for part in inner[0]) * times if inner else ""


def _choose_member(members: Any) -> str:
    """A character of a set."""
    if str(members[0][0]) == "NEGATE":
        barred = set(_set_letters(members))
        return next((filler for filler in _FILLERS if filler not in barred), "~")
    return next(iter(_set_letters(members)), "a")


def _iterate_letters(items: Any) -> Iterator[str]:
    """The characters that a pattern names, and one of each kind that it names."""
    for op, value in items:
        if str(op) in ("LITERAL", "NOT_LITERAL"):
            yield chr(value)
        elif str(op) == "IN":
            yield from _set_letters(value)
        for inner in _list_inner(op, value):
            yield from _iterate_letters(inner)


def _set_letters(members: Any) -> Iterator[str]:
    kinds = {"CATEGORY_DIGIT": "0", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}
    for op, value in members:
        if str(op) == "LITERAL":
            yield chr(value)
        elif str(op) == "RANGE":
            yield chr(value[0])
        elif str(op) == "CATEGORY":
            yield kinds.get(str(value), "!")


if __name__ == "__main__":
    limit = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    print(json.dumps(asdict(measure(Pattern(**json.load(sys.stdin))))))
