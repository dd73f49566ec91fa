# SPDX-License-Identifier: MIT
"""The process that runs candidates: reads tasks from standard input, answers on standard output (see `worker`).

Whatever a candidate prints goes to standard error, so that it cannot disturb the answers. A watchdog that needs neither the
interpreter nor its lock ends the process if a task runs far beyond its limit, in case nobody is left to kill it.
"""

from __future__ import annotations

import faulthandler
import importlib
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

import msgspec

from tracea_core.tuner.worker import Reply, Request

_GRACE_SECONDS = 10.0


def main() -> int:
    """Serve tasks until standard input ends."""
    with os.fdopen(os.dup(1), "wb") as answers, os.fdopen(os.dup(0), "rb") as requests:
        os.dup2(2, 1)
        with open(os.devnull, "rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        faulthandler.enable()
        answers.write(b"ready\n")
        answers.flush()
        for line in requests:
            request = Request.from_json(line)
            faulthandler.dump_traceback_later(request.timeout + _GRACE_SECONDS, exit=True)
            answer = answer_to(request)
            faulthandler.cancel_dump_traceback_later()
            sys.stdout.flush()
            answers.write(answer + b"\n")
            answers.flush()
    return 0


def answer_to(request: Request) -> bytes:
    """Return the reply to one task as a line of JSON; no exception of the function escapes."""
    try:
        return msgspec.json.encode(Reply(value=resolve(request.entry)(request.payload)))
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f" ({os.path.basename(where.filename)}:{where.lineno})"
        return msgspec.json.encode(Reply(error=f"{type(error).__name__}: {error}{place}"))


def resolve(entry: str) -> Callable[[Any], Any]:
    """Return the function that ``package.module:name`` names."""
    module, _, name = entry.partition(":")
    function: Callable[[Any], Any] = getattr(importlib.import_module(module), name)
    return function


if __name__ == "__main__":
    sys.exit(main())
