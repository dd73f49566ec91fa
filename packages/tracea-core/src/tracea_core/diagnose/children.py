# SPDX-License-Identifier: MIT
"""Child processes for what might crash, hang or exit: run, wait no longer than a limit, and say how it ended.

A child gets exactly this process's module search path. It announces itself, so that an interpreter that cannot start is told
from code that failed in it. Everything it starts is in a process group of its own and ends with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

_HELLO = "tracea-child-began"
_PREAMBLE = (
    "import sys, json\n"
    f"sys.stderr.write({_HELLO!r} + chr(10)); sys.stderr.flush()\n"
    "sys.path[:] = json.loads(sys.argv[1])\n"
    "import contextlib\n"
    "with contextlib.suppress(ImportError, ValueError, OSError):\n"  # no core files, where there are such limits
    "    import resource; resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n"
)
_LONGEST_OUTPUT = 16 << 20


@dataclass(frozen=True)
class Ended:
    """How a child ended.

    Attributes
    ----------
    began : bool
        False if the interpreter itself did not start.
    how : str
        Empty if it succeeded; otherwise ``timed out after 20 s``, ``was killed by SIGSEGV``, ``exited with status 3``.
    output, errors : str
        What it wrote.
    """

    began: bool
    how: str
    output: str
    errors: str

    @property
    def last_line(self) -> str:
        """The last line of the errors: of a traceback, the exception."""
        return next((line.strip() for line in reversed(self.errors.splitlines()) if line.strip()), "")


def run_python(code: str, arguments: Sequence[str], limit_s: float) -> Ended:
    """Run `code` in a child of this interpreter with `arguments` in ``sys.argv[2:]``. Never raises."""
    executable = sys.executable
    if not executable:
        return Ended(False, "could not start: this interpreter does not know its own path", "", "")
    command = [executable, "-c", _PREAMBLE + code, json.dumps([str(entry) for entry in sys.path]), *arguments]
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=os.name == "posix",
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return Ended(False, f"could not start: {error}", "", "")
    how = ""
    try:
        output, errors = child.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        how = f"timed out after {limit_s:g} s"
        _kill(child)
        output, errors = _rest(child)
    text = errors.decode(errors="backslashreplace")
    if not how and child.returncode:
        how = _how(child.returncode)
    began = _HELLO in text
    return Ended(
        began,
        how if began or how else "did not run any Python",
        output[-_LONGEST_OUTPUT:].decode(errors="backslashreplace"),
        text.replace(_HELLO, "", 1).strip(),
    )


def _how(status: int) -> str:
    if status > 0:
        return f"exited with status {status}"
    with contextlib.suppress(ValueError):
        return f"was killed by {signal.Signals(-status).name}"
    return f"was killed by signal {-status}"


def _kill(child: subprocess.Popen[bytes]) -> None:
    """End a child and everything it started."""
    with contextlib.suppress(OSError):
        if os.name == "posix":
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()


def _rest(child: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """Return what a killed child had written; a grandchild that escaped its group may keep the pipes open."""
    try:
        return child.communicate(timeout=2)
    except subprocess.TimeoutExpired:
        for pipe in (child.stdout, child.stderr):
            if pipe:
                pipe.close()
        return b"", f"{_HELLO}\n".encode()
