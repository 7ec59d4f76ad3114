"""The fork server of the web process: `python -m timeline_app.web.jobs SOCKET`."""

from __future__ import annotations

import socket
import sys

import pyarrow as pa

from timeline_app.evaluate.sandbox.server import ForkServer
from timeline_app.web.jobs import back_test, evaluate, guess, plan_tests, plans, push, uploads
from timeline_app.web.jobs.refusals import answer_refusals
from timeline_app.web.jobs.warming import warm_up

JOBS = {
    "back_test": back_test.test_alert,
    "back_test_needs": back_test.find_needs,
    "check": plans.check_plan,
    "check_text": plans.check_plan_text,
    "evaluate": evaluate.evaluate_plan,
    "expect": evaluate.expect_answers,
    "guess": guess.guess_declaration,
    "push": push.read_rows,
    "read": uploads.read_events,
    "read_text": plans.read_plan_text,
    "test": plan_tests.run_plan_tests,
    "write_text": plans.write_plan_text,
}


def main() -> None:
    """Serve until the web process closes its end."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    warm_up()
    jobs = {name: answer_refusals(job) for name, job in JOBS.items()}
    ForkServer(jobs, socket.socket(fileno=int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
