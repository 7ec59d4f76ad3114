"""Directories that were open before are closed, where they are ours to close; else it is said what is open and why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from timeline_app.private_files import FILES, GROUP, PRIVATE, close_folder, set_umask
from workers.stack.layout import Layout
from workers.stack.sockets import MAX_SOCKET_PATH_BYTES, choose_socket_folder

ROOT = Path(__file__).resolve().parents[1]


def read_mode(path: Path) -> int:
    return path.stat().st_mode & 0o7777


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A data directory as earlier versions left it, with something in it that is not ours."""
    data = tmp_path / "data"
    (data / "landing" / "player").mkdir(parents=True)
    (data / "pictures").mkdir()
    for name in ("timelines.sqlite3", "timelines.sqlite3-wal", "letter"):
        (data / name).touch()
    for path in (data, *data.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return data


def test_what_was_open_is_closed_and_what_is_not_ours_is_left(old: Path) -> None:
    assert close_folder(old) == []
    assert read_mode(old) == read_mode(old / "landing") == 0o700
    assert read_mode(old / "timelines.sqlite3") == read_mode(old / "timelines.sqlite3-wal") == 0o600
    assert (read_mode(old / "pictures"), read_mode(old / "letter")) == (0o755, 0o644)
    assert close_folder(old) == []


def test_a_group_keeps_what_it_may_where_the_setting_says_so(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FILES, GROUP)
    (old / "landing").chmod(0o2777)
    assert close_folder(old) == []
    assert (read_mode(old), read_mode(old / "landing"), read_mode(old / "timelines.sqlite3")) == (
        0o750,
        0o2770,
        0o640,
    )


def test_a_folder_that_was_given_to_a_group_is_left_to_it_and_told(old: Path) -> None:
    old.chmod(0o2775)
    answer = close_folder(old)
    assert read_mode(old) == 0o2770
    assert [words.partition(" (mode")[0] for words in answer] == [
        f"{old} is open to other accounts of this machine"
    ]
    assert f"{FILES}={GROUP}" in answer[0]


@pytest.mark.parametrize("sticky", [0o1777, 0o1755])
def test_a_folder_where_many_work_is_never_closed_and_told(sticky: int, tmp_path: Path) -> None:
    shared = tmp_path / "tmp"
    shared.mkdir()
    shared.chmod(sticky)
    assert "use a folder below it" in close_folder(shared)[0]
    assert read_mode(shared) == sticky


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    data.mkdir(mode=0o700)
    elsewhere.mkdir()
    elsewhere.chmod(0o755)
    (data / "landing").symlink_to(elsewhere)
    (data / "feeds").symlink_to(tmp_path / "nothing")
    assert close_folder(data) == []
    assert read_mode(elsewhere) == 0o755


def test_what_belongs_to_somebody_else_is_told_with_the_reason(old: Path) -> None:
    """As an account that owns nothing there; which account that is only root can choose."""
    if os.geteuid():
        answer = close_folder(Path("/usr"))
        assert "could not be closed" in answer[0]
        return
    for path in (old, *old.parents):
        if path.is_relative_to("/tmp/pytest-of-root") or path == old:
            path.chmod(0o755)
    script = (
        "import os, sys; from pathlib import Path; from timeline_app.private_files import close_folder; "
        "os.setuid(65534); print(*close_folder(Path(sys.argv[1])), sep='\\n')"
    )
    process = subprocess.run(
        [sys.executable, "-c", script, str(old)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = process.stdout.splitlines()
    assert len(lines) == 4
    assert all("could not be closed: Operation not permitted; chown or mount it" in line for line in lines)


@pytest.mark.parametrize(
    ("files", "mask"), [(PRIVATE, 0o077), (GROUP, 0o007), ("", 0o077), ("nonsense", 0o077)]
)
def test_the_umask_follows_the_setting(files: str, mask: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FILES, files)
    before = os.umask(0o022)
    try:
        set_umask()
        assert os.umask(0o022) == mask
    finally:
        os.umask(before)


def test_the_product_says_at_its_start_what_is_open(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    data.chmod(0o1777)
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    process = subprocess.run(
        [sys.executable, "manage.py", "check"], cwd=ROOT, env=environment | {"TIMELINE_DATA": str(data)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert f"WARNING: {data} is open to other accounts of this machine (mode 1777)" in process.stderr


def test_sockets_lie_in_the_stack_folder_or_in_a_closed_one_with_a_random_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    near, far = tmp_path / "s", tmp_path / ("deep" * 25) / "stack"
    assert choose_socket_folder(near) == near
    choose_socket_folder(far).rmdir()
    assert not far.exists(), "who only looks makes no folder"
    far.mkdir(parents=True)
    made = choose_socket_folder(far)
    try:
        assert len(str(made / "supervisord.sock")) < MAX_SOCKET_PATH_BYTES
        assert read_mode(made) == 0o700
        assert choose_socket_folder(far) == made, "it is remembered"
        made.chmod(0o777)
        other = choose_socket_folder(far)
        assert other != made, "one that others may enter is not used again"
        other.rmdir()
        (tmp_path / "trap").symlink_to(tmp_path)
        (far / "sockets").write_text(str(tmp_path / "trap"))
        last = choose_socket_folder(far)
        assert last != tmp_path / "trap", "nor is a link"
        last.rmdir()
    finally:
        made.rmdir()


def test_secrets_of_a_stack_stand_in_files_and_environments_and_on_no_command_line(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "data", 8000, 15002, demo=True)
    text = layout.write().read_text()
    token = layout.environment()["SPARK_CONNECT_AUTHENTICATE_TOKEN"]
    assert len(token) >= 32
    assert token not in text
    assert read_mode(layout.spark_token_file) == 0o600
    assert (
        Layout(tmp_path / "data", 8000, 15002, demo=True).environment()["SPARK_CONNECT_AUTHENTICATE_TOKEN"]
        == token
    )
