"""The colours of the page, read from where it has them: `colours.css`, `palette.json` and `meanings.json`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

FRONTEND = Path(__file__).resolve().parents[1] / "frontend" / "src"
MAX_WORDS = 4
"""More words than these are a sentence, of which no single word tells the meaning."""


def read_json(name: str) -> Any:
    """What a file of the kit that draws time holds."""
    return json.loads((FRONTEND / "timechart" / name).read_text(encoding="utf-8"))


def read_variables() -> dict[str, tuple[str, str]]:
    """The colours of the style sheet by their names: each in the light theme and in the dark one."""
    text = (FRONTEND / "core" / "ui" / "colours.css").read_text(encoding="utf-8")
    pattern = r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)"
    return {name: (light, dark) for name, light, dark in re.findall(pattern, text)}


PALETTE, MEANINGS, VARIABLES = read_json("palette.json"), read_json("meanings.json"), read_variables()
LIGHT: Mapping[str, Any] = PALETTE["light"]
VALUES: list[str] = LIGHT["values"]
WORDS = {word: kind for kind in reversed(MEANINGS["order"]) for word in MEANINGS["words"][kind].split()}


def pair_colours() -> dict[str, str]:
    """Each light colour that a picture may have, and what it is in the dark theme."""
    dark = PALETTE["dark"]
    pairs = dict(VARIABLES.values())
    for kind, shades in LIGHT["meanings"].items():
        pairs |= dict(zip(shades, dark["meanings"][kind], strict=True))
    pairs |= dict(zip(VALUES, dark["values"], strict=True))
    return pairs | {LIGHT[name]: dark[name] for name in ("no", "yes", "unknown", "line", "faint", "ground")}


def find_meaning(text: str) -> str | None:
    """What a value tells by its words, as the page reads them (`meanings.ts`); None where they tell nothing."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", text[:80]).lower()
    words = [word for word in re.split(r"[\W_]+", spaced) if word]
    if len(words) > MAX_WORDS or (len(words) > 1 and set(words) & set(MEANINGS["negations"])):
        return None
    items = {WORDS.get(word) for word in words}
    return next((kind for kind in MEANINGS["order"] if kind in items), None)


def colour_texts(texts: Iterable[str]) -> dict[str, str]:
    """The colour of each text of a picture, as a chart of the page has it (`colours.ts`)."""
    ordered = sorted(set(texts), key=lambda text: (_hash(text), text))
    ranks: Counter[str] = Counter()
    colours: dict[str, str] = {}
    for text in ordered:
        if (kind := find_meaning(text)) is not None:
            shades = LIGHT["meanings"][kind]
            colours[text] = shades[ranks[kind] % len(shades)]
            ranks[kind] += 1
    places = _assign_places([text for text in ordered if text not in colours])
    return colours | {text: VALUES[place] for text, place in places.items()}


def _hash(text: str) -> int:
    """FNV-1a over code points."""
    total = 2166136261
    for char in text:
        total = (total ^ ord(char)) * 16777619 & 0xFFFFFFFF
    return total


def _list_choices(text: str) -> list[int]:
    """The places of a text in the order in which it would have them, told by the text alone."""
    first, size = _hash(text), len(VALUES)
    step = (1, 3, 7, 9)[(first >> 16) % 4]
    return [(first + place * step) % size for place in range(size)]


def _assign_places(ordered: list[str]) -> dict[str, int]:
    """Its own place for each text that is the only one, or the first, to want it; the others take what is free."""
    places: dict[str, int] = {}
    for most in (1, len(VALUES)):
        for text in ordered:
            if text not in places:
                free = [place for place in _list_choices(text)[:most] if place not in places.values()]
                places.update((text, place) for place in free[:1])
    return {text: places.get(text, _list_choices(text)[0]) for text in ordered}
