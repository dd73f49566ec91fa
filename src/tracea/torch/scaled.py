# SPDX-License-Identifier: MIT
"""``torch.ops.tracea.scaled_matmul`` and ``scaled_grouped_matmul``: fp8 with scales of groups of k or of blocks, as operators of PyTorch.

No gradient flows through them, and one that is asked for is refused. Scales of matrices, rows and columns need no operator of their own:
they are stages of a product. Calls that nothing listens to skip the dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from tracea_core.dtypes import DType
from tracea_core.ops.stages import StageLike

from tracea.arrays import TORCH, torch_dtype
from tracea.dispatch import derived, find
from tracea.ops import scaled, scaled_groups
from tracea.ops.request import Asked
from tracea.torch import replay
from tracea.torch.bound import BoundCalls
from tracea.torch.epilogues import epilogue_of
from tracea.torch.functional import _plain, _tensor, check_devices
from tracea.torch.naming import text_and_arrays
from tracea.torch.registration import register

_calls = BoundCalls()
_kinds: dict[tuple[Any, ...], torch.dtype] = derived({})
"""Types of results by the shapes of factors and the type that was asked for, of calls that may come again."""


def again(inputs: tuple[Any, ...], out: Any, out_dtype: Any) -> Any:
    """Queue a product again that was launched on these tensors before; return its result, or None where nothing was queued."""
    if replay._is_traced() or not all(type(x) in replay.PLAIN for x in inputs):
        return None
    a, b = inputs[:2]
    kind = _kinds.get((a.shape, b.shape, out_dtype))
    if kind is None:
        return None
    if out is None:
        out = a.new_empty((a.shape[0], b.shape[1]), dtype=kind)
    elif type(out) not in replay.PLAIN:
        return None
    return out if _calls.again((*inputs, out), kind) else None


def _keep(inputs: tuple[torch.Tensor, ...], out: torch.Tensor, kind: torch.dtype, out_dtype: DType) -> None:
    """Remember a product that has just been launched on plain tensors of a device."""
    tensors = (*inputs, out)
    settings = (*scaled.shared_by(inputs), out_dtype)
    plan = find(
        (
            scaled.NAME,
            settings,
            epilogue_of(""),
            False,
            None,
            scaled.OWN_TYPE,
            *[TORCH.key(tensor) for tensor in tensors],
        )
    )
    if _calls.keep(tensors, kind, plan):
        for asked in (out_dtype, out_dtype.value):
            _kinds[inputs[0].shape, inputs[1].shape, asked] = kind


def call(inputs: tuple[torch.Tensor, ...], epilogue: StageLike, out_dtype: DType, asked: Asked) -> Any:
    """Return a product of torch tensors with scales along k; see `tracea.ops.scaled_matmul`.

    Parameters
    ----------
    inputs : tuple of Tensor
        Both factors and their scales, whose shapes fit.
    """

    def direct(text: str, after: tuple[torch.Tensor, ...]) -> Any:
        kind, out = torch_dtype(out_dtype), asked.out
        if out is None:
            out = inputs[0].new_empty((inputs[0].shape[0], inputs[1].shape[1]), dtype=kind)
        scaled.by_groups(inputs, epilogue_of(text), after, out_dtype, asked._replace(out=out))
        if not text and not asked.backend and inputs[0].is_cuda:
            _keep(inputs, out, kind, out_dtype)
        return out

    return _call(scaled.NAME, inputs, epilogue, out_dtype, asked, direct)


def call_grouped(inputs: tuple[torch.Tensor, ...], epilogue: StageLike, out_dtype: DType, asked: Asked) -> Any:
    """Return a product of groups of torch tensors with scales along k; see `tracea.ops.scaled_grouped_matmul`.

    Parameters
    ----------
    inputs : tuple of Tensor
        Rows, weights, where groups end, and the scales of both, whose shapes fit.
    """

    def direct(text: str, after: tuple[torch.Tensor, ...]) -> Any:
        return scaled_groups.by_groups(inputs, epilogue_of(text), after, out_dtype, asked)

    return _call(scaled_groups.NAME, inputs, epilogue, out_dtype, asked, direct)


def _call(
    name: str,
    inputs: tuple[torch.Tensor, ...],
    epilogue: StageLike,
    out_dtype: DType,
    asked: Asked,
    direct: Callable[[str, tuple[torch.Tensor, ...]], Any],
) -> Any:
    """Call `direct` on the epilogue's text and operands, or the operator where something in the dispatcher listens."""
    text, operands = text_and_arrays(epilogue)
    after = tuple(_tensor(operand, inputs[0]) for operand in operands)
    tensors = [*inputs, *after]
    check_devices(name, tensors)
    if _plain(tensors if asked.out is None else [*tensors, asked.out]):
        return direct(text, after)
    operator = getattr(torch.ops.tracea, name).default
    value = operator(*inputs, after, text, torch_dtype(out_dtype), asked.backend or "", asked.fallback)
    return value if asked.out is None else asked.out.copy_(value)


def _define(name: str, scales: str, by_groups: Callable[..., Any], columns: int) -> None:
    """Register an operator whose result has the rows of its first argument and as many columns as the second has along an axis."""

    def kernel(*arguments: Any) -> torch.Tensor:
        *inputs, operands, text, out_dtype, backend, fallback = arguments
        kind = DType.parse(str(out_dtype))
        value: torch.Tensor = by_groups(
            tuple(inputs), epilogue_of(text), tuple(operands), kind, Asked(None, backend or None, fallback)
        )
        return value

    def fake(*arguments: Any) -> torch.Tensor:
        first, second, *_, out_dtype, _, _ = arguments
        return torch.empty((first.shape[0], second.shape[columns]), dtype=out_dtype, device=first.device)

    schema = f"({scales}, Tensor[] operands, str epilogue, ScalarType out_dtype, str backend, str fallback) -> Tensor"
    register(name, schema, kernel, fake)


_define(scaled.NAME, "Tensor a, Tensor b, Tensor scale_a, Tensor scale_b", scaled.by_groups, 1)
_define(
    scaled_groups.NAME,
    "Tensor x, Tensor weights, Tensor offsets, Tensor scale_x, Tensor scale_w",
    scaled_groups.by_groups,
    2,
)
scaled.again = again
