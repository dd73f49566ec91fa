# SPDX-License-Identifier: MIT
"""Running candidates in a disposable process, because generated machine code may crash or never return.

A task is the name of a function and a JSON value; the answer is a JSON value. Nothing is pickled, so a damaged or hostile
answer is at worst a wrong value. One process serves many tasks, as importing a compiler takes longer than most candidates;
after a crash or a timeout the next task gets a new one. The other half is `tracea_core.tuner.worker_process`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import IO, Any

import msgspec

from tracea_core.data import Data
from tracea_core.errors import OptionError, TuningError
from tracea_core.tuner.record import Status

_ENTRY = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", re.ASCII)
_STARTUP_SECONDS = 60.0  # a cold disk may take long to start an interpreter; the task's own limit begins after that
_TAIL_BYTES = 2000


class CandidateError(TuningError):
    """The function raised, or its answer is not JSON. The worker lives on."""

    status = Status.FAILED


class CandidateCrashError(TuningError):
    """The process died: a signal (such as a segmentation fault) or an exit. The next task gets a new one."""

    status = Status.CRASHED


class CandidateTimeoutError(TuningError):
    """The task took longer than allowed and its process was killed. The next task gets a new one."""

    status = Status.TIMEOUT


class Request(Data, frozen=True):
    """One task on its way to the worker."""

    entry: str
    payload: Any
    timeout: float


class Reply(Data, frozen=True):
    """The worker's answer."""

    value: Any = None
    error: str = ""


class Worker:
    """A process that runs one task at a time; use it as a context manager or call `close`.

    Parameters
    ----------
    environment : mapping, optional
        Environment variables that the process gets in addition.
    tasks_per_process : int
        Start a fresh process after this many tasks, which bounds what leaks.
    """

    device: str | None = None
    """Devices are called in the process as they are here."""

    def __init__(self, environment: Mapping[str, str] | None = None, tasks_per_process: int = 1000) -> None:
        self._environment = dict(environment or {})
        self._limit = tasks_per_process
        self._guard = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        self._errors: IO[bytes] | None = None
        self._done = 0
        self.started = 0

    def run(self, entry: str, payload: Any = None, timeout: float = 30.0) -> Any:
        """Return ``function(payload)`` as computed in the process.

        Parameters
        ----------
        entry : str
            The function as ``package.module:name``; importable in a fresh interpreter.
        payload : Any
            A value that msgspec can write as JSON.
        timeout : float
            Seconds that the task may take.

        Raises
        ------
        CandidateError
            If the function raised; the message holds its error.
        CandidateCrashError
            If the process died; the message names the signal and ends with what it wrote last.
        CandidateTimeoutError
            If it took too long.
        OptionError
            If `entry` is no such name or `timeout` is not positive.
        """
        if not _ENTRY.fullmatch(entry) or not timeout > 0:
            raise OptionError("a task needs an entry 'package.module:function' and a timeout above 0", entry=entry)
        line = msgspec.json.encode(Request(entry, payload, timeout)) + b"\n"
        with self._guard:
            process = self._ensure()
            self._done += 1
            try:
                assert process.stdin is not None
                process.stdin.write(line)
                process.stdin.flush()
                answer = self._answers.get(timeout=timeout)
            except queue.Empty:
                self._kill()
                raise CandidateTimeoutError(
                    f"no answer within {timeout:g} s; the process was killed", entry=entry, output=self._tail()
                ) from None
            except OSError:  # the pipe broke: the process died before it had read the task
                answer = None
            if answer is None:
                code = process.wait()
                self._kill()
                raise CandidateCrashError(f"the process {_fate(code)}", entry=entry, output=self._tail())
        try:
            reply = Reply.from_json(answer)
        except ValueError as error:
            raise CandidateError(f"the answer is not what a worker sends: {error}", entry=entry) from error
        if reply.error:
            raise CandidateError(reply.error, entry=entry)
        return reply.value

    def close(self) -> None:
        """End the process, if there is one."""
        with self._guard:
            self._kill()
            if self._errors is not None:
                self._errors.close()
                self._errors = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ensure(self) -> subprocess.Popen[bytes]:
        """Return a process that is ready for a task."""
        if self._process is not None and (self._process.poll() is not None or self._done >= self._limit):
            self._kill()
        if self._process is None:
            if self._errors is None:
                self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (it lives as long as the worker)
            self._errors.seek(0)
            self._errors.truncate()
            self._process = subprocess.Popen(
                # -P: the current directory is nobody's to import from.
                [sys.executable, "-P", "-m", "tracea_core.tuner.worker_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={**os.environ, **self._environment},
                start_new_session=True,  # so that children of a candidate die with it
            )
            self._answers = queue.Queue()
            self._done = 0
            self.started += 1
            threading.Thread(target=_listen, args=(self._process, self._answers), daemon=True).start()
            try:
                hello = self._answers.get(timeout=_STARTUP_SECONDS)
            except queue.Empty:
                hello = None
            if hello is None:
                self._kill()
                raise CandidateCrashError("the worker process does not start", output=self._tail())
        return self._process

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended by itself
                os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            process.kill()
        process.wait()
        if process.stdin is not None:
            with contextlib.suppress(OSError):  # what was left in the buffer has nowhere to go
                process.stdin.close()

    def _tail(self) -> str | None:
        """Return the end of what the process wrote to standard output and error, or None."""
        if self._errors is None:
            return None
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _TAIL_BYTES))
        return self._errors.read().decode(errors="replace").strip() or None


def run_isolated(
    entry: str, payload: Any = None, timeout: float = 30.0, environment: Mapping[str, str] | None = None
) -> Any:
    """Run one task in a process of its own; see `Worker.run`."""
    with Worker(environment) as worker:
        return worker.run(entry, payload, timeout)


def python_path(directories: Sequence[str]) -> dict[str, str]:
    """Return the environment in which a worker finds modules in `directories` first."""
    known = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join([*directories, *([known] if known else [])])}


def _listen(process: subprocess.Popen[bytes], answers: queue.Queue[bytes | None]) -> None:
    """Hand on the lines a process writes, and None when it has ended (pipes cannot be polled everywhere)."""
    assert process.stdout is not None
    with process.stdout as lines:
        for line in lines:
            answers.put(line)
    answers.put(None)


def _fate(code: int) -> str:
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
