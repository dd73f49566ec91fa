# SPDX-License-Identifier: MIT
"""The runtime: compile is to parse, prepare binds symbols, a launch runs every worker to its end."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import LaunchError

from tracea_backend_example import __version__
from tracea_backend_example.machine import Block, Fragment, Pointer, Tree, Worker, parse


class ExampleLauncher:
    """A kernel with every symbol bound."""

    def __init__(self, kernel: ExampleKernel, symbols: Mapping[str, int]) -> None:
        for symbol in kernel.source.symbols:
            if symbol.name not in symbols or not symbol.admits(symbols[symbol.name]):
                raise LaunchError(f"{symbol.name} is missing or outside its domain", kernel=kernel.source.entry)
        self._kernel, self._symbols = kernel, dict(symbols)

    def __call__(self, *pointers: int, stream: int = 0) -> None:
        """Run the kernel; the work is done on return, so there is no stream to queue it on."""
        kernel, count = self._kernel, self._symbols.get("workers", 1)
        scope = {**self._symbols, "workers": count}
        shared = {
            p.name: Pointer(p.dtype, address) for p, address in zip(kernel.source.parameters, pointers, strict=True)
        }
        shared |= {b[1]: Block(b, scope) for b in kernel.section("buffer") if b[2] == "workspace"}
        own = [b for b in kernel.section("buffer") if b[2] == "panel"]
        running = [
            Worker(kernel.fragments, {**shared, **{b[1]: Block(b, scope) for b in own}}).run(
                kernel.body, {**scope, "worker": w}
            )
            for w in range(count)
        ]
        while running:  # each turn takes every worker to its next barrier
            running = [worker for worker in running if next(worker, None) is not None]


class ExampleKernel:
    """A text, parsed."""

    def __init__(self, source: KernelSource) -> None:
        self.source = source
        self._parts: list[Tree] = parse(source.text)[2:]
        self.fragments = {part[1]: _fragment(part) for part in self.section("fragment")}
        self.body: list[Tree] = self.section("body")[0][1:]

    def section(self, word: str) -> list[Tree]:
        """Return the declarations that begin with `word`."""
        return [part for part in self._parts if part[0] == word]

    def prepare(self, symbols: Mapping[str, int]) -> ExampleLauncher:
        """Bind the symbols.

        Raises
        ------
        LaunchError
            If one is missing or outside its domain.
        """
        return ExampleLauncher(self, symbols)


class ExampleRuntime:
    """The machine as a device. `memory` says that kernels take host addresses."""

    device = "cpu"
    memory = "host"
    toolchain = f"tracea-backend-example {__version__}"

    def compile(self, source: KernelSource) -> ExampleKernel:
        """Return `source`, parsed.

        Raises
        ------
        CompileError
            If it is no text of the language.
        """
        return ExampleKernel(source)


def _fragment(part: Tree) -> Fragment:
    _, _, dtype, height, width, lanes, registers, rows, columns = part
    return Fragment(
        DType(dtype),
        (height, width),
        np.reshape(rows[1:], (lanes, registers)),
        np.reshape(columns[1:], (lanes, registers)),
    )
