# SPDX-License-Identifier: MIT
"""Runtimes and compilers that break their promise are found: wrong values, bytes that nobody owns, other configurations."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CompileError, ScheduleError
from tracea_core.testing import null
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.kit import Check, collect
from tracea_core.testing.null import null_backend
from tracea_core.testing.subject import Unserved

FP32 = "null:0/null.contraction.fp32"
CASE = f"{FP32}/gemm-fp32-13x29x17"
M, N = 13, 29


def check(manifest: Any, name: str) -> Check:
    (found,) = [one for one in collect(manifest) if one.name == name]
    return found


def broken(manifest: Any, name: str, told: str) -> None:
    """The check called `name` fails, and says `told`."""
    with pytest.raises(ConformanceError, match=told):
        check(manifest, name)()


NAMES = [one.name for one in collect(null_backend())]


class Meddling:
    """The null runtime, with something done around each launch."""

    device, toolchain = "null:0", "broken"

    def __init__(self, meddle: Callable[..., None], memory: str = "host") -> None:
        self.meddle, self.memory, self.source = meddle, memory, None

    def compile(self, source: KernelSource) -> Meddling:
        self.kernel = null.NullKernel(source)
        return self

    def prepare(self, symbols: Mapping[str, int]) -> Callable[..., None]:
        launch = self.kernel.prepare(symbols)
        return lambda *pointers, stream=0: self.meddle(launch, symbols, *pointers)


def floats(address: int, count: int) -> Any:
    return (ctypes.c_float * count).from_address(address)


def off(launch: Any, symbols: Any, a: int, b: int, out: int) -> None:
    launch(a, b, out)
    floats(out, M * N)[N + 3] *= 1.0 + 2.0**-12


def skip(launch: Any, symbols: Any, a: int, b: int, out: int) -> None:
    held = bytes((ctypes.c_uint8 * 4).from_address(out + 4 * (M * N - 1)))
    launch(a, b, out)
    ctypes.memmove(out + 4 * (M * N - 1), held, 4)


def beyond(launch: Any, symbols: Any, a: int, b: int, out: int) -> None:
    launch(a, b, out)
    floats(out, M * N + 1)[M * N] = 1.0


def meddle(launch: Any, symbols: Any, a: int, b: int, out: int) -> None:
    launch(a, b, out)
    floats(a, 1)[0] += 1.0


def give_up(launch: Any, symbols: Any, *pointers: int) -> None:
    raise BackendUnavailableError("the device is gone")


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (off, r"1 of 377 elements are wrong.*GemmOp(.|\n)*\(1, 3\): got .* expected .* within (.|\n)*1 to 1, 3 to 3"),
        (skip, r"\(12, 28\): nobody wrote it"),
        (beyond, r"nothing beside them.*byte=1508"),
        (meddle, "changes nothing but its output.*input0"),
        (give_up, "BackendUnavailableError: the device is gone"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_runtimes_that_break_their_promise(fault: Callable[..., None], told: str) -> None:
    broken(null_backend(open_runtime=lambda device: Meddling(fault)), CASE, told)


def test_a_runtime_that_works_only_undivided() -> None:
    def alone(launch: Any, symbols: Any, a: int, b: int, out: int) -> None:
        if symbols["row_splits"] == 1:
            launch(a, b, out)

    manifest = null_backend(open_runtime=lambda device: Meddling(alone))
    check(manifest, CASE)()
    broken(manifest, f"{FP32}/gemm-fp32-70x131x33/divided", "nobody wrote it")


def test_memory_of_a_device_that_pytorch_does_not_know_is_skipped() -> None:
    with pytest.raises(Unserved, match="memory of null:0 is reached through PyTorch"):
        check(null_backend(open_runtime=lambda device: Meddling(off, "device")), CASE)()


def test_binaries() -> None:
    name = f"{FP32}/gemm-fp32-1x1x1/binary"
    assert name not in NAMES
    check(null_backend(compile_binary=lambda source: b"\x7fELF"), name)()
    broken(null_backend(compile_binary=lambda source: b""), name, "returns bytes")

    def missing(source: KernelSource) -> bytes:
        raise BackendUnavailableError("no compiler here")

    with pytest.raises(Unserved, match="no compiler here"):
        check(null_backend(compile_binary=missing), name)()


def test_a_binary_is_that_of_the_configuration_a_call_would_take() -> None:
    name, texts = f"{FP32}/gemm-fp32-1x1x1/binary", list[str]()

    def first_spills(source: KernelSource) -> bytes:
        texts.append(source.text)
        if source.text == texts[0]:
            raise ScheduleError("it spills")
        return b"\x7fELF"

    check(null_backend(compile_binary=first_spills), name)()
    assert len(set(texts)) == 2

    def spills(source: KernelSource) -> bytes:
        raise ScheduleError(f"{source.text_digest} spills")

    def rejects(source: KernelSource) -> bytes:
        texts.append(source.text)
        raise CompileError("a word is unknown")

    broken(null_backend(compile_binary=spills), name, "ScheduleError.*spills")
    texts.clear()
    broken(null_backend(compile_binary=rejects), name, "CompileError.*a word is unknown")
    assert len(texts) == 1, "a text that is rejected is no matter of its configuration"


def test_a_run_is_that_of_the_configuration_a_call_would_take() -> None:
    class Spilling(Meddling):
        def compile(self, source: KernelSource) -> Any:
            texts.append(source.text)
            if source.text == texts[0]:
                raise ScheduleError("it spills")
            return super().compile(source)

    texts = list[str]()
    check(null_backend(open_runtime=lambda device: Spilling(lambda launch, symbols, *given: launch(*given))), CASE)()
    assert len(set(texts)) == 2
