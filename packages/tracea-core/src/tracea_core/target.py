# SPDX-License-Identifier: MIT
"""Where a kernel runs: the device and everything about it that a schedule may depend on.

A profile is probed by a backend or taken from a preset (`tracea_core.doctor.presets`); every layer above reads only the
profile, so all of them work for a device that is not there. The target is resolved once per call path and never again.
"""

from __future__ import annotations

import enum
import re

import msgspec

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError


class AsyncCopyKind(enum.Enum):
    """How data can move into shared memory while the issuing thread goes on."""

    CP_ASYNC = "cp_async"  # per-thread 4 to 16 byte copies, retired in groups (sm_80)
    TMA = "tma"  # box copies by a copy engine, signalled through an mbarrier (sm_90)
    BUFFER_TO_LDS = "buffer_to_lds"  # direct global to LDS loads (gfx9)
    BLOCK_2D = "block_2d"  # 2-D block loads and prefetches (Intel Xe)


class MatrixInstruction(Data, frozen=True):
    """One matrix instruction: C[m, n] += A[m, k]·B[k, n] executed by `lanes` lanes together.

    Attributes
    ----------
    name : str
        The name under which `tracea_core.semantic.lanes` holds its lane maps.
    m, n, k : int
        Shape in elements.
    operand, accumulator : DType
        Type of A and B, and of C.
    lanes : int
        Threads (SIMD lanes on a CPU) that hold its fragments.
    """

    name: str
    m: int
    n: int
    k: int
    operand: DType
    accumulator: DType
    lanes: int


class CacheLevel(Data, frozen=True):
    """One cache level: size in bytes, line size in bytes, and how many processors share one."""

    level: int
    bytes: int
    line_bytes: int
    shared_by: int


SEPARATE_WORKERS = "separate-workers"
"""The feature of processors whose workers cannot wait for one another, as the work-groups of OpenCL cannot."""
HALVED_VECTORS = "halved-vectors"
"""The feature of processors that compute 256 bits in two halves, so that one multiply-add of a whole vector starts each cycle."""
DISTANT_CACHE = "distant-cache"
"""The feature of processors that follow many streams by themselves and whose last cache lies beyond a mesh: what is asked for in time is
there, but what the second cache does not keep is late whenever it is read again."""
SUB_GROUP_SHUFFLE = "sub_group_shuffle"
"""The feature of OpenCL and SYCL devices whose lanes exchange what they hold."""


class CapabilityProfile(Data, frozen=True, kw_only=True):
    """Everything about a device that a schedule may depend on. Sizes in bytes, clocks in MHz, bandwidths in GB/s.

    Attributes
    ----------
    name, vendor, arch : str
        Marketing name; ``nvidia``, ``amd``, ``intel``, ``apple`` or ``arm``; the compiler's target (``sm_90a``,
        ``gfx942``, ``x86-64-v3``).
    backend : str
        The backend that drives such a device (``cuda``, ``hip``, ``sycl``, ``metal``, ``cpu``).
    processors : int
        Streaming multiprocessors, compute units, Xe cores, GPU cores or CPU cores usable by one kernel.
    lanes : int
        Threads that execute in lockstep: warp, wave, sub-group, simdgroup size; on a CPU the fp32 lanes of one vector
        register.
    vector_registers : int
        Architectural vector registers of a CPU core (0 on GPUs).
    registers_per_processor, max_registers_per_thread : int
        32-bit registers (GPUs only).
    shared_bytes : int
        Largest shared memory of one block (0 on CPUs).
    shared_banks, shared_bank_bytes : int
        Bank structure of shared memory.
    max_threads_per_block, max_cluster : int
        Launch limits; `max_cluster` is 1 where clusters do not exist.
    clock_mhz, memory_gbps, peak_gflops_fp32 : float
        For the roofline; `peak_gflops` holds (dtype name, GFLOP/s) pairs for other types.
    features : tuple of str
        Instruction-set features (``avx2``, ``fma``, ``avx512f``, ``setmaxnreg``, …).
    memory_guessed : bool, optional
        True if nobody publishes and no query tells `memory_gbps`: assumed, until it is measured (``tracea doctor --measure``). Unset, and
        left out of JSON and digests, or False, where it is known.
    probed : bool
        True if measured on the device at hand, False for a preset.
    source : str
        Where the figures come from (a vendor document, or the probe).
    """

    name: str
    vendor: str
    arch: str
    backend: str
    processors: int
    lanes: int
    vector_registers: int = 0
    registers_per_processor: int = 0
    max_registers_per_thread: int = 0
    shared_bytes: int = 0
    shared_banks: int = 0
    shared_bank_bytes: int = 4
    max_threads_per_block: int = 1
    max_cluster: int = 1
    caches: tuple[CacheLevel, ...] = ()
    matrix_instructions: tuple[MatrixInstruction, ...] = ()
    async_copies: tuple[AsyncCopyKind, ...] = ()
    native_dtypes: tuple[DType, ...] = (DType.FP32,)
    memory_bytes: int = 0
    clock_mhz: float = 0.0
    memory_gbps: float = 0.0
    peak_gflops_fp32: float = 0.0
    peak_gflops: tuple[tuple[str, float], ...] = ()
    features: tuple[str, ...] = ()
    memory_guessed: bool | msgspec.UnsetType = msgspec.UNSET
    probed: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        for field in ("processors", "lanes", "max_threads_per_block", "max_cluster"):
            if getattr(self, field) < 1:
                raise ConfigurationError(f"{field} of a capability profile must be at least 1", profile=self.name)

    def is_called(self, name: str) -> bool:
        """Whether a device's name holds every word of this one's, or the other way round, the vendor's aside: it has the same memory."""
        mine, words = (set(re.findall(r"[a-z0-9]+", text.lower())) - {self.vendor} for text in (self.name, name))
        return mine <= words or words <= mine

    def has(self, feature: str) -> bool:
        """Whether the instruction set has `feature`."""
        return feature in self.features

    def peak(self, dtype: DType) -> float:
        """Peak GFLOP/s (GOP/s for integers) of multiply-adds on `dtype` operands; 0.0 where unknown."""
        for name, gflops in self.peak_gflops:
            if name == dtype.value:
                return gflops
        return self.peak_gflops_fp32 if dtype is DType.FP32 else 0.0


class Target(Data, frozen=True):
    """A backend, one of its devices, and that device's profile. ``device`` is like ``cpu``, ``cuda:0`` or ``preset:h200``."""

    backend: str
    device: str
    profile: CapabilityProfile

    @property
    def executable(self) -> bool:
        """False for a preset: such a target can be explained and emitted for, never launched on."""
        return not self.device.startswith("preset:")
