# SPDX-License-Identifier: MIT
"""``torch.ops.tracea.scaled_matmul``: fp8 with scales of groups of k or of blocks as an operator of PyTorch, with a fake.

Scales of matrices, rows and columns need no operator of their own: they are stages of a product. Calls that nothing listens to skip the
dispatcher.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from tracea_core.dtypes import DType
from tracea_core.ops.stages import StageLike

from tracea.arrays import torch_dtype
from tracea.torch.epilogues import epilogue_of
from tracea.torch.functional import _plain, _tensor, check_devices
from tracea.torch.naming import text_and_arrays

_SCHEMA = (
    "(Tensor a, Tensor b, Tensor scale_a, Tensor scale_b, Tensor[] operands, str epilogue, ScalarType out_dtype, str backend, "
    "str fallback) -> Tensor"
)
_library: Any = torch.library.Library("tracea", "FRAGMENT")  # type: ignore[no-untyped-call]


def call(
    inputs: tuple[torch.Tensor, ...],
    epilogue: StageLike,
    out_dtype: DType,
    out: Any = None,
    backend: str | None = None,
    fallback: str = "torch",
) -> Any:
    """Return a product of torch tensors with scales along k; see `tracea.ops.scaled_matmul`.

    Parameters
    ----------
    inputs : tuple of Tensor
        Both factors and their scales, whose shapes fit.
    """
    from tracea.ops.scaled import by_groups

    text, operands = text_and_arrays(epilogue)
    after = tuple(_tensor(operand, inputs[0]) for operand in operands)
    tensors = [*inputs, *after]
    check_devices("scaled_matmul", tensors)
    if _plain(tensors if out is None else [*tensors, out]):
        return by_groups(inputs, epilogue_of(text), after, out_dtype, out, backend, fallback)
    operator = torch.ops.tracea.scaled_matmul.default
    value = operator(*inputs, after, text, torch_dtype(out_dtype), backend or "", fallback)
    return value if out is None else out.copy_(value)


def _kernel(
    a: torch.Tensor,
    b: torch.Tensor,
    scale_a: torch.Tensor,
    scale_b: torch.Tensor,
    operands: Sequence[torch.Tensor],
    text: str,
    out_dtype: torch.dtype,
    backend: str,
    fallback: str,
) -> torch.Tensor:
    from tracea.ops.scaled import by_groups

    kind, inputs = DType.parse(str(out_dtype)), (a, b, scale_a, scale_b)
    value: torch.Tensor = by_groups(inputs, epilogue_of(text), tuple(operands), kind, None, backend or None, fallback)
    return value


def _fake(
    a: torch.Tensor,
    b: torch.Tensor,
    scale_a: torch.Tensor,
    scale_b: torch.Tensor,
    operands: Sequence[torch.Tensor],
    text: str,
    out_dtype: torch.dtype,
    backend: str,
    fallback: str,
) -> torch.Tensor:
    return a.new_empty((a.shape[0], b.shape[1]), dtype=out_dtype)


def _register() -> None:
    _library.define("scaled_matmul" + _SCHEMA, tags=(torch.Tag.pt2_compliant_tag,))
    for device in ("CPU", "CUDA"):
        _library.impl("scaled_matmul", _kernel, device)
    torch.library.register_fake("tracea::scaled_matmul", _fake, lib=_library)


_register()
