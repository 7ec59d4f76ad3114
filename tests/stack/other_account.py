"""`python -m tests.stack.other_account UID`: tries every door of a running product as that user; prints what opened.

Reads from its standard input as JSON where the doors are. All packages are imported before it becomes that user.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import redis
from pyspark.sql.connect.session import SparkSession
from pyspark.sql.functions import udf

from workers.spark.connect.presharing import PresharedChannel

RPC_REQUEST = 3
"""The type of a question in Spark's own protocol between driver and executors."""


def read(path: str) -> str:
    """The beginning of a file."""
    with Path(path).open("rb") as file:
        return repr(file.read(64))


def connect_by_path(path: str) -> str:
    """Connect to a socket of the file system."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
    return "connected"


def run_code(address: str, token_file: str) -> str:
    """Run a function at the Spark server, with the token where that can be read."""
    try:
        token = f";token={Path(token_file).read_text()}"
    except OSError:
        token = ""
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    channel = PresharedChannel(f"{address}/;user_id=stranger{token}")
    spark: Any = SparkSession.builder.channelBuilder(channel).create()
    try:
        return str(spark.range(1).select(udf(lambda _: f"uid {os.getuid()}")("id")).collect())
    finally:
        spark.client.close()


def speak_rpc(port: int) -> str:
    """What the driver says to a question of somebody who has not shown the secret; raises where it hangs up."""
    question = struct.pack(">QBQI", 8 + 1 + 8 + 4, RPC_REQUEST, 1, 0)
    with socket.create_connection(("127.0.0.1", port), 10) as line:
        line.sendall(question)
        answer = line.recv(1 << 16)
    text = answer.decode(errors="replace")
    if not answer or "SaslMessage" in text:
        raise PermissionError(f"wants the secret first: {text[:200]}")
    return text


def read_command_line(pid: int) -> str:
    """What everybody may see of a process; nothing of one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def attempt_door(door: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """Whether it opened, and what it said."""
    try:
        return {"open": True, "said": str(door(*arguments))}
    except Exception as why:
        return {"open": False, "said": f"{type(why).__name__}: {why}"}


def main() -> None:
    """Try them all."""
    doors = json.load(sys.stdin)
    "localhost".encode("idna")  # sockets need it, and the other user may not read Python's own files
    os.setgroups([])
    os.setgid(int(sys.argv[1]))
    os.setuid(int(sys.argv[1]))
    data = Path(doors["data"])
    files = ("timelines.sqlite3", "secret-key", "demo-login", "stack/spark-token", "logs/web.log")
    result = {f"file {name}": attempt_door(read, str(data / name)) for name in files}
    for name in (".", "landing", "feeds", "checkpoints", "stack"):
        result[f"folder {name}"] = attempt_door(os.listdir, data / name)
    result["supervisord"] = attempt_door(connect_by_path, doors["supervisord"])
    result["redis"] = attempt_door(lambda: redis.Redis(unix_socket_path=doors["redis"]).ping())
    result["spark"] = attempt_door(run_code, doors["spark"], str(data / "stack/spark-token"))
    for path in doors["sockets"]:
        result[f"socket {path}"] = attempt_door(connect_by_path, path)
    for pid in doors["pids"]:
        result[f"environment of {pid}"] = attempt_door(read, f"/proc/{pid}/environ")
    for port in doors["rpc"]:
        result[f"rpc {port}"] = attempt_door(speak_rpc, port)
    lines = [line for pid in doors["pids"] if (line := read_command_line(pid))]
    result["a secret on a command line"] = {
        "open": any(secret in line for secret in doors["secrets"] for line in lines),
        "said": f"{len(lines)} looked at",
    }
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
