# SPDX-License-Identifier: MIT
"""The emulator as a runtime: kernels of a source run in memory that was placed, and any fault fails the launch."""

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource, Workspace
from tracea_core.errors import LaunchError, OptionError
from tracea_core.runtime.interface import Runtime
from tracea_core.semantic.index import Const, Sym
from tracea_core.semantic.kernel import Direction, Launch, Parameter, Symbol
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt import SimtProgram
from tracea_core.testing.simt.arguments import marshal
from tracea_core.testing.simt.runtime import SimtRuntime
from tracea_core.testing.simt.source import find_entry

TEXT = """
extern "C" __global__ void add(int* x, int n, int* scratch) {
    const int i = blockIdx.x * 32 + threadIdx.x;
    scratch[i] = x[i];
    x[i] = scratch[i] + n;
}
"""


def source() -> KernelSource:
    return KernelSource(
        language="cuda", arch="sm_90a", entry="add", text=TEXT,
        parameters=(Parameter("x", DType.INT32, Direction.UPDATE, 4),), symbols=(Symbol("n", 0, 1000),),
        workspaces=(Workspace("scratch", Const(128), True),), launch=Launch(Sym("n"), 32), kernel_digest="", certificate="",
    )  # fmt: skip


@pytest.mark.toolchain
@pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")
def test_a_source_runs_in_placed_memory_and_keeps_off_the_guards() -> None:
    runtime = SimtRuntime(preset("h100"), "cuda:0")
    assert isinstance(runtime, Runtime)
    kernel = runtime.compile(source())
    memory = runtime.place(np.arange(64, dtype=np.int32).view(np.uint8))
    kernel.prepare({"n": 2})(memory.address)
    assert memory.read().view(np.int32).tolist() == list(range(2, 66))
    assert runtime.reports[-1].accesses == 3 * 64, "what was just stored stays in a register"
    guarded = runtime.place_guarded(np.zeros(4 * 64, np.uint8), 64)
    with pytest.raises(ConformanceError, match="out-of-bounds"):
        kernel.prepare({"n": 2})(guarded.address)
    with pytest.raises(LaunchError, match="no value was given for n"):
        kernel.prepare({})


@pytest.mark.toolchain
@pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")
@pytest.mark.parametrize(
    ("grid", "block", "options", "said"),
    [
        ((0,), (32,), {}, "positive extents"),
        ((1,), (2048,), {}, "so many threads"),
        ((1,), (32,), {"shared_bytes": 1 << 20}, "so much shared memory"),
        ((3,), (32,), {"cluster": 2}, "such clusters"),
    ],
)
def test_a_launch_that_the_device_would_refuse_is_refused(
    grid: tuple[int, ...], block: tuple[int, ...], options: dict[str, int], said: str
) -> None:
    program = SimtProgram(TEXT, language="cuda", target="h100")
    x = np.zeros(64, np.int32)
    with pytest.raises(OptionError, match=said):
        program.run(grid, block, [x, 1, x], **options)


@pytest.mark.parametrize(
    ("given", "parameter", "said"),
    [
        ([1], (8, "p"), "takes an array"),
        ([1.5], (4, "i"), "takes an integer"),
        ([1 << 40], (4, "i"), "does not fit"),
        ([b"abc"], (8, "s"), "takes 8 bytes"),
        ([np.zeros((4, 4))[:, ::2]], (8, "p"), "contiguous"),
        ([1, 2], (4, "i"), "1 parameters, not 2"),
    ],
)
def test_an_argument_that_does_not_fit_is_refused(given: list[object], parameter: tuple[int, str], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        marshal(given, [parameter])  # type: ignore[arg-type]


def test_the_one_kernel_of_a_text_ishas_emulator() -> None:
    text = 'extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(8, 1)\nf(int x) {}'
    assert find_entry(text, "cuda", None) == "f"
    with pytest.raises(OptionError, match="exactly one kernel"):
        find_entry(text + text.replace("f(", "g("), "cuda", None)
    with pytest.raises(OptionError, match="not the name"):
        find_entry(text, "cuda", "f; int g")
