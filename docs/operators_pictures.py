"""Draws docs/img/operators/NAME.svg from the examples of the operators: `python docs/operators_pictures.py`.

Only pictures that are not up to date are drawn, by Plotly and a Chrome or Chromium (see docs/requirements.txt).
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.operators_examples import Shown, evaluated, told
from docs.operators_figures import DARK, Spec, figure
from timeline_app.operators import operators

FOLDER = Path(__file__).with_name("img") / "operators"


def digest(spec: Spec) -> str:
    """What stands in a picture, so that one can see whether it is up to date."""
    return hashlib.sha256(json.dumps([spec, DARK], sort_keys=True).encode()).hexdigest()


def mark(spec: Spec) -> str:
    """The comment in the picture that carries the digest."""
    return f"<!-- timeline {digest(spec)} -->"


def _finished(svg: str, shown: Shown, spec: Spec) -> str:
    """The same with round corners, a title for readers of screens, the digest, and names that do not change."""
    [uid] = set(re.findall(r'id="defs-(\w+)"', svg))
    svg = svg.replace(uid, shown.operator).replace("<rect ", '<rect rx="8" ', 1)
    head, _, rest = svg.partition(">")
    return f"{head}><title>{told(shown.lanes[-1])}</title>{mark(spec)}{night(rest)}{rest}\n"


def night(svg: str) -> str:
    """A style that shows the picture in the colours of the dark theme where the page is dark."""
    rules = []
    for light, dark in DARK.items():
        red, green, blue = (int(light[place : place + 2], 16) for place in (1, 3, 5))
        said = f"rgb({red}, {green}, {blue})"
        for what in ("fill", "stroke"):
            ways = {f'style*="{what}: {said}"', f'style*="{what}:{light}"', f'{what}="{said}"'}
            used = [f"[{way}]" for way in sorted(ways) if way.partition('"')[2].rstrip('"') in svg]
            rules += [f"{','.join(used)}{{{what}:{dark}!important}}"] if used else []
    return f"<style>@media (prefers-color-scheme:dark){{{''.join(rules)}}}</style>"


def _outdated() -> Iterator[tuple[Path, Shown, Spec]]:
    for op in operators().values():
        shown, path = evaluated(op), FOLDER / f"{op.name}.svg"
        spec = figure(shown)
        if not path.exists() or mark(spec) not in path.read_text(encoding="utf-8"):
            yield path, shown, spec


def main() -> None:
    """Draw what is not up to date, and remove pictures of what is no operator any more."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in FOLDER.glob("*.svg"):
        if path.stem not in operators():
            path.unlink()
    todo = list(_outdated())
    if todo:
        from plotly.io import write_images  # noqa: PLC0415 (only to draw)

        specs, paths = [spec for _, _, spec in todo], [path for path, _, _ in todo]
        sizes = {side: [spec["layout"][side] for spec in specs] for side in ("width", "height")}
        write_images(specs, paths, format="svg", validate=False, **sizes)
    for path, shown, spec in todo:
        path.write_text(_finished(path.read_text(encoding="utf-8"), shown, spec), encoding="utf-8")
    print(f"{len(todo)} pictures drawn")


if __name__ == "__main__":
    main()
