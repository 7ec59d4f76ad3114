"""Draws docs/img/operators/NAME.svg from the examples of the operators: `python docs/operators_pictures.py`.

Only pictures that are not up to date are drawn, by Plotly and a Chrome or Chromium (see docs/requirements.txt).
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.operators_examples import describe_lane, evaluate_example
from docs.operators_figures import DARK, Spec, build_figure
from timeline_app.operators import operators

FOLDER = Path(__file__).with_name("img") / "operators"


def digest(spec: Spec) -> str:
    """What stands in a picture, so that one can see whether it is up to date."""
    return hashlib.sha256(json.dumps([spec, DARK], sort_keys=True).encode()).hexdigest()


def mark(spec: Spec) -> str:
    """The comment in the picture that carries the digest."""
    return f"<!-- timeline {digest(spec)} -->"


@dataclass(frozen=True)
class Picture:
    """A picture to draw: its file, what it shows in words, and its figure."""

    path: Path
    title: str
    spec: Spec

    def is_outdated(self) -> bool:
        """Whether the file shows something else."""
        return not self.path.exists() or mark(self.spec) not in self.path.read_text(encoding="utf-8")

    def finish(self) -> None:
        """Give it round corners, a title for readers of screens, the digest, and names that do not change."""
        svg = self.path.read_text(encoding="utf-8")
        [uid] = set(re.findall(r'id="defs-(\w+)"', svg))
        svg = svg.replace(uid, self.path.stem).replace("<rect ", '<rect rx="8" ', 1)
        head, _, rest = svg.partition(">")
        finished = (
            f"{head}><title>{escape(self.title)}</title>{mark(self.spec)}{build_night_style(rest)}{rest}\n"
        )
        self.path.write_text(finished, encoding="utf-8")


def build_night_style(svg: str) -> str:
    """A style that shows the picture in the colours of the dark theme where the page is dark."""
    rules = []
    for light, dark in DARK.items():
        red, green, blue = (int(light[place : place + 2], 16) for place in (1, 3, 5))
        colour = f"rgb({red}, {green}, {blue})"
        for what in ("fill", "stroke"):
            ways = {f'style*="{what}: {colour}"', f'style*="{what}:{light}"', f'{what}="{colour}"'}
            used = [f"[{way}]" for way in sorted(ways) if way.partition('"')[2].rstrip('"') in svg]
            rules += [f"{','.join(used)}{{{what}:{dark}!important}}"] if used else []
    return f"<style>@media (prefers-color-scheme:dark){{{''.join(rules)}}}</style>"


def draw_pictures(pictures: Sequence[Picture]) -> None:
    """Draw what is not up to date, and remove what is no picture of the folder any more."""
    folder = pictures[0].path.parent
    folder.mkdir(parents=True, exist_ok=True)
    for path in set(folder.glob("*.svg")) - {picture.path for picture in pictures}:
        path.unlink()
    outdated = [picture for picture in pictures if picture.is_outdated()]
    if outdated:
        from plotly.io import write_images  # noqa: PLC0415 (only to draw)

        specs, paths = [picture.spec for picture in outdated], [picture.path for picture in outdated]
        sizes = {side: [spec["layout"][side] for spec in specs] for side in ("width", "height")}
        write_images(specs, paths, format="svg", validate=False, **sizes)
    for picture in outdated:
        picture.finish()
    print(f"{len(outdated)} pictures drawn")


def main() -> None:
    """Draw the pictures of the operators."""
    examples = {op.name: evaluate_example(op) for op in operators().values()}
    draw_pictures(
        [
            Picture(FOLDER / f"{name}.svg", describe_lane(item.lanes[-1]), build_figure(item))
            for name, item in examples.items()
        ]
    )


if __name__ == "__main__":
    main()
