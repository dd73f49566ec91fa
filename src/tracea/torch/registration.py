# SPDX-License-Identifier: MIT
"""Every operator of ``torch.ops.tracea`` is registered here, so that none lacks what the others have.

That is: kernels for CPU and CUDA, a fake, what happens where a gradient is recorded (a backward pass, or a refusal that says so), a rule
for ``torch.vmap`` and, where operands are multiplied, for autocast. Operators that compiled graphs call once autograd has done its work
have a twin with an underscore, which has a kernel and a fake and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import torch
from tracea_core.errors import UnsupportedError

from tracea.torch import sharding
from tracea.torch.autocast import autocast_rule
from tracea.torch.batching import BATCH_RULES, earlier_rule
from tracea.torch.recording import Recorded, refusal_rule, rules_of

DEVICES = ("CPU", "CUDA")
UNSTRIDED = (
    "SparseCPU",
    "SparseCUDA",
    "SparseCsrCPU",
    "SparseCsrCUDA",
    "NestedTensorCPU",
    "NestedTensorCUDA",
    "MkldnnCPU",
)
"""Where PyTorch sends calls on tensors whose elements do not lie at strides."""
_library: Any = torch.library.Library("tracea", "DEF")  # type: ignore[no-untyped-call]


class Cast(NamedTuple):
    """What autocast does: cast the first `tensors` arguments, to `dtype` or to autocast's type, on these devices."""

    tensors: int
    dtype: torch.dtype | None = None
    devices: tuple[str, ...] = DEVICES


class Operator(NamedTuple):
    """What was registered: the schema without the name, whether a gradient is recorded, what autocast casts, whether there is a twin."""

    schema: str
    recorded: bool
    cast: Cast | None
    twin: bool


OPERATORS: dict[str, Operator] = {}
"""Every operator by name."""
INSIDE: set[str] = set()
"""Those that only rewritten graphs contain (`register_inside`)."""


def register(
    name: str,
    schema: str,
    kernel: Callable[..., torch.Tensor],
    fake: Callable[..., torch.Tensor],
    *,
    recorded: Recorded | None = None,
    cast: Cast | None = None,
    twin: bool = False,
) -> None:
    """Make PyTorch know an operator.

    Parameters
    ----------
    schema : str
        Arguments and result, as `torch.library.Library.define` takes them behind the name.
    kernel, fake : callable
        Take the schema's arguments in order.
    recorded : Recorded, optional
        The backward pass; without one, a gradient is refused.
    cast : Cast, optional
        What autocast casts; without it, nothing.
    twin : bool
        Whether there is one.
    """
    for each in (name, f"_{name}") if twin else (name,):
        _library.define(each + schema, tags=(torch.Tag.pt2_compliant_tag,))
        for device in DEVICES:
            _library.impl(each, kernel, device)
        _register_fake(f"tracea::{each}", fake)
    for kind in UNSTRIDED:
        _library.impl(name, _refusing(name), kind)
    if recorded is None:
        _library.impl(name, refusal_rule(name), "Autograd", with_keyset=True)
    else:
        rules = rules_of(name, recorded)
        _library.impl(name, rules.autograd, "Autograd", with_keyset=True)
        _library.impl(name, rules.transformed, "FuncTorchDynamicLayerFrontMode")
    if cast is not None:
        for device in cast.devices:
            _library.impl(name, autocast_rule(name, device, cast.tensors, cast.dtype), f"Autocast{device}")
    torch.library.register_vmap(f"tracea::{name}", BATCH_RULES[name], lib=_library)
    _library.impl(name, earlier_rule(name), "Batched")
    OPERATORS[name] = Operator(schema, recorded is not None, cast, twin)
    sharding.forget()


def register_inside(name: str, schema: str, kernel: Callable[..., Any], fake: Callable[..., Any] | None = None) -> None:
    """Make PyTorch know an operator that only graphs contain which tracea has rewritten.

    Nobody maps or shards those any more. One without a fake is made of other operators, as autograd and autocast will find.
    """
    _library.define(name + schema, tags=(torch.Tag.pt2_compliant_tag,))
    if fake is None:
        _library.impl(name, kernel, "CompositeImplicitAutograd")
    else:
        for device in DEVICES:
            _library.impl(name, kernel, device)
        _register_fake(f"tracea::{name}", fake)
    INSIDE.add(name)


def _register_fake(name: str, fake: Callable[..., Any]) -> None:
    """Register a fake without a search for the caller's source, which takes `torch.library.register_fake` most of a first call's time.

    It looks for the file of every module there is, for all operators together 15 to 30 ms; what it finds is only shown where another
    library registers the same operator.
    """
    try:
        holder = torch._library.simple_registry.singleton.find(name).fake_impl
        _library._registration_handles.append(holder.register(fake, __name__, lib=_library))
    except (AttributeError, TypeError):  # a version of PyTorch whose registry is another one
        torch.library.register_fake(name, fake, lib=_library)


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(*arguments: Any, **keywords: Any) -> NoReturn:
        raise UnsupportedError(
            "a tensor is sparse, nested or in a library's own layout",
            op=name,
            hint="Convert it: x.to_dense(), or pad it",
        )

    return refuse
