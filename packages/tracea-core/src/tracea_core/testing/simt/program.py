# SPDX-License-Identifier: MIT
"""Runs the text of a GPU kernel on the CPU, one fibre per GPU thread, and reports what it did wrong."""

from __future__ import annotations

import _ctypes
import ctypes
import functools
import os
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tracea_core.doctor.presets import preset
from tracea_core.errors import LaunchError, OptionError
from tracea_core.semantic.banks import BankConflictSimulator
from tracea_core.target import CapabilityProfile
from tracea_core.testing.simt import source
from tracea_core.testing.simt.arguments import Argument, Pointers, Region, marshal
from tracea_core.testing.simt.elf import Lines, SharedObject
from tracea_core.testing.simt.report import BankAccesses, Finding, SimtReport, Site
from tracea_core.testing.simt.toolchain import OWN_FILES, build

_SHARED_VARIABLE = "__emutls_v."
_ENGINE_SLOTS = 64
_DYNAMIC_ALIGNMENT = 1024  # the most that swizzled boxes ask for
_OCP_FP8 = ("gfx950", "gfx12")
_LAUNCHING = threading.Lock()  # a library's state is global to it, and its text may be loaded twice


class _Settings(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint) for name in ("warp_lanes", "banks", "bank_bytes", "cluster", "engine_slots")),
        *((name, ctypes.c_uint64) for name in ("seed", "shared_limit", "step_limit", "second_limit")),
        ("phase_of_lane", ctypes.c_uint8 * 64 * 8),
    ]


class _Parameter(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_uint32), ("kind", ctypes.c_uint32)]


class SimtProgram:
    """A kernel, compiled for the emulator.

    Parameters
    ----------
    text : str
        The kernel's source, unmodified.
    language : {"hip", "cuda", "metal", "opencl", "sycl"}
        What it is written in.
    entry : str, optional
        The kernel function, as ``name`` or ``name<arguments>``; may be left out where the text has only one.
    target : str or CapabilityProfile
        The device to emulate, or the name of its preset (``"gfx942"``, ``"h200"``): lanes of a warp, shared memory and its banks.
    twins : sequence of Path
        Folders of headers to use instead of those that the text includes (`tracea_core.testing.simt` describes how to write them).
    defines : sequence of str
        Macros, as ``NAME`` or ``NAME=value``.

    Raises
    ------
    OptionError
        If the language, entry or target is unknown.
    CompileError
        If the text does not compile.
    BackendUnavailableError
        If this machine has no clang.
    """

    def __init__(
        self,
        text: str,
        *,
        language: str,
        target: str | CapabilityProfile,
        entry: str | None = None,
        twins: Sequence[str | os.PathLike[str]] = (),
        defines: Sequence[str] = (),
    ) -> None:
        if language not in source.LANGUAGES:
            raise OptionError(f"the emulator knows no language called {language!r}", known=source.LANGUAGES)
        self.profile = preset(target) if isinstance(target, str) else target
        self.entry = source.find_entry(text, language, entry)
        ocp = ["SIMT_OCP_FP8"] if self.profile.arch.startswith(_OCP_FP8) else []
        prepared, called = source.prepare(text, language, self.entry)
        content = build(
            prepared,
            name=f"{source.file_stem(self.entry)}.{language}",
            shim=f"simt/{language}.h",
            entry=called,
            defines=[*ocp, *defines],
            twins=[Path(folder) for folder in twins],
        )
        self._load(content)

    def _load(self, content: bytes) -> None:
        with tempfile.TemporaryDirectory(prefix="tracea-simt-") as folder:
            path = Path(folder) / "kernel.so"
            path.write_bytes(content)
            self._library = ctypes.CDLL(str(path))
        if hasattr(_ctypes, "dlclose"):
            weakref.finalize(self, _ctypes.dlclose, self._library._handle)
        run = self._library.simt_run
        run.restype = ctypes.c_char_p
        self._library.simt_entry_table.restype = ctypes.POINTER(_Parameter)
        count = self._library.simt_entry_parameters()
        table = self._library.simt_entry_table()
        self.parameters = [(table[i].bytes, chr(table[i].kind)) for i in range(count)]
        shared = SharedObject(content)
        symbols = dict(shared.symbols())
        self._base = (ctypes.cast(run, ctypes.c_void_p).value or 0) - symbols["simt_run"]
        self._lines: Lines | None = None
        self._shared = shared
        self._static_bytes = self._place_shared(
            [at for name, at in symbols.items() if name.startswith(_SHARED_VARIABLE)]
        )

    def _place_shared(self, descriptors: Sequence[int]) -> int:
        """Give every static shared variable its offset, in the order of the text, and return the bytes they take."""
        end = 0
        for at in descriptors:
            words = (ctypes.c_size_t * 4).from_address(self._base + at)
            end = -(-end // words[1]) * words[1]
            words[2] = end
            end += words[0]
        return -(-end // 16) * 16

    @property
    def static_shared_bytes(self) -> int:
        """Bytes of shared memory that the kernel declares with a size."""
        return self._static_bytes

    def run(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        args: Sequence[Argument],
        *,
        shared_bytes: int = 0,
        seed: int = 0,
        cluster: int = 1,
        step_limit: int = 1 << 32,
        second_limit: int = 900,
    ) -> SimtReport:
        """Run the kernel; arrays that it writes hold the results afterwards, as after a launch on a device.

        Parameters
        ----------
        grid, block : sequence of 1 to 3 int
            Blocks, and threads of a block (Metal: threadgroups and threads per threadgroup).
        args : sequence of ndarray, int, float, bytes, TensorMap or None
            One per parameter: arrays for pointers (C- or F-contiguous), None for a null pointer, numbers for numbers, bytes for
            structures passed by value, a TensorMap for a descriptor of the copy engine.
        shared_bytes : int
            Dynamic shared memory.
        seed : int
            Order in which threads run and copies land; 0 runs threads in their own order and lands copies as late as possible.
        cluster : int
            Blocks of one cluster, neighbours along x; their shared memories exist together.
        step_limit : int
            Memory accesses after which the launch ends with a finding.
        second_limit : int
            Seconds after which its process is ended, with a finding, too.

        Returns
        -------
        SimtReport

        Raises
        ------
        OptionError
            If shapes, arguments or sizes do not fit the kernel or the device; nothing has run then.
        """
        arrays, pointers = marshal(args, self.parameters)
        report = self.launch(
            grid, block, pointers, [array.region for array in arrays], shared_bytes=shared_bytes, seed=seed, cluster=cluster,
            step_limit=step_limit, second_limit=second_limit,
        )  # fmt: skip
        for array in arrays:
            array.copy_back()
        return report

    def launch(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Pointers,
        memory: Sequence[Region],
        *,
        shared_bytes: int = 0,
        seed: int = 0,
        cluster: int = 1,
        step_limit: int = 1 << 32,
        second_limit: int = 900,
    ) -> SimtReport:
        """Run the kernel on argument values that stand ready, in memory that has been placed; the rest is as for `run`.

        Parameters
        ----------
        arguments : Pointers
            The value of each parameter.
        memory : sequence of Region
            What the kernel may touch.
        """
        shape = [_extents(extents, name) for extents, name in ((grid, "grid"), (block, "block"))]
        self._check(shape[0], shape[1], shared_bytes, cluster)
        settings = self._settings(seed, cluster, step_limit, second_limit)
        before_dynamic = self._before_dynamic(shared_bytes)
        regions = [*memory, *arguments.regions]
        with _LAUNCHING:
            said = self._library.simt_run(
                ctypes.byref(settings), *((ctypes.c_uint * 3)(*extents) for extents in shape), ctypes.c_uint64(before_dynamic),
                ctypes.c_uint64(shared_bytes), (Region * max(len(regions), 1))(*regions), len(regions),
                (ctypes.c_void_p * max(len(arguments), 1))(*arguments.addresses),
            )  # fmt: skip
            if said is None:
                raise LaunchError(
                    "no process could be started for the launch", hint="Free memory, or end other processes"
                )
            return self._report(msgspec.json.decode(said))

    def _check(self, grid: Sequence[int], block: Sequence[int], shared_bytes: int, cluster: int) -> None:
        threads, blocks = int(np.prod(block)), int(np.prod(grid))
        if not 1 <= threads <= self.profile.max_threads_per_block:
            raise OptionError("the device runs no block of so many threads", threads=threads, device=self.profile.name)
        if cluster < 1 or cluster > self.profile.max_cluster or grid[0] % cluster:
            raise OptionError(
                "the grid cannot be cut into such clusters",
                cluster=cluster,
                grid=tuple(grid),
                most=self.profile.max_cluster,
            )
        total = self._before_dynamic(shared_bytes) + shared_bytes
        if shared_bytes < 0 or total > self.profile.shared_bytes:
            raise OptionError(
                "a block of the device does not have so much shared memory", static=self._static_bytes, dynamic=shared_bytes,
                most=self.profile.shared_bytes,
            )  # fmt: skip
        if blocks < 0:
            raise LaunchError("a grid has no negative extents", grid=tuple(grid))

    def _before_dynamic(self, shared_bytes: int) -> int:
        """Return where dynamic shared memory begins: after the static variables, aligned for whatever is declared there."""
        return -(-self._static_bytes // _DYNAMIC_ALIGNMENT) * _DYNAMIC_ALIGNMENT if shared_bytes else self._static_bytes

    def _settings(self, seed: int, cluster: int, step_limit: int, second_limit: int) -> _Settings:
        profile = self.profile
        settings = _Settings(
            profile.lanes, profile.shared_banks, profile.shared_bank_bytes, cluster, _ENGINE_SLOTS, seed, profile.shared_bytes, step_limit,
            second_limit,
        )  # fmt: skip
        model = BankConflictSimulator(profile.shared_banks, profile.shared_bank_bytes)
        for log_width in range(5):
            step = model.lanes_per_phase(1 << log_width)
            for lane in range(64):
                settings.phase_of_lane[log_width][lane] = lane // step
        return settings

    def _site(self, address: int) -> Site | None:
        if not address:
            return None
        if self._lines is None:
            self._lines = self._shared.lines()
        places = self._lines.at(address - self._base - 1)  # a return address follows its call
        own = [place for place in places if not place.file.startswith(OWN_FILES)] or places
        return Site(Path(own[0].file).name, own[0].line, tuple(place.line for place in own[1:]))

    def _report(self, said: Mapping[str, Any]) -> SimtReport:
        unknown = Site("", 0)
        findings = tuple(
            Finding(
                kind=one["kind"], message=one["message"], site=self._site(one["site"]) or unknown, other_site=self._site(one["other_site"]),
                block=tuple(one["block"]), thread=tuple(one["thread"]), count=one["count"],
            )
            for one in said["findings"]
        )  # fmt: skip
        conflicts = sum(one["cycles"] - one["phases"] for one in said["banks"])
        located = functools.cache(functools.partial(self._located, said["banks"]))
        return SimtReport(findings, conflicts, dict(sorted(said["counts"].items())), said["accesses"], located)

    def _located(self, said: Sequence[Mapping[str, Any]]) -> tuple[BankAccesses, ...]:
        banks = [
            BankAccesses(
                self._site(one["site"]) or Site("", 0), one["width"], one["write"], one["accesses"], one["phases"], one["cycles"],
                one["worst"],
            )
            for one in said
        ]  # fmt: skip
        return tuple(sorted(banks, key=lambda access: (access.site.file, access.site.line, access.write, access.width)))


def _extents(extents: Sequence[int], name: str) -> tuple[int, int, int]:
    given = tuple(int(extent) for extent in extents)
    if not 1 <= len(given) <= 3 or any(extent < 1 for extent in given):
        raise OptionError(f"a {name} has one to three positive extents", given=given)
    padded = (*given, 1, 1)
    return padded[0], padded[1], padded[2]
