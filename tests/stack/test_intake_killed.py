"""The process that reads sources is killed at random under load: nothing is lost and nothing doubled, of any kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stack.killing import count_lost_and_doubled


@pytest.mark.stack
@pytest.mark.long
def test_nothing_is_lost_or_doubled_by_an_intake_that_is_killed_again_and_again(tmp_path: Path) -> None:
    result = count_lost_and_doubled(tmp_path, kills=50, say=print)
    print(result)
    assert set(result) == {"redis", "mqtt", "kafka", "http", "growing", "files"}
    assert {name for name, value in result.items() if value["lost"] or value["doubled"]} == set()
