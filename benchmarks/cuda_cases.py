# SPDX-License-Identifier: MIT
"""The shapes and peers of the table of matrix products on NVIDIA GPUs, with the bars that each group has to meet."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

BF16, FP16 = "bfloat16", "float16"
SQUARE = ((2048,) * 3, (4096,) * 3, (8192,) * 3)
ALIGNED = (
    (1024,) * 3, *SQUARE, (4096, 14336, 4096), (4096, 4096, 14336), (16384, 1024, 1024), (512, 512, 65536),
)  # fmt: skip
ODD = ((1111, 2222, 3333), (4097, 4095, 4093), (2047,) * 3, (8191, 127, 4099), (333, 65537, 129))
SKINNY = (*((m, 8192, 8192) for m in (1, 16, 64, 128)), (128, 4096, 16384))
FEW = (*((m, n, k) for m in (1, 4, 8, 16) for n, k in ((3072, 768), (768, 3072), (4096, 4096), (1000, 2048))),
       *((m, 32000, 4096) for m in (1, 2, 8)))  # fmt: skip
"""Few rows: two of BERT's layers, a square one, a classifier, and words of a language model."""
SHARED = ((64, 1, 512, 64), (32, 4, 1024, 64), (12, 1, 4096, 64))
"""Batches of few rows, each by a matrix of its own: batch, m, n, k."""
FUSED = (*SQUARE, (4096, 14336, 4096))

Shape = tuple[int, ...]


@dataclass
class Bench:
    """A case on the device: tracea's call, the peers', and how far tracea's result is from the expected one."""

    ours: Callable[[], Any]
    peers: dict[str, Callable[[], Any]]
    error: Callable[[], float]
    tolerance: float
    describe: Callable[[], str]


@dataclass(frozen=True)
class Case:
    """One line of the table; `make` puts it on the device of ``options.device``."""

    group: str
    name: str
    flops: float
    make: Callable[[Any], Bench]


@dataclass(frozen=True)
class Group:
    """Lines that share a bar: the geometric mean of their ratios reaches `bar`, none is under `least`."""

    name: str
    bar: float
    least: float
    cases: tuple[Case, ...]


_SINGLES = (
    (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (8192, 1024, 1024), (128, 4096, 4096), (64, 4096, 1024), (32, 32000, 4096),
)  # fmt: skip
"""Small and skewed products of tf32 whose operands run along m or n."""


def groups(quick: bool, draw: random.Random) -> tuple[Group, ...]:
    """Return the table; with `quick`, a few shapes of each group."""
    from benchmarks.cuda_grouped import SHAPES, grouped

    def some(shapes: tuple[Shape, ...], *kept: int) -> tuple[Shape, ...]:
        return tuple(shapes[i] for i in kept) if quick else shapes

    aligned = some(ALIGNED, 0, 1, 2, 4)
    found = [
        _group("bf16", 1.03, 0.97, [product(shape, BF16) for shape in aligned]),
        _group("fp16", 1.03, 0.97, [product(shape, FP16) for shape in some(ALIGNED, 2)]),
        _group("layouts bf16", 1.02, 0.96, [product((4096,) * 3, BF16, a, b) for a in "NT" for b in "NT"]),
        _group("layouts fp16", 1.02, 0.96, [product((4096,) * 3, FP16, a, b) for a in "NT" for b in "NT"]),
        _group("odd bf16", 2.5, 1.2, [product(shape, BF16) for shape in some(ODD, 0, 1)]),
        _group("skinny bf16", 1.10, 1.0, [product(shape, BF16) for shape in some(SKINNY, 1, 3)]),
        _group("random bf16", 0.97, 0.0, [product(shape, BF16) for shape in drawn(draw, 5 if quick else 20)]),
        _group("fused bias+ReLU, bias+residual", 1.03, 0.97, [
            fused(shape, name) for shape in some(FUSED, 1) for name in ("bias_relu", "bias_residual")]),
        _group("fused bias+GELU, bias+SiLU", 1.10, 1.0, [
            fused(shape, name) for shape in some(FUSED, 1) for name in ("bias_gelu", "bias_silu")]),
        _group("SwiGLU bf16", 1.05, 1.05, [gated((4096, 14336, 4096))]),
        _group("batched bf16", 1.05, 1.05, [product((1024,) * 3, BF16, batch=64)]),
        _group("grouped bf16", 1.05, 0.0, [
            *(grouped(shape) for shape in SHAPES[: 1 if quick else None]), *(() if quick else (grouped(SHAPES[0], "N"),))]),
        _group("fp8 fast", 1.03, 0.95, [scaled(shape, fast=True) for shape in some(ALIGNED, 2)]),
        _group("fp8 accurate", 1.03, 0.95, [scaled(shape, fast=False) for shape in some(ALIGNED, 2)]),
        _group("fp8, scales of groups and blocks", 1.0, 0.0, [by_groups(shape) for shape in some(ALIGNED, 2)]),
        _group("int8", 1.15, 1.05, [whole(shape) for shape in some(SQUARE, 1)]),
        _group("tf32", 1.02, 0.97, [product(shape, "float32", tf32=True) for shape in some(SQUARE, 1)]),
        _group("layouts tf32", 0.85, 0.0, [
            product((4096,) * 3, "float32", a, b, tf32=True) for a, b in ("NN", "TN", "TT")]),
        _group("shapes tf32", 1.0, 0.85, [
            product(shape, "float32", a, b, tf32=True)
            for a, b in ("NN", "TN", "TT") for shape in some(_SINGLES, 2)]),
        _group("fp32, FFMA only", 0.93, 0.0, [product(shape, "float32") for shape in SQUARE[: 1 if quick else 2]]),
        _group("layouts fp32", 0.93, 0.0, [product((4096,) * 3, "float32", a, b) for a, b in ("NN", "TN", "TT")]),
        _group("fp32 by tf32x3", 1.0, 0.0, [
            product(shape, "float32", parts=True) for shape in SQUARE[: 1 if quick else 2]]),
        _group("few rows fp32", 1.1, 0.95, [product(shape, "float32") for shape in some(FEW, 2, 10)]),
        _group("few rows fp32, weights by rows", 1.05, 0.85, [
            product(shape, "float32", b="N") for shape in some(FEW, 2, 10)]),
        _group("few rows fp32, batched", 1.0, 0.9, [
            product((m, n, k), "float32", batch=batch) for batch, m, n, k in some(SHARED, 0)]),
    ]  # fmt: skip
    return tuple(found)


def _group(name: str, bar: float, least: float, made: list[Callable[[str], Case]]) -> Group:
    return Group(name, bar, least, tuple(make(name) for make in made))


def drawn(draw: random.Random, count: int) -> tuple[Shape, ...]:
    """Return shapes from 256 to 12288, multiples of 8."""
    return tuple(tuple(8 * draw.randint(32, 1536) for _ in range(3)) for _ in range(count))


def _words(shape: Shape, batch: int = 0) -> str:
    return (f"{batch}×" if batch else "") + "×".join(map(str, shape))


# ---- how cases are made


def product(
    shape: Shape, dtype: str, a: str = "N", b: str = "T", batch: int = 0, tf32: bool = False, parts: bool = False
) -> Callable[[str], Case]:
    """Return a plain product; N is stored by rows, T by columns. Operands are multiplied as PyTorch shows them, nothing copied.

    With `parts`, tracea multiplies two tf32 parts of each fp32 factor, beside a peer that multiplies fp32.
    """
    m, n, k = shape

    def make(options: Any) -> Bench:
        import torch

        from tracea import ops

        lead = (batch,) if batch else ()
        x, y = _stored(options, (*lead, m, k), a, dtype), _stored(options, (*lead, k, n), b, dtype)
        out, other = (torch.empty((*lead, m, n), dtype=x.dtype, device=x.device) for _ in range(2))
        multiply = torch.bmm if batch else torch.mm
        torch.backends.cuda.matmul.allow_tf32 = tf32
        return bench_of(
            lambda: ops.matmul(x, y, out=out, fallback="error", tf32x3=parts),
            {"cuBLAS": lambda: multiply(x, y, out=other)}, out, lambda: multiply(x, y), describe=lambda: _kernel(x, y, None),
        )  # fmt: skip

    layout = f" {a}{b}" if (a, b) != ("N", "T") else ""
    return lambda group: Case(group, f"{_words(shape, batch)}{layout}", 2.0 * max(batch, 1) * m * n * k, make)


def fused(shape: Shape, name: str) -> Callable[[str], Case]:
    """Return a linear layer with an epilogue."""
    m, n, k = shape

    def make(options: Any) -> Bench:
        import torch
        from torch.nn import functional as F

        import tracea
        from tracea import ops

        x, w = _stored(options, (m, k), "N", BF16), _stored(options, (n, k), "N", BF16)
        w = w / k**0.5
        bias, residual = _stored(options, (n,), "N", BF16), _stored(options, (m, n), "N", BF16)
        out = torch.empty((m, n), dtype=x.dtype, device=x.device)
        eager: dict[str, Callable[..., Any]] = {
            "bias_relu": lambda x, w, bias, r: F.relu(F.linear(x, w, bias)),
            "bias_residual": lambda x, w, bias, r: F.linear(x, w, bias) + r,
            "bias_gelu": lambda x, w, bias, r: F.gelu(F.linear(x, w, bias)),
            "bias_silu": lambda x, w, bias, r: F.silu(F.linear(x, w, bias)),
        }
        stage = {
            "bias_relu": tracea.BiasAdd(bias) | tracea.ReLU(),
            "bias_residual": tracea.BiasAdd(bias) | tracea.Residual(residual),
            "bias_gelu": tracea.BiasAdd(bias) | tracea.Gelu(),
            "bias_silu": tracea.BiasAdd(bias) | tracea.SiLU(),
        }[name]
        peers: dict[str, Callable[[], Any]] = {"eager": lambda: eager[name](x, w, bias, residual)}
        if name == "bias_relu":
            peers["cuBLASLt"] = lambda: torch._addmm_activation(bias, x, w.t())
        if name == "bias_residual":
            peers["addmm, add"] = lambda: torch.addmm(bias, x, w.t()).add_(residual)
        if options.compile:
            peers["torch.compile"] = compiled(eager[name], x, w, bias, residual)
        return bench_of(
            lambda: ops.matmul(x, w.t(), out=out, epilogue=stage, fallback="error"), peers, out,
            lambda: eager[name](x.float(), w.float(), bias.float(), residual.float()), describe=lambda: _kernel(x, w.t(), stage),
        )  # fmt: skip

    return lambda group: Case(group, f"{_words(shape)} {name}", 2.0 * m * n * k, make)


def gated(shape: Shape) -> Callable[[str], Case]:
    """Return SwiGLU: the halves of one product, one of them the gate of the other."""
    m, n, k = shape

    def make(options: Any) -> Bench:
        import torch
        from torch.nn import functional as F

        import tracea
        from tracea import ops

        x, w = _stored(options, (m, k), "N", BF16), _stored(options, (2 * n, k), "N", BF16) / k**0.5
        out = torch.empty((m, n), dtype=x.dtype, device=x.device)

        def eager(x: Any, w: Any) -> Any:
            gate, up = F.linear(x, w).chunk(2, -1)
            return F.silu(gate) * up

        peers: dict[str, Callable[[], Any]] = {"eager": lambda: eager(x, w)}
        if options.compile:
            peers["torch.compile"] = compiled(eager, x, w)
        return bench_of(
            lambda: ops.matmul(x, w.t(), out=out, epilogue=tracea.SwiGLU(), fallback="error"), peers, out,
            lambda: eager(x.float(), w.float()),
        )  # fmt: skip

    return lambda group: Case(group, _words(shape), 4.0 * m * n * k, make)


def scaled(shape: Shape, fast: bool) -> Callable[[str], Case]:
    """Return an fp8 product with bf16 results, both sides adding fast, in the matrix unit alone, or putting sums aside in fp32."""
    m, n, k = shape

    def make(options: Any) -> Bench:
        import torch

        from tracea import ops

        x, y = (_stored(options, size, "N", BF16).to(torch.float8_e4m3fn) for size in ((m, k), (n, k)))
        out = torch.empty((m, n), dtype=torch.bfloat16, device=x.device)
        one = torch.ones((), device=x.device)
        return bench_of(
            lambda: ops.matmul(x, y.t(), out=out, out_dtype="bf16", fallback="error", fast_accumulation=fast),
            {"cuBLASLt": lambda: torch._scaled_mm(x, y.t(), one, one, out_dtype=torch.bfloat16, use_fast_accum=fast)},
            out, lambda: torch.mm(x.float(), y.t().float()),
        )  # fmt: skip

    return lambda group: Case(group, _words(shape), 2.0 * m * n * k, make)


def by_groups(shape: Shape) -> Callable[[str], Case]:
    """Return an fp8 product with a scale for every 128 positions of k in a row of x, and for every block of 128 × 128 weights."""
    m, n, k = shape

    def make(options: Any) -> Bench:
        import torch

        from tracea import ops

        x, y = (_stored(options, size, "N", BF16).to(torch.float8_e4m3fn) for size in ((m, k), (n, k)))
        of_x = torch.rand(k // 128, m, device=x.device).t()
        of_y = torch.rand(n // 128, k // 128, device=x.device).t()
        out = torch.empty((m, n), dtype=torch.bfloat16, device=x.device)

        def expected() -> Any:
            left = x.float() * of_x.repeat_interleave(128, 1)
            right = y.float() * of_y.t().repeat_interleave(128, 0).repeat_interleave(128, 1)
            return torch.mm(left, right.t())

        return bench_of(
            lambda: ops.scaled_matmul(x, y.t(), of_x, of_y, out=out, fallback="error"),
            {"cuBLASLt": lambda: torch._scaled_mm(x, y.t(), of_x, of_y, out_dtype=torch.bfloat16)}, out, expected,
        )  # fmt: skip

    return lambda group: Case(group, _words(shape), 2.0 * m * n * k, make)


def whole(shape: Shape) -> Callable[[str], Case]:
    """Return an int8 product with int32 results."""
    m, n, k = shape

    def make(options: Any) -> Bench:
        import torch

        from tracea import ops

        x, y = (torch.randint(-127, 128, size, device=options.device, dtype=torch.int8) for size in ((m, k), (n, k)))
        out = torch.empty((m, n), dtype=torch.int32, device=x.device)
        return bench_of(
            lambda: ops.matmul(x, y.t(), out=out, fallback="error"), {"cuBLAS": lambda: torch._int_mm(x, y.t())}, out,
            lambda: torch.mm(x.double(), y.t().double()), tolerance=0.0,
        )  # fmt: skip

    return lambda group: Case(group, _words(shape), 2.0 * m * n * k, make)


def _stored(options: Any, shape: Shape, layout: str, dtype: str) -> Any:
    """Return random normal values, the last two axes stored by rows (N) or by columns (T)."""
    import torch

    kind = {"dtype": getattr(torch, dtype), "device": options.device}
    if layout == "N":
        return torch.randn(shape, **kind)
    return torch.randn((*shape[:-2], shape[-1], shape[-2]), **kind).transpose(-1, -2)


def _kernel(x: Any, y: Any, epilogue: Any) -> str:
    """Return variant and configuration of the kernel that computes a product."""
    from tracea_core.ops.stages import as_chain
    from tracea_core.pipeline import trace

    from tracea.torch.kernels import problem_of

    bound, operands = as_chain(epilogue).bind()
    path = trace(problem_of("matmul", [x, y, *operands], bound, (None, False, False)), str(x.device))
    kernels = "" if path.arrangement.kernels == 1 else f", {path.arrangement.describe()}"
    return f"{path.choice.variant.name} {path.configuration.describe()}{kernels}"


def compiled(function: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
    """Return `function` of these arguments, compiled and tuned by torch.compile."""
    import torch

    torch._dynamo.reset()
    made = torch.compile(function, mode="max-autotune-no-cudagraphs")
    return lambda: made(*arguments)


def bench_of(
    ours: Callable[[], Any],
    peers: dict[str, Callable[[], Any]],
    out: Any,
    expected: Callable[[], Any],
    tolerance: float = 1e-2,
    describe: Callable[[], str] = lambda: "",
) -> Bench:
    """Return the bench of a call into `out`, which starts as poison and is compared with `expected` once."""
    import torch

    out.fill_(float("nan") if out.is_floating_point() else torch.iinfo(out.dtype).min)

    def error() -> float:
        right = expected().double()
        found = (out.double() - right).norm() / right.norm().clamp(min=1e-30)
        return float(found)

    return Bench(ours, peers, error, tolerance, describe)
