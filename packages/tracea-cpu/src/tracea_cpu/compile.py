# SPDX-License-Identifier: MIT
"""LLVM IR text to machine code, and the object cache: the only file that talks to llvmlite.

Objects are cached by the digest of text, processor, features and LLVM's version, so a kernel is compiled once on a
machine and loaded in milliseconds afterwards. The text holds loop-carried values as SSA already, so no optimisation
pass runs: the code generator sees what was certified.
"""

from __future__ import annotations

import functools
import itertools
import logging
import os
import re
import threading
from collections.abc import Mapping
from typing import Any

from tracea_core.errors import BackendUnavailableError, CompileError
from tracea_core.runtime.cache import BinaryCache, key_digest
from tracea_llvm.barrier import machine_of

from tracea_cpu.python_functions import LINKED_APART, PYTHON

_log = logging.getLogger("tracea.cpu")
_FLAGS = ("opt=3", "jit", "calls=1")
"""What else decides an object's bytes; ``calls`` numbers the convention by which the runtime calls kernels."""

_MAGIC = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa")
"""How object files begin: ELF, Mach-O, COFF for x86-64 and AArch64."""

_lock = threading.RLock()
_numbers = itertools.count()
_LINE = re.compile(r"<string>:(\d+)(?::(\d+))?: (?:error: )?(.*)")


@functools.lru_cache(maxsize=1)
def _binding() -> Any:
    """Return llvmlite.binding, initialised for the host.

    Raises
    ------
    BackendUnavailableError
        If llvmlite cannot be imported.
    """
    try:
        import llvmlite.binding as llvm
    except (ImportError, OSError) as error:
        raise BackendUnavailableError(
            f"llvmlite cannot be imported: {error}",
            hint="Reinstall it: pip install --force-reinstall llvmlite",
            backend="cpu",
        ) from error
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    return llvm


@functools.lru_cache(maxsize=1)
def _know_all_targets() -> None:
    """Initialise LLVM for other processors, too; that takes as long as compiling a small kernel."""
    llvm = _binding()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()


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


_AARCH64 = (
    "aarch64", "a64fx", "ampere", "apple", "arm", "carmel", "cortex", "exynos", "falkor", "fujitsu", "generic", "gb10",
    "grace", "hip", "kryo", "neoverse", "olympus", "oryon", "saphira", "thunderx", "tsv110",
)  # fmt: skip


def target_of(arch: str) -> tuple[str, str, str]:
    """Return triple, processor and features, as LLVM spells them, of a profile's `arch`.

    That is a processor's name (``znver4``, ``x86-64-v3``, ``neoverse-n1``) or a version of Arm's architecture
    (``armv8.2-a``).
    """
    version = re.fullmatch(r"armv(\d+(?:\.\d+)?)-a", arch)
    if version:
        return "aarch64-unknown-linux-gnu", "generic", f"+v{version.group(1)}a"
    machine = "aarch64" if arch.startswith(_AARCH64) else "x86_64"
    return f"{machine}-unknown-linux-gnu", arch, ""


def _machine(triple: str, cpu: str, features: str, *, position_independent: bool = False) -> Any:
    llvm = _binding()
    if position_independent:
        _know_all_targets()
    try:
        target = llvm.Target.from_triple(triple)
    except RuntimeError as error:
        raise CompileError(
            f"LLVM knows no target {triple!r}: {error}", hint="Name it as in x86_64-linux-gnu"
        ) from error
    if machine_of(triple) == "x86_64":  # of a processor it does not know LLVM assumes nothing, and aborts the process
        features = f"+64bit,{features}".rstrip(",")
    return target.create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic" if position_independent else "default", codemodel="default",
        jit=not position_independent,
    )  # fmt: skip


def _host_machine() -> Any:
    return _machine(host_triple(), host_cpu(), flatten(host_features()))


def flatten(features: Mapping[str, bool]) -> str:
    """Return features as LLVM takes them, sorted: ``+avx2,-avx512f``."""
    return ",".join(("+" if on else "-") + name for name, on in sorted(features.items()))


def _parse(text: str, triple: str, machine: Any) -> Any:
    """Return the module of a kernel's text, linked with the functions of Python at its end."""
    kernel, _, functions = text.partition(LINKED_APART)
    module = _module(kernel, triple)
    if functions:
        module.link_in(_optimized(_module(functions, triple), machine))
        for function in module.functions:
            if not function.is_declaration and function.name.startswith(PYTHON):
                function.linkage = "internal"
    return module


def _module(text: str, triple: str) -> Any:
    try:
        module = _binding().parse_assembly(text)
        module.verify()
    except RuntimeError as error:
        raise _rejection(text, str(error)) from error
    module.triple = triple
    return module


def _optimized(module: Any, machine: Any) -> Any:
    """Run LLVM's passes over functions that were not certified step by step: a kernel itself is compiled as it was printed."""
    options = _binding().create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = True
    passes = _binding().create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    return module


def _object(text: str, triple: str, machine: Any) -> bytes:
    """Return object code, and free machine and module before the caller gives up its lock.

    Freeing takes a lock of llvmlite's own. A process that is forked while it is held can never compile: `_lock` alone is held at a fork.
    """
    return bytes(machine.emit_object(_parse(text, triple, machine)))


def _assembly(text: str, triple: str, machine: Any) -> str:
    """Return assembly; see `_object`."""
    return str(machine.emit_assembly(_parse(text, triple, machine)))


def _rejection(text: str, message: str) -> CompileError:
    """Return the error for text that LLVM rejects, with the line it complains about and that line's number."""
    found = _LINE.search(message)
    lines = text.splitlines()
    number = int(found.group(1)) if found else 0
    if not 1 <= number <= len(lines):
        # The verifier names no line, but ends with the instruction as LLVM prints it.
        quoted = [part.strip() for part in message.splitlines() if part.strip()]
        known = {line.strip(): place for place, line in reversed(list(enumerate(lines, 1)))}
        number = next((known[part] for part in quoted if part in known), 0)
    return CompileError(
        f"LLVM rejects the emitted text: {found.group(3) if found else message.strip()}",
        hint="This is a defect of the emitter; please report the text",
        line=number or None,
        text=repr(lines[number - 1].strip()) if number else None,
    )


def compile_object(text: str) -> bytes:
    """Return the object file of `text` for this processor.

    Raises
    ------
    CompileError
        If LLVM rejects the text, or it calls instructions that this processor lacks.
    """
    lacking = [feature[1:] for feature in features_of(text) if not host_features().get(feature[1:])]
    if lacking:  # LLVM would end the process
        raise CompileError(
            f"{host_cpu()} has no {', '.join(lacking)}, which the text calls", hint="Take another variant"
        )
    with _lock:
        return _object(text, host_triple(), _host_machine())


def assembly(text: str, triple: str, cpu: str, features: str = "") -> str:
    """Return the assembly of `text` for any processor that LLVM knows.

    Parameters
    ----------
    triple, cpu, features : str
        As LLVM spells them: ``aarch64-linux-gnu``, ``neoverse-n1``, ``+dotprod,-sve``.

    Raises
    ------
    CompileError
        If LLVM rejects the text or does not know the target.
    """
    with _lock:
        return _assembly(text, triple, _machine(triple, cpu, features, position_independent=True))


def cross_object(text: str, triple: str, cpu: str, features: str = "") -> bytes:
    """Return the position-independent object file of `text` for any processor that LLVM knows.

    Raises
    ------
    CompileError
        If LLVM rejects the text or does not know the target.
    """
    with _lock:
        return _object(text, triple, _machine(triple, cpu, features, position_independent=True))


_CALLED = {
    "avx512bf16.": "+avx512bf16", "avx512.vpdpbusd": "+avx512vnni", "ldtilecfg": "+amx-tile",
    "tdpbf16ps": "+amx-bf16", "tdpbs": "+amx-int8", "tdpbu": "+amx-int8", "avx512.mask.scalef": "+avx512f",
}  # fmt: skip


def binary(text: str, arch: str) -> bytes:
    """Return the object file of `text` for the processor that a profile calls `arch`: this one, or another on Linux.

    Raises
    ------
    CompileError
        If LLVM rejects the text.
    """
    if arch == host_cpu():
        return compile_object(text)
    triple, cpu, features = target_of(arch)
    return cross_object(text, triple, cpu, ",".join(part for part in (features, *features_of(text)) if part))


def features_of(text: str) -> list[str]:
    """Return the features, as LLVM spells them, of what a kernel calls by name; it was chosen for a processor that has them."""
    return sorted({feature for name, feature in _CALLED.items() if f"@llvm.x86.{name}" in text})


@functools.lru_cache(maxsize=1)
def _linker() -> Any:
    """Return what links objects into this process, each into a library of its own.

    JITLink lays an object out in one block. LLVM's older linker takes holes of the address space wherever they are, and aborts the
    process where code and constants come to lie more than 2 GiB apart.
    """
    return _binding().create_lljit_compiler(_host_machine(), use_jit_link=os.name != "nt", suppress_errors=True)


class LoadedObject:
    """Machine code in this process. Its functions stay valid as long as this object lives.

    Raises
    ------
    CompileError
        If `content` is no object file for this processor.
    """

    def __init__(self, content: bytes) -> None:
        if not content.startswith(_MAGIC):  # LLVM would not refuse it, but crash
            raise CompileError(f"{len(content)} bytes that begin with {content[:4]!r} are no object file")
        builder = _binding().JITLibraryBuilder()
        with _lock:
            try:
                library = (
                    builder.add_object_img(content).add_current_process().link(_linker(), f"object{next(_numbers)}")
                )
            except RuntimeError as error:
                raise CompileError(f"a compiled object cannot be linked: {error}") from error
        self._library = library
        self._found: dict[str, Any] = {}

    def address(self, name: str) -> int:
        """Return the address of a function.

        Raises
        ------
        CompileError
            If the object defines no such function.
        """
        with _lock:
            if name not in self._found:
                try:
                    self._found[name] = _linker().lookup(self._library.name, name)
                except RuntimeError as error:
                    raise CompileError(f"the compiled object defines no function {name!r}") from error
            return int(self._found[name][name])


@functools.lru_cache(maxsize=1)
def object_cache() -> BinaryCache:
    """Return the cache of compiled objects."""
    return BinaryCache()


def object_key(text_digest: str) -> str:
    """Return the cache key of the object that `text_digest`'s text compiles to on this processor."""
    return key_digest(
        arch=f"{host_cpu()} {flatten(host_features())}", toolchain=toolchain(), source=text_digest, flags=_FLAGS
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
    if content is not None:
        try:
            return LoadedObject(content)
        except CompileError as error:  # its checksum is right, so somebody else wrote it; ours will replace it
            _log.warning("a cached kernel is ignored and compiled again: %s", error)
    content = compile_object(text)
    object_cache().put(key, content)
    return LoadedObject(content)


def _after_fork() -> None:
    """Forget what another thread of the parent may have held: the cache's lock. Ours was taken before the fork."""
    object_cache.cache_clear()
    _lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_after_fork)
