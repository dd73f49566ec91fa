# SPDX-License-Identifier: MIT
"""Attention and low-rank products as operators of PyTorch: ``torch.ops.tracea.attention``, ``masked_attention``, ``low_rank_mlp``.

Kernels are tracea's, PyTorch's computation where there is none. Their backward passes are made of products
(`tracea.torch.chain_gradients`); an epilogue is PyTorch's where a gradient is recorded, and so is attention through `tracea.ops` whose
backward pass PyTorch has fused: a third of the time, as measured on a CPU. Attention lies in memory as its queries do, so
that heads side by side stay so. Each has a twin for compiled graphs (`tracea.torch.registration`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch
from tracea_core.errors import UnsupportedError
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.spec import TensorSpec

from tracea import fallback as fall_back
from tracea.arrays import TORCH
from tracea.ops.call import run
from tracea.ops.request import PLAIN, Asked, Request
from tracea.torch import row_replay
from tracea.torch.chain_gradients import RECORDED
from tracea.torch.epilogues import apply, epilogue_of
from tracea.torch.forward_mode import is_forward, records
from tracea.torch.functional import _plain, _tensor, check_devices, require
from tracea.torch.kernels import NO_KERNEL
from tracea.torch.registration import Cast, register
from tracea.torch.shapes import Layout, result_dtype
from tracea.torch.tails import apply_tail

_SETTINGS = "Tensor[] operands, str epilogue, bool causal, int? left, int? right, float? scale, str backend) -> Tensor"
_SCHEMAS = {
    "attention": f"(Tensor q, Tensor k, Tensor v, {_SETTINGS}",
    "masked_attention": f"(Tensor q, Tensor k, Tensor v, Tensor mask, {_SETTINGS}",
    "low_rank_mlp": "(Tensor x, Tensor a, Tensor b, Tensor[] operands, str epilogue, str middle, str backend) -> Tensor",
}
_ATTENTIONS = ("attention", "masked_attention")
_FUSED = "PyTorch has a fused backward pass for it, which stores no scores"


def call(
    name: str,
    inputs: Sequence[torch.Tensor],
    text: str,
    operands: Sequence[Any],
    settings: tuple[Any, ...],
    asked: Asked,
) -> Any:
    """Return ``attention`` or ``low_rank_mlp`` of torch tensors; see `tracea.ops.attention` and `tracea.ops.low_rank_mlp`.

    Parameters
    ----------
    text : str
        The epilogue (`tracea.torch.epilogues.text_of`).
    settings : tuple
        The operator's other arguments ahead of the backend.
    """
    after = [_tensor(operand, inputs[0]) for operand in operands]
    tensors = [*inputs, *after]
    recorded = records(tensors)
    if not recorded and _plain(tensors if asked.out is None else [*tensors, asked.out]):
        check_devices(name, tensors)
        return _compute(name, inputs, text, after, settings, asked)
    _stated(name, inputs)  # whatever computes it, the same is refused
    if (
        recorded
        and asked.fallback != "error"
        and name in _ATTENTIONS
        and not is_forward()  # which that one has not
        and _is_fused_in_torch(inputs, settings)
    ):
        value = apply_tail(
            text, fall_back.to_torch(name, _FUSED, asked.fallback, lambda: _in_torch(name, inputs, settings)), after, -1
        )
        return value if asked.out is None else asked.out.copy_(value)
    if asked.fallback == "error":
        from tracea.ops.chains import PROBLEMS

        require(name, PROBLEMS[name], _stated(name, inputs), _given(name, settings), asked.backend)
    operator = getattr(torch.ops.tracea, name).default
    if recorded and text:
        value = apply_tail(text, operator(*inputs, [], "", *settings, asked.backend or ""), after, -1)
    else:
        value = operator(*inputs, after, text, *settings, asked.backend or "")
    return value if asked.out is None else asked.out.copy_(value)


def _given(name: str, settings: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return an operator's settings as its problem is stated with them."""
    return settings if name in _ATTENTIONS else (epilogue_of(settings[0]),)


def _stated(name: str, inputs: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
    """Return an operator's inputs as its problem is stated with them: a mask, of fewer axes or of booleans, with those of scores."""
    from tracea.ops.chains import on_scores

    return (*inputs[:3], on_scores(inputs[3], inputs[0], inputs[1])) if name == "masked_attention" else inputs


def _compute(
    name: str,
    inputs: Sequence[torch.Tensor],
    text: str,
    operands: Sequence[torch.Tensor],
    settings: tuple[Any, ...],
    asked: Asked,
) -> torch.Tensor:
    """Run the kernel, or PyTorch where there is none."""
    from tracea.ops.chains import PROBLEMS

    known = None if text or operands or asked.out is not None else (name, settings, asked.backend, asked.fallback)
    if known is not None:
        again = row_replay.again(known, tuple(inputs), None)
        if again is not None:
            return again  # type: ignore[no-any-return]
    epilogue = epilogue_of(text)
    place = _LAYOUTS[name](inputs, epilogue).empty(inputs[0]) if asked.out is None else asked.out
    given, stated = _given(name, settings), _stated(name, inputs)
    try:
        if inputs[0].device.type != "cpu" and not asked.backend and asked.fallback != "error":
            leave(name, stated, given)
        result: torch.Tensor = run(name, stated, epilogue, tuple(operands), place, given, PROBLEMS[name], asked.backend)
        if known is not None:
            key = (name, given, epilogue, False, asked.backend, PLAIN)
            row_replay.keep(known, tuple(inputs), None, key, (*stated, place))
        return result
    except NO_KERNEL as error:
        if asked.backend:
            raise
        return fall_back.to_torch(  # type: ignore[no-any-return]
            name,
            error,
            asked.fallback,
            lambda: place.copy_(apply(epilogue, _in_torch(name, inputs, settings), operands, -1)),
        )


def leave(name: str, inputs: Sequence[torch.Tensor], given: tuple[Any, ...]) -> None:
    """Raise where PyTorch's own kernels are estimated to be faster (`tracea_core.pipeline.apart`).

    Raises
    ------
    UnsupportedError
        With the reason.
    """
    reason = _faster_in_torch(name, tuple(TORCH.spec(x) for x in inputs), TORCH.device(inputs[0]), given)
    if reason is not None:
        raise UnsupportedError(reason, op=name, hint="Name a backend, or set fallback='error', for one kernel")


@functools.lru_cache(maxsize=1024)
def _faster_in_torch(name: str, specs: tuple[TensorSpec, ...], device: str, given: tuple[Any, ...]) -> str | None:
    from tracea_core.pipeline.apart import better_apart
    from tracea_core.pipeline.offered import variants_of
    from tracea_core.pipeline.path import select

    from tracea.ops.call import NO_EPILOGUE
    from tracea.ops.chains import PROBLEMS

    selection = select(device, None)
    problem = PROBLEMS[name](*given, Request(specs, NO_EPILOGUE[0], (), None, PLAIN))
    return better_apart(problem, selection.target, variants_of(selection))


def _in_torch(name: str, inputs: Sequence[torch.Tensor], settings: tuple[Any, ...]) -> torch.Tensor:
    """PyTorch's computation of the same, before the epilogue."""
    if name in _ATTENTIONS:
        return _attention(inputs, settings)
    x, a, b = inputs
    return apply(epilogue_of(settings[0]), x @ a, (), -1).to(x.dtype) @ b


def _is_fused_in_torch(inputs: Sequence[torch.Tensor], settings: tuple[Any, ...]) -> bool:
    """Whether PyTorch computes such attention without a mask of its own making, and so its backward pass in one kernel."""
    q, k, _, *masks = inputs
    causal, left, right, _ = settings
    return left is None and right is None and (not causal or (q.shape[2] == k.shape[2] and not masks))


def _attention(inputs: Sequence[torch.Tensor], settings: tuple[Any, ...]) -> torch.Tensor:
    (q, k, v, *masks), (causal, left, right, scale) = inputs, settings
    queries, keys = q.shape[2], k.shape[2]
    attend = torch.nn.functional.scaled_dot_product_attention
    grouped = k.shape[1] != q.shape[1]
    if _is_fused_in_torch(inputs, settings):
        if not masks:
            return attend(q, k, v, is_causal=causal, scale=scale, enable_gqa=grouped)
        value = attend(q, k, v, attn_mask=_as_taken(masks[0], q), scale=scale, enable_gqa=grouped)
        return torch.where(_hidden(masks[0], q).all(-1, keepdim=True), 0.0, value)
    distance = torch.arange(keys, device=q.device) - (torch.arange(queries, device=q.device)[:, None] + keys - queries)
    seen = torch.ones_like(distance, dtype=torch.bool)
    for side, limit in (("left", left), ("right", 0 if causal else right)):
        if limit is not None:
            seen = seen & (distance >= -limit if side == "left" else distance <= limit)
    both = seen
    for mask in masks:
        seen = seen & ~_hidden(mask, q)
        both = seen if mask.dtype is torch.bool else _as_taken(mask, q).masked_fill(~seen, float("-inf"))
    value = attend(q, k, v, attn_mask=both, scale=scale, enable_gqa=grouped)
    return torch.where(seen.any(-1, keepdim=True), value, 0.0)


def _as_taken(mask: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """Return a mask as PyTorch's function takes it: booleans, or numbers of the queries' type."""
    return mask if mask.dtype is torch.bool else mask.to(q.dtype)


def _hidden(mask: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """Return what a mask hides: by booleans, or by numbers that are no more than the lowest of the type of scores."""
    if mask.dtype is torch.bool:
        return ~mask
    return mask <= torch.finfo(torch.float64 if q.dtype is torch.float64 else torch.float32).min


def attention_layout(inputs: Sequence[torch.Tensor], epilogue: Epilogue) -> Layout:
    """Return the layout of attention's result: heads within positions where those of the queries are, else positions within heads."""
    q, _, v, *_ = inputs
    batch, heads, queries, _ = q.shape
    columns = v.shape[3]
    shape, dtype = (batch, heads, queries, columns), result_dtype(q, epilogue, None)
    steps = q.stride()
    if steps[2] > steps[1]:
        return Layout(shape, dtype, (queries * heads * columns, columns, heads * columns, 1))
    return Layout(shape, dtype)


def low_rank_layout(inputs: Sequence[torch.Tensor], epilogue: Epilogue) -> Layout:
    """Return the layout of a low-rank product's result."""
    x, _, b = inputs
    columns = b.shape[1] // 2 if epilogue.gated else b.shape[1]
    return Layout((*x.shape[:-1], columns), result_dtype(x, epilogue, None))


_LAYOUTS = {"attention": attention_layout, "masked_attention": attention_layout, "low_rank_mlp": low_rank_layout}


def _register() -> None:
    for name in _SCHEMAS:
        _define(name)


def _define(name: str) -> None:
    count = RECORDED[name].tensors

    def kernel(*arguments: Any) -> torch.Tensor:
        inputs, operands, text = arguments[:count], arguments[count], arguments[count + 1]
        *settings, backend = arguments[count + 2 :]
        return _compute(name, inputs, text, operands, tuple(settings), Asked(None, backend or None))

    def fake(*arguments: Any) -> torch.Tensor:
        return _LAYOUTS[name](arguments[:count], epilogue_of(arguments[count + 1])).empty(arguments[0])

    register(name, _SCHEMAS[name], kernel, fake, recorded=RECORDED[name], cast=Cast(count), twin=True)


_register()
