# SPDX-License-Identifier: MIT
"""Text becomes machine code here and for other processors, once per machine, and rejected text names its line."""

from __future__ import annotations

import builtins
import ctypes
import gc
import hashlib
import multiprocessing
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import pytest
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, CompileError
from tracea_core.ops.expr import UnaryFn
from tracea_core.runtime.cache import BinaryCache
from tracea_cpu import compile as compiler
from tracea_cpu.runtime import CpuRuntime
from tracea_llvm.math import MathLibrary

ADD = """define i64 @add(i64 %x, i64 %y) {
  %sum = add i64 %x, %y
  ret i64 %sum
}
"""


def _call(code: compiler.LoadedObject, x: int, y: int) -> int:
    return int(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(code.address("add"))(x, y))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BinaryCache:
    cache = BinaryCache(tmp_path / "objects")
    monkeypatch.setattr(compiler, "object_cache", lambda: cache)
    return cache


def test_text_becomes_a_function() -> None:
    assert _call(compiler.LoadedObject(compiler.compile_object(ADD)), 2, 40) == 42


def test_a_second_load_compiles_nothing(cache: BinaryCache, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _call(compiler.load(ADD, _digest(ADD)), 1, 2) == 3
    monkeypatch.setattr(compiler, "compile_object", lambda text: pytest.fail("compiled again"))
    assert _call(compiler.load(ADD, _digest(ADD)), 3, 4) == 7
    assert _call_from_disk(cache) == 11


def _call_from_disk(cache: BinaryCache) -> int:
    content = BinaryCache(cache.directory).get(compiler.object_key(_digest(ADD)))
    assert content is not None
    return _call(compiler.LoadedObject(content), 5, 6)


def test_a_wrong_cached_object_is_compiled_again(cache: BinaryCache) -> None:
    cache.put(compiler.object_key(_digest(ADD)), b"no object")
    assert _call(compiler.load(ADD, _digest(ADD)), 1, 1) == 2
    assert cache.get(compiler.object_key(_digest(ADD))) == compiler.compile_object(ADD)


def test_the_key_changes_with_all_that_decides_the_object(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {compiler.object_key("a"), compiler.object_key("b")}
    for name, value in (
        ("host_cpu", lambda: "other"),
        ("host_features", lambda: {"avx2": False}),
        ("toolchain", lambda: "llvm 1.2.3"),
        ("_FLAGS", ("opt=0",)),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(compiler, name, value)
            keys.add(compiler.object_key("a"))
    assert len(keys) == 6


REJECTED = {
    "a constant of the wrong type": ("define void @f() {\n  %x = add i32 1, 2.0\n  ret void\n}", 2, "2.0"),
    "a value that is used before": (
        "define void @f() {\nentry:\n  %x = add i32 %y, 1\n  %y = add i32 1, 1\n  ret void\n}", 4, "%y = add",
    ),
    "a result of the wrong type": ("define i32 @f() {\n  ret void\n}", 2, "ret void"),
    "no IR": ("\nnonsense", 2, "nonsense"),
    "the end": ("define void @f() {", 1, "define"),
}  # fmt: skip


@pytest.mark.parametrize("name", REJECTED)
def test_rejected_text_names_its_line(name: str) -> None:
    text, line, part = REJECTED[name]
    with pytest.raises(CompileError) as caught:
        compiler.compile_object(text)
    assert caught.value.facts["line"] == line
    assert part in caught.value.facts["text"]


def test_missing_functions_and_foreign_objects_are_refused() -> None:
    with pytest.raises(CompileError, match="'subtract'"):
        compiler.LoadedObject(compiler.compile_object(ADD)).address("subtract")
    with pytest.raises(CompileError, match="no object"):
        compiler.LoadedObject(b"")


CPUS = {"neoverse-n1": b"\xb7\x00", "armv8.2-a": b"\xb7\x00", "x86-64-v3": b"\x3e\x00", "x86-64-v4": b"\x3e\x00"}


@pytest.mark.parametrize("arch", CPUS)
def test_other_processors(arch: str) -> None:
    content = compiler.binary(ADD, arch)
    assert content.startswith(b"\x7fELF")
    assert content[18:20] == CPUS[arch]  # e_machine
    listing = compiler.assembly(ADD, *compiler.target_of(arch))
    assert "add:" in listing


def test_assembly_uses_the_features() -> None:
    text = "define <8 x float> @f(<8 x float> %x) {\n  %y = fadd <8 x float> %x, %x\n  ret <8 x float> %y\n}\n"
    assert "%ymm0" in compiler.assembly(text, "x86_64-unknown-linux-gnu", "x86-64", "+avx2")
    assert "%ymm0" not in compiler.assembly(text, "x86_64-unknown-linux-gnu", "x86-64")


def test_this_processor_by_name_is_this_processor() -> None:
    assert compiler.binary(ADD, compiler.host_cpu()) == compiler.compile_object(ADD)


def test_unknown_targets() -> None:
    with pytest.raises(CompileError, match="'pdp11-dec-unix'"):
        compiler.assembly(ADD, "pdp11-dec-unix", "")
    assert compiler.cross_object(ADD, "x86_64-unknown-linux-gnu", "a_cpu_of_next_year").startswith(b"\x7fELF")


def test_without_llvmlite(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def refuse(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("llvmlite"):
            raise ImportError("libz.so.1: cannot open shared object file")
        return imported(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(BackendUnavailableError, match=r"libz.*pip install"):
        compiler._binding.__wrapped__()


def _child(pipe: Any) -> None:
    pipe.send(_call(compiler.load(ADD, _digest(ADD)), 20, 3))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_forked_while_another_thread_compiles_can_compile() -> None:
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            compiler.compile_object(ADD)
            with compiler.object_cache()._guard:
                time.sleep(0.001)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        context = multiprocessing.get_context("fork")
        for _ in range(5):
            mine, theirs = context.Pipe()
            child = context.Process(target=_child, args=(theirs,))
            child.start()
            assert mine.poll(300)
            assert mine.recv() == 23
            child.join(300)
            assert child.exitcode == 0
    finally:
        over.set()
        thread.join()


def test_many_threads_compile_at_once() -> None:
    results: list[int] = []

    def work(number: int) -> None:
        text = ADD.replace("add i64", "mul i64") + f"; {number}\n"
        results.append(_call(compiler.load(text, _digest(text)), number, 2))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 2, 4, 6, 8, 10, 12, 14]


def test_machine_code_is_freed_with_the_last_kernel_that_uses_it(mark: KernelSource) -> None:
    kernel = CpuRuntime().compile(mark)
    launcher = kernel.prepare({"rounds": 1, "workers": 1})
    library = weakref.ref(kernel._code._library)
    del kernel
    gc.collect()
    assert library() is not None  # the launcher still needs it
    del launcher
    gc.collect()
    assert library() is None


_SCATTERED = """
import ctypes, numpy as np
from tracea_cpu.compile import LoadedObject, compile_object

CONSTANTS = "<float 1.5, float 2.5, float 3.5, float 4.5>"
SUM = f"%v = load <4 x float>, ptr %p %w = fadd <4 x float> %v, {CONSTANTS} store <4 x float> %w, ptr %p"
content = compile_object(f"define void @f(ptr %p) {{ {SUM} ret void }}")
LoadedObject(content)  # whatever LLVM allocates once
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
take = lambda size, flags: libc.mmap(None, size, 0, flags, -1, 0)
pages = [take(4096, 0x22) for _ in range(3000)]  # every hole is filled,
take(6 << 30, 0x4022)  # memory goes on 6 GiB further down,
for _ in range(3000):
    take(4096, 0x22)
libc.munmap(pages[1500], 4096)  # and one page is free up here
loaded = LoadedObject(content)
x = np.ones(4, np.float32)
ctypes.CFUNCTYPE(None, ctypes.c_void_p)(loaded.address("f"))(x.ctypes.data)
assert x.tolist() == [2.5, 3.5, 4.5, 5.5], x
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="maps memory as Linux does")
def test_code_and_constants_stay_close_in_a_scattered_address_space() -> None:
    done = subprocess.run([sys.executable, "-c", _SCATTERED], capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr


def test_an_instruction_that_the_processor_lacks_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    lacking = {**compiler.host_features(), "avx512f": False}
    monkeypatch.setattr(compiler, "host_features", lambda: lacking)
    text = MathLibrary(16, "float")
    text.unary(UnaryFn.EXP, "%x")
    with pytest.raises(CompileError, match="has no avx512f"):
        compiler.compile_object(text.definitions())
