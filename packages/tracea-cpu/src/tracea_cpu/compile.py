# SPDX-License-Identifier: MIT
"""LLVM IR text to machine code, and the object cache: the only file that talks to llvmlite.

Objects are cached by the digest of text, processor, features and LLVM's version, so a kernel is compiled once on a
machine and loaded in milliseconds afterwards. The text holds loop-carried values as SSA already, so no optimisation
pass runs: the code generator sees what was certified.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from typing import Any

from tracea_core.errors import CompileError
from tracea_core.runtime.cache import BinaryCache, key_digest

_lock = threading.RLock()


@functools.lru_cache(maxsize=1)
def _binding() -> Any:
    """Return llvmlite.binding, initialised for the host and for cross-compilation."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()
    return llvm


@functools.lru_cache(maxsize=1)
def host_cpu() -> str:
    """Return LLVM's name of this processor, such as ``znver4``."""
    return str(_binding().get_host_cpu_name())


@functools.lru_cache(maxsize=1)
def host_features() -> Mapping[str, bool]:
    """Return LLVM's feature flags of this processor."""
    return dict(_binding().get_host_cpu_features())


@functools.lru_cache(maxsize=1)
def host_triple() -> str:
    """Return LLVM's triple of this process."""
    return str(_binding().get_process_triple())


def toolchain() -> str:
    """Return the compiler with its version."""
    return "llvm " + ".".join(str(part) for part in _binding().llvm_version_info)


def _machine(triple: str, cpu: str, features: str, *, position_independent: bool = False) -> Any:
    llvm = _binding()
    return llvm.Target.from_triple(triple).create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic" if position_independent else "default", codemodel="default",
        jit=not position_independent,
    )  # fmt: skip


def _flatten(features: Mapping[str, bool]) -> str:
    return ",".join(("+" if on else "-") + name for name, on in sorted(features.items()))


def _parse(text: str) -> Any:
    llvm = _binding()
    try:
        module = llvm.parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise CompileError(
            f"LLVM rejects the emitted text: {error}", hint="This is a defect of the emitter; please report the text"
        ) from error
    return module


def compile_object(text: str) -> bytes:
    """Return the object file of `text` for this processor.

    Raises
    ------
    CompileError
        If LLVM rejects the text.
    """
    with _lock:
        module = _parse(text)
        module.triple = host_triple()
        return bytes(_machine(host_triple(), host_cpu(), _flatten(host_features())).emit_object(module))


def assembly(text: str, triple: str, cpu: str, features: str = "") -> str:
    """Return the assembly of `text` for any processor that LLVM knows.

    Raises
    ------
    CompileError
        If LLVM rejects the text or does not know the target.
    """
    with _lock:
        module = _parse(text)
        module.triple = triple
        return str(_machine(triple, cpu, features, position_independent=True).emit_assembly(module))


def cross_object(text: str, triple: str, cpu: str, features: str = "") -> bytes:
    """Return the position-independent object file of `text` for any processor that LLVM knows.

    Raises
    ------
    CompileError
        If LLVM rejects the text or does not know the target.
    """
    with _lock:
        module = _parse(text)
        module.triple = triple
        return bytes(_machine(triple, cpu, features, position_independent=True).emit_object(module))


class LoadedObject:
    """Machine code in this process. Its functions stay valid as long as this object lives."""

    def __init__(self, content: bytes) -> None:
        llvm = _binding()
        with _lock:
            empty = llvm.parse_assembly("")
            empty.triple = host_triple()
            self._machine = _machine(host_triple(), host_cpu(), _flatten(host_features()))
            self._engine = llvm.create_mcjit_compiler(empty, self._machine)
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(content))
            self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Return the address of a function.

        Raises
        ------
        CompileError
            If the object defines no such function.
        """
        with _lock:
            found = int(self._engine.get_function_address(name))
        if not found:
            raise CompileError(f"the compiled object defines no function {name!r}")
        return found


@functools.lru_cache(maxsize=1)
def object_cache() -> BinaryCache:
    """Return the cache of compiled objects."""
    return BinaryCache()


def object_key(text_digest: str) -> str:
    """Return the cache key of the object that `text_digest`'s text compiles to on this processor."""
    return key_digest(
        arch=f"{host_cpu()} {_flatten(host_features())}", toolchain=toolchain(), source=text_digest, flags=("opt=3",)
    )


def load(text: str, text_digest: str) -> LoadedObject:
    """Return `text` compiled and loaded, from the object cache where it holds it.

    Raises
    ------
    CompileError
        If LLVM rejects the text.
    """
    key = object_key(text_digest)
    content = object_cache().get(key)
    if content is None:
        content = compile_object(text)
        object_cache().put(key, content)
    return LoadedObject(content)
