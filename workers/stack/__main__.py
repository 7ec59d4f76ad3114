"""`python -m workers.stack run|stop` runs the product in the foreground, or stops it from elsewhere."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

import psutil

from workers.stack import health
from workers.stack.elsewhere import describe_elsewhere, stop_command
from workers.stack.hold import AlreadyRunning, Hold
from workers.stack.layout import ROOT, Layout, derive_identity
from workers.stack.processes import end_all, list_marked, name_of
from workers.stack.stack import Stack, StackError

STOP_TIMEOUT_S = 60.0
CHECK_TIMEOUT_S = 60.0
REPORT_EVERY_S = 10.0
EXTERNAL_SERVICES = ("SPARK_REMOTE", "REDIS_URL")
"""A service that one of these names is not started here."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


REASONS = {
    signal.SIGINT: "Ctrl-C",
    signal.SIGTERM: "asked by SIGTERM, as `make stop` does",
    signal.SIGHUP: "the terminal was closed",
}


class Asked(Exception):
    """A signal asked the process to stop."""


def print_line(line: str) -> None:
    """Print one line at once."""
    print(line, flush=True)


def request_stop(signal_number: int, _frame: FrameType | None) -> None:
    """Turn the first signal into an exception in the main thread.

    Later signals are ignored, so that nothing interrupts the shutdown.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise Asked(REASONS[signal.Signals(signal_number)])


def run(data: Path, demo: bool, port: int | None, shared: str = "") -> int:
    """Start the stack and run it until a signal asks to stop."""
    started = time.monotonic()
    spark, redis = (os.environ.get(variable, "") for variable in EXTERNAL_SERVICES)
    for variable, address in zip(EXTERNAL_SERVICES, (spark, redis), strict=True):
        if address:
            print_line(f"  …  {variable} names one that runs elsewhere: none is started here")
    stack = Stack(data, demo, port, print_line, spark=spark, redis=redis, shared=shared)
    for number in SIGNALS:
        signal.signal(number, request_stop)
    look_first(stack.layout)
    stack.start()
    try:
        greet(stack, time.monotonic() - started)
        if demo and stack.wait_for_demo():
            print_line("     it runs on made-up events: open it in the browser\n")
        while True:
            stack.tend()
            time.sleep(1.0)
    except Asked as reason:
        print_line(f"\n  …  stopping: {reason}")
        return 0
    finally:
        stack.stop()
        print_line("  ✓  stopped")


def look_first(layout: Layout) -> None:
    """Check that the stack can start, before anything is started. Raises StackError."""
    command = [sys.executable, "-m", "workers.stack.ready"]
    command += ["--redis"] * bool(layout.redis) + ["--database"] * bool(os.environ.get("DATABASE_URL"))
    try:
        check = subprocess.run(  # nosec B603
            command,
            cwd=ROOT,
            env=layout.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=CHECK_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired:
        raise StackError(
            f"whether it can start was not found out within {CHECK_TIMEOUT_S:.0f} s: is a REDIS_URL or DATABASE_URL"
            " there that takes connections and does not answer?"
        ) from None
    if check.returncode:
        why = check.stderr.strip()[-2_000:]
        raise StackError(why or f"whether it can start was not found out: it ended with {check.returncode}")


def parse_port(text: str) -> int:
    """Parse a port, or say why it is none."""
    if not text.isdecimal() or not 0 < int(text) < 1 << 16:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 1 to 65535")
    return int(text)


def parse_data(text: str) -> str:
    """Parse a directory or address. Refuse an empty one, which would mean the current directory."""
    if not text.strip():
        raise argparse.ArgumentTypeError(
            "the data directory (TIMELINE_DATA) is empty: name one, or leave it out"
        )
    return text


def greet(stack: Stack, seconds: float) -> None:
    """Print the address, the login and how to stop."""
    login = health.read_login(stack.layout.data) if stack.layout.demo else {}
    print_line(f"\n  {stack.url}   (its servers started in {seconds:.0f} s)")
    if login:
        print_line(f"  login: {login['username']}   password: {login['password']}")
    if first := stack.first_login:
        print_line(f"  login: {first['username']}   password, for the first login only: {first['password']}")
        print_line("  It is shown this once; you choose your own at the login.")
    print_line(
        f"  logs: {stack.layout.logs}\n  end: Ctrl-C, or in another terminal {stop_command(stack.layout.data)}\n"
    )


def stop(data: Path) -> int:
    """Stop a running stack, or end what a killed one has left."""
    hold, identity = Hold(data / "stack"), derive_identity(data)
    holder = hold.holder()
    process = holder.process() if holder else None
    if process and not hold.is_free():
        print_line(f"  …  stopping process {process.pid}")
        process.send_signal(signal.SIGTERM)
        wait_until_free(hold, identity)
    survivors = end_all(identity)
    if survivors:
        print_line(f"  !  ended {survivors} processes that were left")
    print_line(
        "  ✓  stopped" if process or survivors else f"  nothing of it is running with the data in {data}"
    )
    if not (process or survivors):
        for line in describe_elsewhere(data):
            print_line(line)
    return 0


def wait_until_free(hold: Hold, identity: str) -> None:
    """Wait until the run has ended, up to `STOP_TIMEOUT_S`; name the remaining processes at intervals."""
    started = last_message_at = time.monotonic()
    while not hold.is_free() and (now := time.monotonic()) < started + STOP_TIMEOUT_S:
        if now - last_message_at >= REPORT_EVERY_S:
            last_message_at = now
            names = sorted({name_of(process) for process in list_marked(identity)})
            print_line(
                f"  …  {now - started:.0f} s, waits for the end of {', '.join(names) or 'the run itself'}"
            )
        time.sleep(0.1)


def main() -> int:
    """Parse the command line and run the command."""
    parser = argparse.ArgumentParser(prog="python -m workers.stack", description=__doc__)
    parser.add_argument("command", choices=["run", "stop"])
    usual = os.environ.get("TIMELINE_DATA", str(ROOT / "var"))
    parser.add_argument(
        "--data", default=usual, type=parse_data, help="the data directory, or address (default: %(default)s)"
    )
    parser.add_argument("--no-demo", action="store_true", help="without demo user, plan and simulator")
    parser.add_argument("--port", type=parse_port, help="web port (default: 8000, or a free one)")
    arguments = parser.parse_args()
    shared = arguments.data if "://" in arguments.data else ""
    data = Path(arguments.data if not shared else os.environ.get("TIMELINE_LOCAL") or ROOT / "var").resolve()
    try:
        if arguments.command == "stop":
            return stop(data)
        return run(data, not arguments.no_demo, arguments.port, shared)
    except Asked as reason:
        print_line(f"  ✓  stopped: {reason}")
        return 0
    except AlreadyRunning as error:
        print_line(f"  ✗  {error}; what ends it: {stop_command(data)}")
        return 1
    except (StackError, psutil.Error) as error:
        print_line(f"  ✗  {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
