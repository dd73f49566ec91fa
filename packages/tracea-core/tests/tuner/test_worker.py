# SPDX-License-Identifier: MIT
"""A crash, a hang or an exception costs one candidate, and the worker goes on."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tracea_core.errors import OptionError
from tracea_core.tuner import worker as module
from tracea_core.tuner.record import Status
from tracea_core.tuner.worker import (
    CandidateCrashError,
    CandidateError,
    CandidateTimeoutError,
    Worker,
    python_path,
    run_isolated,
)

TASKS = """
import ctypes, os, subprocess, sys, time

def echo(payload): return payload
def pid(payload): return os.getpid()
def fail(payload): raise ValueError("tile too large: " + payload)
def crash(payload):
    print("about to crash", flush=True)
    ctypes.string_at(0)
def leave(payload): os._exit(3)
def interrupt(payload): raise SystemExit(4)
def hang(payload):
    while True: time.sleep(1)
def hang_in_native_code(payload): ctypes.PyDLL(None).sleep(1000)
def chat(payload):
    print('{"value": "forged"}')
    os.write(1, b'{"value": "forged"}\\n')
    print("noise", file=sys.stderr)
    return "true"
def listen(payload): return sys.stdin.read()
def unencodable(payload): return object()
def child(payload):
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
    with open(payload + ".new", "w") as file: file.write(str(process.pid))
    os.replace(payload + ".new", payload)
    time.sleep(1000)
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    directory = tmp_path_factory.mktemp("tasks")
    (directory / "candidate_tasks.py").write_text(TASKS)
    return python_path([str(directory)])


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interpreter may take long to start on a busy machine, and that is not what these tests are about."""
    monkeypatch.setattr(module, "_STARTUP_SECONDS", 600.0)


@pytest.fixture
def worker(environment: dict[str, str]) -> Iterator[Worker]:
    with Worker(environment) as worker:
        yield worker


def run(worker: Worker, name: str, payload: object = None, timeout: float = 300.0) -> object:
    return worker.run(f"candidate_tasks:{name}", payload, timeout)


def test_values_travel_both_ways_through_one_process(worker: Worker) -> None:
    value = {"tile": [6, 64], "text": "ü\n", "nothing": None, "share": 0.5}
    assert run(worker, "echo", value) == value
    first = run(worker, "pid")
    assert first == run(worker, "pid") != os.getpid()
    assert worker.started == 1


def test_an_exception_costs_one_candidate_and_no_process(worker: Worker) -> None:
    with pytest.raises(CandidateError, match=r"ValueError: tile too large: 512 \(candidate_tasks.py:\d+\)") as caught:
        run(worker, "fail", "512")
    assert caught.value.status is Status.FAILED
    with pytest.raises(CandidateError, match=r"TypeError"):
        run(worker, "unencodable")
    assert run(worker, "echo", 1) == 1
    assert worker.started == 1


def test_a_segmentation_fault_costs_one_candidate(worker: Worker) -> None:
    assert run(worker, "echo", 1) == 1
    with pytest.raises(CandidateCrashError, match="SIGSEGV" if os.name != "nt" else "exited") as caught:
        run(worker, "crash")
    assert caught.value.status is Status.CRASHED
    assert "about to crash" in str(caught.value) and "crash" in str(caught.value)
    assert run(worker, "echo", 2) == 2
    assert worker.started == 2


@pytest.mark.parametrize(("name", "code"), [("leave", 3), ("interrupt", 4)])
def test_an_exit_is_a_crash(worker: Worker, name: str, code: int) -> None:
    with pytest.raises(CandidateCrashError, match=f"exited with code {code}"):
        run(worker, name)
    assert run(worker, "echo", 2) == 2


@pytest.mark.parametrize("name", ["hang", "hang_in_native_code"])
def test_a_hang_costs_its_time_limit(worker: Worker, name: str) -> None:
    with pytest.raises(CandidateTimeoutError) as caught:
        run(worker, name, timeout=0.3)
    assert caught.value.status is Status.TIMEOUT and caught.value.status.blacklists
    assert run(worker, "echo", 2) == 2


def lives(process: int) -> bool:
    """Whether a process runs: a zombie was killed, and waits for whoever adopted it."""
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_children_of_a_candidate_die_with_it(worker: Worker, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    for limit in (1.0, 5.0, 30.0, 120.0):  # as long as the candidate needs to have a child on a busy machine
        with pytest.raises(CandidateTimeoutError):
            run(worker, "child", str(noted), timeout=limit)
        if noted.exists():
            break
    child = int(noted.read_text())
    end = time.monotonic() + 120.0
    while lives(child) and time.monotonic() < end:  # a signal is delivered when the process is next scheduled
        time.sleep(0.01)
    assert not lives(child)


def test_what_a_candidate_prints_is_no_answer(worker: Worker) -> None:
    assert run(worker, "chat") == "true"
    assert run(worker, "listen") == ""
    assert run(worker, "echo", 5) == 5


def test_unknown_entries_are_errors_and_bad_names_are_refused(worker: Worker) -> None:
    with pytest.raises(CandidateError, match="ModuleNotFoundError"):
        worker.run("no_such_module:f", None, 300.0)
    with pytest.raises(CandidateError, match="AttributeError"):
        run(worker, "no_such_function")
    for entry in ("os.system", "a b:c", "os:path.join", ":f", "os:", "../x:f"):
        with pytest.raises(OptionError):
            worker.run(entry)
    with pytest.raises(OptionError):
        run(worker, "echo", 1, timeout=0.0)


def test_a_process_is_replaced_after_its_tasks(environment: dict[str, str]) -> None:
    with Worker(environment, tasks_per_process=2) as worker:
        pids = [run(worker, "pid") for _ in range(4)]
    assert pids[0] == pids[1] != pids[2] == pids[3]


def test_a_process_killed_between_tasks_is_replaced(worker: Worker) -> None:
    victim = run(worker, "pid")
    assert isinstance(victim, int) and worker._process is not None
    os.kill(victim, 9)
    worker._process.wait()
    assert run(worker, "echo", 7) == 7


def test_threads_take_turns(worker: Worker) -> None:
    answers: list[object] = []
    threads = [threading.Thread(target=lambda i=i: answers.append(run(worker, "echo", i))) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == list(range(8))  # type: ignore[type-var]


def test_closing_leaves_no_process_and_a_new_task_opens_one(environment: dict[str, str]) -> None:
    worker = Worker(environment)
    run(worker, "echo")
    process = worker._process
    worker.close()
    assert process is not None and process.returncode is not None
    assert run(worker, "echo", 3) == 3
    worker.close()


def test_one_task_in_a_process_of_its_own(environment: dict[str, str]) -> None:
    assert run_isolated("candidate_tasks:echo", [1], 300.0, environment) == [1]
    with pytest.raises(CandidateCrashError):
        run_isolated("candidate_tasks:crash", None, 300.0, environment)


def test_the_process_imports_no_heavy_module(worker: Worker) -> None:
    script = (
        "import sys; present = lambda _: sorted({'torch', 'sklearn', 'scipy', 'llvmlite', 'numba'} & set(sys.modules))"
    )
    directory = worker._environment["PYTHONPATH"].split(os.pathsep)[0]
    Path(directory, "loaded_modules.py").write_text(script)
    assert worker.run("loaded_modules:present", None, 300.0) == []
