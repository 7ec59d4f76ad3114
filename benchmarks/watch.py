"""Sample what a process and all its children use of the machine."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import psutil

SAMPLE_INTERVAL_S = 0.5
SAMPLES_PER_MEMORY_READ = 4
"""Memory is read in one of this many samples, since it costs more."""


@dataclass(frozen=True, slots=True)
class Look:
    """Seconds since the epoch, CPU seconds of the processes so far, and those of the whole machine."""

    moment: float
    spent: float
    machine: float


class Watch:
    """Samples a process until stopped."""

    def __init__(self, pid: int) -> None:
        """Watch a living process."""
        self.root = psutil.Process(pid)
        self.looks: list[Look] = []
        self.peak = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Stop sampling."""
        self._over.set()
        self._thread.join()

    def compute_cores(self, started: float, ended: float) -> tuple[float, float]:
        """Return the cores that the processes, and everything else, used between two instants."""
        moments = [sample.moment for sample in self.looks]
        own, machine = (
            float(np.diff(np.interp((started, ended), moments, values))[0]) / (ended - started)
            for values in ([sample.spent for sample in self.looks], [sample.machine for sample in self.looks])
        )
        return own, max(0.0, machine - own)

    def _run(self) -> None:
        count = 0
        while True:
            self._measure(memory=count % SAMPLES_PER_MEMORY_READ == 0)
            count += 1
            if self._over.wait(SAMPLE_INTERVAL_S):
                return

    def _measure(self, *, memory: bool) -> None:
        """Add a sample. A parent has the CPU time of reaped children; shared pages count once."""
        spent, memory_held = 0.0, 0
        for process in self._list_alive():
            with suppress(psutil.Error):
                spent += sum(process.cpu_times()[:4])
                memory_held += process.memory_full_info().pss if memory else 0
        self.peak = max(self.peak, memory_held)
        before = self.looks[-1].spent if self.looks else 0.0
        machine_times = psutil.cpu_times()
        busy = machine_times.user + machine_times.nice + machine_times.system
        self.looks.append(Look(time.time(), max(spent, before), busy))

    def _list_alive(self) -> list[psutil.Process]:
        try:
            return [self.root, *self.root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []
