# SPDX-License-Identifier: MIT
"""The processor against NumPy and PyTorch, in turns, in one process: products, few rows, fused linear layers, convolutions, row-wise ops.

Every contestant's result is held against float64 before it is timed. Convolutions run as `tracea.ops.conv2d` does by default, by minimal
filtering where that is expected to be faster, and in groups called windows without it. A group has a bar for the geometric mean of its
ratios (the fastest peer's time over tracea's) and, where one is set, one that no shape may miss. Row-wise ops are held to a copy of their
bytes where it comes from memory, a layer norm twice: at a size that may fit the last cache, and at one that cannot. Whether it does is
measured: a copy more than twice as fast as memory was read, before and after it, came from a cache, and its row has no bar.
"""

from __future__ import annotations

import argparse
import functools
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.plugin.select import resolve
from tracea_cpu.measure import Rates, measure

from benchmarks.row import Row
from tracea.arrays import NUMPY, TORCH
from tracea.graduation.rounds import OURS, Bout, Layer, fused_convolution, gemm, judge
from tracea.graduation.run import run_bout

_REPETITIONS, _BURST_SECONDS = 9, 0.05
_LAST_CACHE = 32 << 20
_FEW_REPETITIONS, _SLOW_SECONDS = 2, 0.5
_SQUARES = (
    (256, 256, 256),
    (512, 512, 512),
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (1111, 999, 777),
    (384, 512, 16384),
)
_LAYERS = (
    Layer(8, 64, 56, 64, 3), Layer(8, 128, 28, 128, 3), Layer(8, 256, 14, 256, 3), Layer(8, 512, 7, 512, 3),
    Layer(8, 64, 56, 128, 3, 2), Layer(8, 3, 112, 64, 3, 2), Layer(1, 64, 56, 64, 3), Layer(4, 24, 30, 40, 3),
)  # fmt: skip
_RESNET_50 = (
    Layer(8, 3, 224, 64, 7, 2),
    Layer(8, 64, 56, 64, 1), Layer(8, 64, 56, 64, 3), Layer(8, 64, 56, 256, 1), Layer(8, 256, 56, 64, 1),
    Layer(8, 256, 56, 128, 1), Layer(8, 128, 56, 128, 3, 2), Layer(8, 128, 28, 512, 1), Layer(8, 256, 56, 512, 1, 2),
    Layer(8, 512, 28, 128, 1), Layer(8, 128, 28, 128, 3),
    Layer(8, 512, 28, 256, 1), Layer(8, 256, 28, 256, 3, 2), Layer(8, 256, 14, 1024, 1), Layer(8, 512, 28, 1024, 1, 2),
    Layer(8, 1024, 14, 256, 1), Layer(8, 256, 14, 256, 3),
    Layer(8, 1024, 14, 512, 1), Layer(8, 512, 14, 512, 3, 2), Layer(8, 512, 7, 2048, 1), Layer(8, 1024, 14, 2048, 1, 2),
    Layer(8, 2048, 7, 512, 1), Layer(8, 512, 7, 512, 3),
)  # fmt: skip
"""The distinct convolutions of ResNet-50 (He et al., Deep Residual Learning, 2015, table 1; the stride on the 3×3 layers)."""


@dataclass(frozen=True)
class Group:
    """Bouts that share a bar for their geometric mean, and one that none may miss."""

    name: str
    mean: float
    least: float
    bouts: tuple[Callable[[int], Bout], ...]
    peers: str = ""
    from_memory: bool = False
    """Whether the bar holds only where the peer, a copy, is no faster than memory."""


def _product(m: int, n: int, k: int) -> Callable[[int], Bout]:
    return lambda threads: gemm("gemm", m, n, k, threads)


def _packed(m: int, n: int, k: int) -> Callable[[int], Bout]:
    return lambda threads: packed_product(m, n, k, threads)


def packed_product(m: int, n: int, k: int, threads: int) -> Bout:
    """A product of two fp32 matrices whose second one tracea has packed before."""
    from tracea import ops

    random = np.random.default_rng()
    a, b = random.standard_normal((m, k), np.float32), random.standard_normal((k, n), np.float32)
    bout, out = gemm("gemm", m, n, k, threads, (a, b)), np.empty((m, n), np.float32)
    weight = ops.prepacked(b, "matmul")
    bout.contestants[OURS] = lambda: ops.matmul(a, weight, out=out)
    return bout


def _few_rows(rows: int, along_k: bool, packed: bool = False) -> Callable[[int], Bout]:
    return lambda threads: few_rows(rows, 4096, 4096, along_k, threads, packed)


def few_rows(m: int, n: int, k: int, along_k: bool, threads: int, packed: bool = False) -> Bout:
    """A product with few rows whose weights come from memory: four of them in rotation, 8 times a cache of 32 MiB."""
    import torch

    from tracea import ops

    torch.set_num_threads(threads)
    random = np.random.default_rng()
    a = random.standard_normal((m, k), np.float32)
    shape = (n, k) if along_k else (k, n)
    stored = [random.standard_normal(shape, np.float32) for _ in range(4)]
    weights = [w.T if along_k else w for w in stored]
    tensors = [torch.from_numpy(w) for w in weights]
    ours = [ops.prepacked(w, "matmul") for w in weights] if packed else weights
    ta, outs, third = torch.from_numpy(a), [np.empty((m, n), np.float32) for _ in range(2)], torch.empty(m, n)
    turns = dict.fromkeys((OURS, "numpy", "torch"), -1)
    latest = 0

    def turn(name: str) -> int:
        nonlocal latest
        latest = turns[name] = (turns[name] + 1) % len(stored)
        return latest

    contestants: dict[str, Callable[[], Any]] = {
        OURS: lambda: ops.matmul(a, ours[turn(OURS)], out=outs[0]),
        "numpy": lambda: np.matmul(a, weights[turn("numpy")], out=outs[1]),
        "torch": lambda: torch.mm(ta, tensors[turn("torch")], out=third),
    }
    specs = (NUMPY.spec(a), NUMPY.spec(weights[0]))
    problem = Problem(GemmOp(m, n, k), specs, TensorSpec.contiguous((m, n), DType.FP32))
    judges = [functools.cache(functools.partial(judge, problem, [a, weight])) for weight in weights]
    layout = "k contiguous" if along_k else "n contiguous"

    def off(result: Any) -> float:
        """Judge by the weights that the latest call used: a bout may run again, and begins where it ended."""
        return judges[latest]()(result)

    return Bout("few rows", f"{m}×{n}×{k}, {layout}", 2 * m * n * k, contestants, off)


def _narrow(size: int, kind: str) -> Callable[[int], Bout]:
    return lambda threads: narrow(size, kind, threads)


def narrow(size: int, kind: str, threads: int) -> Bout:
    """A square product in bf16 or int8 against PyTorch, which computes both without vector instructions where it finds no kernel."""
    import torch

    from tracea import ops

    torch.set_num_threads(threads)
    if kind == "int8":
        a, b = (torch.randint(-128, 128, (size, size), dtype=torch.int8) for _ in range(2))
        out, stored = torch.empty(size, size, dtype=torch.int32), DType.INT32
        theirs: Callable[[], Any] = lambda: torch._int_mm(a, b)  # noqa: E731 - PyTorch's only product of int8 matrices
    else:
        a, b = (torch.randn(size, size).bfloat16() for _ in range(2))
        out, stored = torch.empty(size, size, dtype=torch.bfloat16), DType.BF16
        theirs = lambda: torch.mm(a, b)  # noqa: E731
    specs = tuple(TORCH.spec(x) for x in (a, b))
    problem = Problem(
        GemmOp(size, size, size, dtype=specs[0].dtype), specs, TensorSpec.contiguous((size, size), stored)
    )
    judged = judge(problem, [x.double().numpy() for x in (a, b)])
    contestants = {OURS: lambda: ops.matmul(a, b, out=out, fallback="error"), "torch": theirs}
    return Bout("narrow", f"{kind} {size}³", 2 * size**3, contestants, lambda got: judged(got.double().numpy()))


def _linear(rows: int, epilogue: str) -> Callable[[int], Bout]:
    return lambda threads: fused_linear(rows, 3072, 768, epilogue, threads)


def fused_linear(m: int, n: int, k: int, epilogue: str, threads: int) -> Bout:
    """A linear layer with bias, then GELU, or a residual and ReLU; PyTorch runs each as an op of its own."""
    import torch
    import torch.nn.functional as F

    from tracea import Gelu, ReLU, Residual, ops

    torch.set_num_threads(threads)
    x, w = torch.randn(m, k), torch.randn(n, k) / k**0.5
    bias, residual = torch.randn(n), torch.randn(m, n)
    tail = Gelu() if epilogue == "GELU" else Residual(residual) | ReLU()

    def theirs() -> Any:
        y = F.linear(x, w, bias)
        return F.gelu(y) if epilogue == "GELU" else F.relu_(y.add_(residual))

    exact = F.linear(x.double(), w.double(), bias.double())
    exact = F.gelu(exact) if epilogue == "GELU" else F.relu(exact + residual.double())
    bound = 1e-5 * max(1.0, float(exact.abs().max()))
    contestants: dict[str, Callable[[], Any]] = {OURS: lambda: ops.linear(x, w, bias, epilogue=tail), "torch": theirs}
    return Bout(
        "linear", f"linear {m}×{n}×{k} + {epilogue}", 2 * m * n * k, contestants,
        lambda got: float((torch.as_tensor(got).double() - exact).abs().max()) / bound,
    )  # fmt: skip


def _convolution(layer: Layer, channels_last: bool, allow_winograd: bool | None = None) -> Callable[[int], Bout]:
    return lambda threads: fused_convolution(layer, channels_last, threads, allow_winograd)


def _softmax(threads: int) -> Bout:
    from benchmarks.cpu_row_wise import softmax

    return softmax(4096, 4096)(threads)


def _layer_norm(threads: int) -> Bout:
    from benchmarks.cpu_row_wise import layer_norm

    return layer_norm(4096, 1024)(threads)


def _long_layer_norm(threads: int) -> Bout:
    """The same rows, eight times a cache of 32 MiB with their result."""
    from benchmarks.cpu_row_wise import layer_norm

    return layer_norm(32768, 1024)(threads)


GROUPS = (
    Group("GEMM, packing each call", 1.08, 1.02, tuple(_product(*shape) for shape in _SQUARES)),
    Group("GEMM, weights prepacked", 1.13, 1.08, tuple(_packed(*shape) for shape in _SQUARES)),
    Group("128³", 1.05, 1.05, (_product(128, 128, 128),)),
    Group("64³", 0.6, 0.6, (_product(64, 64, 64),)),
    Group("1 row, in place", 1.05, 1.05, (_few_rows(1, False), _few_rows(1, True))),
    Group("4 rows, in place", 1.8, 1.8, (_few_rows(4, False), _few_rows(4, True))),
    Group("16 rows, packing each call", 1.8, 1.8, (_few_rows(16, False), _few_rows(16, True))),
    Group("32 rows, packing each call", 1.3, 1.3, (_few_rows(32, False), _few_rows(32, True))),
    Group("1 row, weights prepacked", 1.05, 0.0, (_few_rows(1, False, True), _few_rows(1, True, True))),
    Group("4 rows, weights prepacked", 1.8, 1.8, (_few_rows(4, False, True), _few_rows(4, True, True))),
    Group("16 rows, weights prepacked", 1.8, 1.8, (_few_rows(16, False, True), _few_rows(16, True, True))),
    Group("32 rows, weights prepacked", 1.3, 1.3, (_few_rows(32, False, True), _few_rows(32, True, True))),
    Group("softmax", 1.3, 1.3, (_softmax,), "torch"),
    Group("softmax over a copy", 0.85, 0.85, (_softmax,), "copy", True),
    Group("layer norm", 1.3, 1.3, (_layer_norm,), "torch"),
    Group("layer norm over a copy", 0.85, 0.85, (_layer_norm,), "copy", True),
    Group("layer norm from memory over a copy", 0.85, 0.85, (_long_layer_norm,), "copy", True),
    Group("bf16", 1.05, 0.0, tuple(_narrow(size, "bf16") for size in (256, 1024, 2048)), "torch"),
    Group("int8", 1.0, 0.0, tuple(_narrow(size, "int8") for size in (1024, 2048)), "torch"),
    Group("linear", 1.14, 1.14, tuple(_linear(m, e) for m in (128, 512) for e in ("GELU", "residual + ReLU")), "torch"),
    Group("conv + BN + ReLU, channels-last", 1.03, 0.95, tuple(_convolution(x, True) for x in _LAYERS), "torch, BN folded"),
    Group("conv + BN + ReLU, NCHW", 1.3, 0.0, tuple(_convolution(x, False) for x in _LAYERS), "torch eager"),
    Group("conv + BN + ReLU, channels-last, windows", 0.0, 0.0, tuple(_convolution(x, True, False) for x in _LAYERS), "torch, BN folded"),
    Group("conv + BN + ReLU, NCHW, windows", 0.0, 0.0, tuple(_convolution(x, False, False) for x in _LAYERS), "torch eager"),
    Group("ResNet-50, channels-last, windows", 0.0, 0.0, tuple(_convolution(x, True, False) for x in _RESNET_50), "torch, BN folded"),
    Group("ResNet-50, NCHW, windows", 0.0, 0.0, tuple(_convolution(x, False, False) for x in _RESNET_50), "torch eager"),
    Group("ResNet-50, channels-last", 1.03, 0.95, tuple(_convolution(x, True) for x in _RESNET_50), "torch, BN folded"),
    Group("ResNet-50, NCHW", 1.3, 0.0, tuple(_convolution(x, False) for x in _RESNET_50), "torch eager"),
)  # fmt: skip


Tell: TypeAlias = Callable[[Row, dict[str, Any]], None]


def rows(given: argparse.Namespace, tell: Tell) -> list[Row]:
    """Measure the groups, or with a colon in the pattern the shapes of groups, that the command line asks for; return their rows.

    `tell` is given each row with every time behind it as soon as it is known.
    """
    threads = resolve("cpu").target.profile.processors
    found: list[Row] = []
    start = time.monotonic()
    for group in GROUPS:
        if not re.search(given.only.split(":")[0], group.name):
            continue
        for row, line in _of_group(group, threads, given, start):
            found.append(row)
            print(f"  {row}", flush=True)
            tell(row, line)
    return found


def means(stored: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return the geometric means of the groups of which a table holds all shapes."""
    found = []
    for group in GROUPS:
        begin = f"{group.name}: "
        ratios = [row["value"] for row in stored if row["name"].startswith(begin) and not row["name"].endswith(_MEAN)]
        if len(ratios) == len(group.bouts) > 1:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            found.append(Row(f"{group.name}: {_MEAN}", "×", mean, 1.0, group.mean, at_most=False))
    return found


_MEAN = "geometric mean"


def _limit() -> Rates:
    """Return what multiply-adds in registers reach at this moment, and reading memory: where they are low the host was busy."""
    return measure(resolve("cpu").target.profile.lanes, _LAST_CACHE)


def lies_in_a_cache(copied: float, memory: Sequence[float]) -> bool:
    """Whether a copy that moves so many GB/s, read and written, is more than twice as fast as memory was read."""
    return copied > 2 * max(memory)


def _slowest_peer(bout: Bout) -> float:
    """Return the longest that one call of a peer takes, in seconds; a first call may have to prepare."""
    longest = 0.0
    for name, call in bout.contestants.items():
        times = []
        while name != OURS and (not times or (len(times) == 1 and times[0] > _SLOW_SECONDS)):
            begin = time.monotonic()
            call()
            times.append(time.monotonic() - begin)
        longest = max(longest, min(times, default=0.0))
    return longest


def _of_group(
    group: Group, threads: int, given: argparse.Namespace, start: float
) -> Iterator[tuple[Row, dict[str, Any]]]:
    for make in group.bouts[:1] if given.quick else group.bouts:
        if time.monotonic() - start > given.seconds:
            print(f"  skip the rest of {group.name}: out of time", flush=True)
            return
        bout = make(threads)
        name = f"{group.name}: {bout.name}"
        if ":" in given.only and not re.search(given.only, name):
            continue
        if group.peers:
            for other in [other for other in bout.contestants if other not in (OURS, group.peers)]:
                bout.contestants.pop(other)
        slow = _slowest_peer(bout) > _SLOW_SECONDS
        before = _limit()
        seen = run_bout(bout, _FEW_REPETITIONS if slow else _REPETITIONS, _BURST_SECONDS)
        after = _limit()
        limits, memory = (
            [round(getattr(rates, name)) for rates in (before, after)] for name in ("gflops_fp32", "memory_gbps")
        )
        rates = {timing.name: round(seen.gflops(timing.name), 2) for timing in seen.timings}
        line = {
            "name": name,
            "gflops": rates,
            "best_peer": seen.best_peer,
            "steady": seen.steady,
            "noise": seen.noise,
            "peer_noise": seen.peer_noise,
            "limits": limits,
            "memory_gbps": memory,
        }
        print(
            f"       {bout.name}: {rates}, tracea against itself {seen.noise:.2f}, {seen.twice} {seen.peer_noise:.2f}, "
            f"multiply-adds alone {limits[0]} before, {limits[1]} after, reading {memory[0]} and {memory[1]} GB/s"
            f"{'' if seen.steady else ', unsteady'}"
        )
        least = group.least
        if group.from_memory:
            from benchmarks.cpu_row_wise import moved_gbps

            line["copied_gbps"] = moved_gbps(rates[group.peers])
            if lies_in_a_cache(line["copied_gbps"], memory):
                print(
                    f"       the copy moved {line['copied_gbps']} GB/s, memory gives {max(memory)}: from a cache, no bar"
                )
                least = 0.0
        yield Row(name, "×", seen.ratio, 1.0, least, at_most=False), line
        if slow:
            print(f"  skip what is larger in {group.name}: a peer takes seconds", flush=True)
            break
