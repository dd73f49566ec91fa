# SPDX-License-Identifier: MIT
"""Kernels that begin while the one before them on the stream ends read what that one wrote, whoever it is of and however it lets go.

Needs a device of sm_90 or later, where plans of one kernel *follow* (docs/plans.md).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available() or torch.cuda.get_device_capability()[0] < 9:
    pytest.skip("needs a GPU of sm_90 or later", allow_module_level=True)
pytestmark = pytest.mark.device
core = pytest.importorskip("cuda.core")

from tracea_core.pipeline import trace  # noqa: E402
from tracea_core.semantic.kernel import Overlap  # noqa: E402
from tracea_cuda.driver import LaunchAttribute, LaunchConfig  # noqa: E402

from tracea import ops  # noqa: E402
from tracea.arrays import TORCH  # noqa: E402
from tracea.ops.call import NO_EPILOGUE  # noqa: E402
from tracea.ops.matmul import matmul_problem  # noqa: E402
from tracea.ops.request import Request  # noqa: E402

SLOW = """
extern "C" __global__ void slow(unsigned short* to, const unsigned short* from, int n, long long cycles, int lets_go, int waits) {
  if (lets_go) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  if (waits) asm volatile("griddepcontrol.wait;" ::: "memory");
  long long begin = clock64();
  while (clock64() - begin < cycles) {}
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
}"""
_EARLY = 6  # CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
Queue = Callable[..., None]


@pytest.fixture(scope="module")
def slow() -> Queue:
    """``slow(to, source, cycles, lets_go, waits, early)``: a copy by a kernel of somebody else, who may let go, wait, or begin early."""
    torch.zeros(1, device="cuda")
    major, minor = torch.cuda.get_device_capability()
    core.Device(torch.cuda.current_device()).set_current()
    made = core.Program(SLOW, "c++", core.ProgramOptions(arch=f"sm_{major}{minor}")).compile("cubin")
    driver, module, function = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuModuleLoadData(ctypes.byref(module), bytes(made.code)) == 0
    assert driver.cuModuleGetFunction(ctypes.byref(function), module, b"slow") == 0

    def queue(to: Any, source: Any, cycles: int, lets_go: bool, waits: bool, early: bool) -> None:
        values = (
            ctypes.c_uint64(to.data_ptr()), ctypes.c_uint64(source.data_ptr()), ctypes.c_int(to.numel()), ctypes.c_longlong(cycles),
            ctypes.c_int(lets_go), ctypes.c_int(waits),
        )  # fmt: skip
        table = (ctypes.c_void_p * 6)(*(ctypes.addressof(value) for value in values))
        listed = (LaunchAttribute * 1)()
        listed[0].id, listed[0].value[0] = _EARLY, 1
        stream = torch.cuda.current_stream().cuda_stream
        config = LaunchConfig((16, 1, 1), (256, 1, 1), 0, stream or None, ctypes.addressof(listed), int(early))
        config_at, table_at = ctypes.c_void_p(ctypes.addressof(config)), ctypes.c_void_p(ctypes.addressof(table))
        assert driver.cuLaunchKernelEx(config_at, function, table_at, None) == 0

    return queue


def _matrices(size: int) -> list[Any]:
    torch.manual_seed(size)
    return [torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(3)]


def test_a_plan_of_one_kernel_follows() -> None:
    a, b, _ = _matrices(256)
    path = trace(matmul_problem(1.0, 0.0, None, Request((TORCH.spec(a), TORCH.spec(b)), NO_EPILOGUE[0])), "cuda:0")
    assert len(path.kernels) == 1 and path.kernel.launch.overlap is Overlap.FOLLOWS


CHAINS: dict[str, Callable[[Queue, Any, Any, Any, Any], None]] = {
    "lets go at once": lambda slow, x, a, s, t: slow(x, a, 200_000, True, False, False),
    "lets go, begins early and waits": lambda slow, x, a, s, t: (
        slow(x, a, 200_000, False, False, False), slow(s, t, 1000, True, True, True),
    ),
    "lets go, begins early and never waits": lambda slow, x, a, s, t: (
        slow(x, a, 200_000, True, False, False), slow(s, t, 1000, True, False, True),
    ),
}  # fmt: skip


@pytest.mark.parametrize("chain", CHAINS)
def test_behind_a_kernel_of_others_that(chain: str, slow: Queue) -> None:
    a, b, x = _matrices(256)
    aside, other, out = torch.empty_like(a), torch.empty_like(a), torch.empty_like(a)
    expected = ops.matmul(a, b, fallback="error")
    for _ in range(50):
        x.fill_(7)
        torch.cuda.synchronize()
        CHAINS[chain](slow, x, a, aside, other)
        ops.matmul(x, b, out=out, fallback="error")
        assert torch.equal(out, expected)


def test_one_that_does_not_wait_would_be_seen(slow: Queue) -> None:
    a, _, x = _matrices(256)
    out, stale = torch.empty_like(a), 0
    for _ in range(50):
        x.fill_(7)
        torch.cuda.synchronize()
        slow(x, a, 200_000, True, False, False)
        slow(out, x, 0, False, False, True)
        torch.cuda.synchronize()
        stale += not torch.equal(out, a)
    assert stale, "launches did not overlap, so nothing above was tried"


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("size", [64, 256, 1024])
def test_chains_of_products_and_kernels_of_pytorch(size: int, captured: bool) -> None:
    w, start, _ = _matrices(size)
    w = (w.float() / size**0.5 * 1.4).bfloat16()
    buffers = [torch.empty_like(start) for _ in range(3)]

    def chain(settle: bool) -> Any:
        x = start
        for step in range(30):
            y = buffers[step % 3]
            ops.matmul(x, w, out=y, fallback="error")
            if step % 3 == 1:
                y.relu_().mul_(1.3)
            elif step % 3 == 2:
                y.copy_(y.clone())
            if settle:
                torch.cuda.synchronize()
            x = y
        return x

    expected = chain(settle=True).clone()
    again: Callable[[], Any] = lambda: chain(settle=False)  # noqa: E731
    if captured:
        side, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.graph(graph, stream=side):
            held = chain(settle=False)
        again = lambda: (graph.replay(), held)[1]  # noqa: E731
    for turn in range(40):
        if turn % 2:
            torch.cuda._sleep(300_000)
        assert torch.equal(again(), expected)
