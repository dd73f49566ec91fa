# SPDX-License-Identifier: MIT
"""Emit kernels again in a process of their own: ``python -m tracea_core.testing.reemit``, driven by `again`.

A text that depends on addresses, on the order of a set or on what was emitted before differs there. The child receives kernels as
JSON, so it also proves that they survive the journey, and gives back digests only.
"""

from __future__ import annotations

import importlib
import json
import operator
import os
import subprocess
import sys
from collections.abc import Callable, Sequence

from tracea_core.emit.source import KernelSource
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.testing.errors import ConformanceError, demand

Emitter = Callable[[SemanticKernel, Certificate], KernelSource]
_TIMEOUT = 300.0


def again(emitter: Emitter, kernels: Sequence[tuple[SemanticKernel, Certificate]]) -> list[str]:
    """Return the digests of the sources that a fresh interpreter emits for `kernels`.

    Raises
    ------
    ConformanceError
        If the emitter cannot be imported there, or fails.
    """
    module, name = getattr(emitter, "__module__", ""), getattr(emitter, "__qualname__", "")
    demand(
        bool(module and name) and "<" not in name and module != "__main__",
        "an emitter is a function at the top of a module, so that another process can import it",
        emitter=repr(emitter),
    )
    request = {"module": module, "name": name, "kernels": [(k.to_json(), c.to_json()) for k, c in kernels]}
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "271828"}
    result = subprocess.run(
        [sys.executable, "-m", "tracea_core.testing.reemit"],
        input=json.dumps(request), capture_output=True, text=True, env=environment, timeout=_TIMEOUT,
    )  # fmt: skip
    if result.returncode:
        raise ConformanceError(
            f"emitting in another process failed:\n{result.stderr[-4000:]}", emitter=f"{module}.{name}"
        )
    digests: list[str] = json.loads(result.stdout.splitlines()[-1])
    return digests


def _answer(request: str) -> str:
    told = json.loads(request)
    emitter: Emitter = operator.attrgetter(told["name"])(importlib.import_module(told["module"]))
    sources = [emitter(SemanticKernel.from_json(k), Certificate.from_json(c)) for k, c in told["kernels"]]
    return json.dumps([source.digest() for source in sources])


if __name__ == "__main__":
    print(_answer(sys.stdin.read()))
