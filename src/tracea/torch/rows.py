# SPDX-License-Identifier: MIT
"""Softmax and norms as operators of PyTorch: ``torch.ops.tracea.softmax`` and ``torch.ops.tracea.norm`` (rows of unit length: kind ``l2``).

Kernels are tracea's; gradients are PyTorch's own backward operators, from what the forward pass read and returned. Where a gradient
is recorded, an epilogue is PyTorch's too, so that its slopes are known there. Calls that nothing listens to skip the dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops.epilogue import Epilogue

from tracea import fallback as fall_back
from tracea.arrays import torch_dtype
from tracea.ops.call import run
from tracea.ops.request import Asked
from tracea.torch.epilogues import apply, epilogue_of
from tracea.torch.forward_mode import records
from tracea.torch.functional import _plain, _tensor, check_devices, require
from tracea.torch.kernels import NO_KERNEL
from tracea.torch.recording import Recorded
from tracea.torch.registration import Cast, register
from tracea.torch.tails import apply_tail

_SCHEMAS = {
    "softmax": "(Tensor x, Tensor[] operands, str epilogue, bool log, float scale, ScalarType? out_dtype, str backend) -> Tensor",
    "norm": "(Tensor x, Tensor? weight, Tensor? bias, Tensor[] operands, str epilogue, str kind, float eps, "
    "ScalarType? out_dtype, str backend) -> Tensor",
}


def call(
    name: str,
    inputs: Sequence[torch.Tensor],
    text: str,
    operands: Sequence[Any],
    settings: tuple[Any, ...],
    asked: Asked,
) -> Any:
    """Return a row-wise op on torch tensors; see `tracea.ops.softmax` and `tracea.ops.layer_norm`.

    Parameters
    ----------
    name : str
        ``softmax``, ``log_softmax``, ``layer_norm``, ``rms_norm`` or ``normalize``.
    inputs : sequence of Tensor
        x, then the weight and the bias that there are.
    text : str
        The epilogue (`tracea.torch.epilogues.text_of`); a tracer sees nothing but tensors, strings and numbers here.
    settings : tuple
        Those of the op's problem (`tracea.ops.rows.PROBLEMS`).
    """
    given, after = list(inputs), [_tensor(operand, inputs[0]) for operand in operands]
    recorded = records((*given, *after))
    if not recorded and _plain([*given, *after] if asked.out is None else [*given, *after, asked.out]):
        check_devices(name, [*given, *after])
        return _compute(name, given, epilogue_of(text), tuple(after), settings, asked)
    if asked.fallback == "error":
        from tracea.ops.rows import PROBLEMS

        require(name, PROBLEMS[name], given, settings, asked.backend)
    if recorded and text:
        value = apply_tail(text, _operator(name, given, "", [], settings, asked.backend), after, -1)
    else:
        value = _operator(name, given, text, after, settings, asked.backend)
    return value if asked.out is None else asked.out.copy_(value)


def _operator(
    name: str,
    inputs: Sequence[torch.Tensor],
    text: str,
    operands: list[torch.Tensor],
    settings: tuple[Any, ...],
    backend: str | None,
) -> torch.Tensor:
    kind = None if settings[-1] is None else torch_dtype(settings[-1])
    if "softmax" in name:
        log, scale, _ = settings
        return torch.ops.tracea.softmax.default(inputs[0], operands, text, log, scale, kind, backend or "")  # type: ignore[no-any-return]
    form, eps, weight, bias = ("l2", settings[0], False, False) if name == "normalize" else settings[:-1]
    rest = list(inputs[1:])
    given = (rest.pop(0) if weight else None, rest.pop(0) if bias else None)
    return torch.ops.tracea.norm.default(inputs[0], *given, operands, text, form, eps, kind, backend or "")  # type: ignore[no-any-return]


def _compute(
    name: str,
    inputs: Sequence[torch.Tensor],
    epilogue: Epilogue,
    operands: tuple[torch.Tensor, ...],
    settings: tuple[Any, ...],
    asked: Asked,
) -> torch.Tensor:
    """Run the kernel, or PyTorch where there is none."""
    from tracea.ops.rows import PROBLEMS

    try:
        return run(name, inputs, epilogue, operands, asked.out, settings, PROBLEMS[name], asked.backend)  # type: ignore[no-any-return]
    except NO_KERNEL as error:
        if asked.backend:
            raise

        def otherwise() -> torch.Tensor:
            value = apply(epilogue, _in_torch(name, inputs, settings), operands, -1)
            kind = settings[-1] or epilogue.stored_dtype
            value = value.to(inputs[0].dtype if kind is None else torch_dtype(kind))
            return value if asked.out is None else asked.out.copy_(value)

        return fall_back.to_torch(name, error, asked.fallback, otherwise)  # type: ignore[no-any-return]


def _in_torch(name: str, inputs: Sequence[torch.Tensor], settings: tuple[Any, ...]) -> torch.Tensor:
    """PyTorch's computation of the same, in fp32 at least, before the epilogue."""
    wide = torch.float64 if inputs[0].dtype == torch.float64 else torch.float32
    x, *rest = (tensor.to(wide) for tensor in inputs)
    if "softmax" in name:
        log, scale, _ = settings
        return torch.log_softmax(x * scale, -1) if log else torch.softmax(x * scale, -1)
    if name == "normalize":
        return torch.nn.functional.normalize(x, dim=-1, eps=settings[0])
    kind, eps, weight, bias, _ = settings
    given = (rest.pop(0) if weight else None, rest.pop(0) if bias else None)
    if kind == "layer":
        return torch.nn.functional.layer_norm(x, x.shape[-1:], *given, eps)
    value = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)
    return value if given[0] is None else value * given[0]


# ---- the operators


def _kind(dtype: torch.dtype | None) -> DType | None:
    return None if dtype is None else DType.parse(str(dtype))


def _softmax(
    x: torch.Tensor, operands: Sequence[torch.Tensor], epilogue: str, log: bool, scale: float,
    out_dtype: torch.dtype | None, backend: str,
) -> torch.Tensor:  # fmt: skip
    settings = (log, scale, _kind(out_dtype))
    name = "log_softmax" if log else "softmax"
    return _compute(name, [x], epilogue_of(epilogue), tuple(operands), settings, Asked(None, backend or None))


def _norm(
    x: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None, operands: Sequence[torch.Tensor], epilogue: str,
    kind: str, eps: float, out_dtype: torch.dtype | None, backend: str,
) -> torch.Tensor:  # fmt: skip
    inputs = [tensor for tensor in (x, weight, bias) if tensor is not None]
    if kind == "l2":
        return _compute(
            "normalize",
            inputs,
            epilogue_of(epilogue),
            tuple(operands),
            (eps, _kind(out_dtype)),
            Asked(None, backend or None),
        )
    settings = (kind, eps, weight is not None, bias is not None, _kind(out_dtype))
    return _compute(
        f"{kind}_norm", inputs, epilogue_of(epilogue), tuple(operands), settings, Asked(None, backend or None)
    )


def _fake_softmax(
    x: torch.Tensor, operands: Any, epilogue: str, log: bool, scale: float, out_dtype: Any, backend: str
) -> torch.Tensor:
    return _like(x, epilogue, out_dtype)


def _fake_norm(
    x: torch.Tensor,
    weight: Any,
    bias: Any,
    operands: Any,
    epilogue: str,
    kind: str,
    eps: float,
    out_dtype: Any,
    backend: str,
) -> torch.Tensor:
    return _like(x, epilogue, out_dtype)


def _like(x: torch.Tensor, epilogue: str, out_dtype: torch.dtype | None) -> torch.Tensor:
    stored = epilogue_of(epilogue).stored_dtype
    kind = out_dtype or (x.dtype if stored is None else torch_dtype(stored))
    return torch.empty(x.shape, dtype=kind, device=x.device)


def _no_epilogue(name: str, inputs: tuple[Any, ...], count: int) -> None:
    if inputs[count][0] or len(inputs) > count + 1:
        raise OptionError(
            "the operator records no gradient through an epilogue", hint="Call tracea.ops, which splits it off", op=name
        )


def _keep_softmax(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    _no_epilogue("softmax", inputs, 1)
    _, ctx.log, ctx.scale, *_ = inputs[1]
    ctx.dtype = inputs[0].dtype
    ctx.save_for_backward(output)


def _through_softmax(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
    (output,) = ctx.saved_tensors
    aten = torch.ops.aten
    backward = aten._log_softmax_backward_data if ctx.log else aten._softmax_backward_data
    found = backward.default(gradient.to(output.dtype), output, -1, output.dtype) * ctx.scale
    return found.to(ctx.dtype), None


def _keep_norm(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    x, weight, bias, (_, ctx.kind, ctx.eps, *_) = inputs[:4]
    _no_epilogue("norm", inputs, 3)
    ctx.bias_dtype = None if bias is None else bias.dtype
    ctx.save_for_backward(x, weight)


def _through_norm(ctx: Any, gradient: torch.Tensor) -> tuple[Any, ...]:
    """With y = (x − mean)·r: dx = r·(g − mean(g) − y·mean(g·y)) for g = gradient·weight; an RMS norm has no mean(g).

    With y = x·r and r = 1/max(|x|, eps): dx = r·(g − y·Σ g·y), without the sum where eps is the larger.
    """
    x, weight = ctx.saved_tensors
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    moved, given = x.to(wide), gradient.to(wide)
    if ctx.kind == "l2":
        length = moved.square().sum(-1, keepdim=True).sqrt()
        unit = moved / length.clamp_min(ctx.eps)
        along = torch.where(length > ctx.eps, (given * unit).sum(-1, keepdim=True), 0.0)
        return ((given - unit * along) / length.clamp_min(ctx.eps)).to(x.dtype), None, None, None
    if ctx.kind == "layer":
        moved = moved - moved.mean(-1, keepdim=True)
    scale = torch.rsqrt(moved.square().mean(-1, keepdim=True) + ctx.eps)
    normal = moved * scale
    asked = given if weight is None else given * weight.to(wide)
    inner = asked - normal * (asked * normal).mean(-1, keepdim=True)
    if ctx.kind == "layer":
        inner = inner - asked.mean(-1, keepdim=True)
    rows = list(range(x.dim() - 1))
    by_weight = None if weight is None else _summed(given * normal, rows).to(weight.dtype)
    by_bias = None if ctx.bias_dtype is None else _summed(given, rows).to(ctx.bias_dtype)
    return (inner * scale).to(x.dtype), by_weight, by_bias, None


def _summed(values: torch.Tensor, rows: list[int]) -> torch.Tensor:
    return values.sum(rows) if rows else values


def _register() -> None:
    made: dict[str, tuple[Callable[..., Any], Callable[..., Any], Recorded]] = {
        "softmax": (_softmax, _fake_softmax, Recorded(1, _keep_softmax, _through_softmax)),
        "norm": (_norm, _fake_norm, Recorded(3, _keep_norm, _through_norm)),
    }
    for name, (kernel, fake, recorded) in made.items():
        cast = Cast(recorded.tensors, torch.float32, ("CUDA",))
        register(name, _SCHEMAS[name], kernel, fake, recorded=recorded, cast=cast, twin=True)


_register()
