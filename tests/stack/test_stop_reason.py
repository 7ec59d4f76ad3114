"""Who reads what `make run` printed sees why it stopped."""

from __future__ import annotations

import signal

import pytest

from workers.stack import __main__ as command


@pytest.mark.parametrize("number", command.SIGNALS)
def test_each_signal_that_stops_the_stack_is_a_reason(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    ignored = list[int]()
    monkeypatch.setattr(signal, "signal", lambda each, _: ignored.append(each))
    with pytest.raises(command.Asked, match=command.REASONS[number]):
        command.request_stop(number, None)
    assert ignored == list(command.SIGNALS)


def test_a_stop_is_told_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object) -> None:
        raise command.Asked(command.REASONS[signal.SIGTERM])

    monkeypatch.setattr(command, "run", stop)
    monkeypatch.setattr("sys.argv", ["stack", "run"])
    assert command.main() == 0
    assert "stopped: asked by SIGTERM, as `make stop` does" in capsys.readouterr().out
