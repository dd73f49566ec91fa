# SPDX-License-Identifier: MIT
"""Inductor's code calls the operators' kernels itself instead of going through PyTorch's dispatcher, which costs as much as they do.

Before: ``buf0 = torch.ops.tracea._linear.default(arg0, arg1, [arg2], 'bias,gelu', '')``, whose result Inductor also checks. After:
``torch.ops.tracea.into(arg0, arg1, arg2, ('linear', 'bias,gelu', (), '', 81…), out=buf0)``, a plain function under the operators'
namespace (`tracea.torch.placed`), into memory that Inductor plans as it does for its own kernels. The graph is past autograd, autocast and
fakes then, so nothing listens to the dispatcher. Where Inductor is not as expected (these parts of it are private), the calls stay as they
were.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import logging
from collections.abc import Callable
from typing import Any

import torch

from tracea.torch import kernels, placed
from tracea.torch.feed_forward import SETTINGS, storing
from tracea.torch.stated import STATED

_log = logging.getLogger("tracea")
_NAME = f"torch.ops.tracea.{placed.into.__name__}"


@functools.lru_cache(maxsize=1)
def call_directly() -> bool:
    """Make Inductor call products directly from now on; return whether it does."""
    try:
        for name in (*kernels.KERNELS, *STATED):
            _lower(name)
        _lower_kept()
    except (AttributeError, ImportError, KeyError, TypeError, AssertionError) as error:
        _log.info("compiled graphs call operators through PyTorch's dispatcher: %s", error)
        return False
    return True


def site_of(node: torch.fx.Node, asked: tuple[Any, ...]) -> int:
    """Return a number made of a call's place in its graph, of what it asks, and of its tensors' layouts, types and devices.

    It is 0 where an extent or a stride may differ at the next call.
    """
    tensors: list[Any] = [n.meta.get("val") for n in node.all_input_nodes]
    own = node.meta.get("val")
    tensors += own if isinstance(own, tuple | list) else [own]
    if not all(isinstance(x, torch.Tensor) and all(type(i) is int for i in (*x.shape, *x.stride())) for x in tensors):
        return 0
    layouts = [(tuple(x.shape), x.stride(), x.dtype, x.device) for x in tensors]
    found = hashlib.sha256(repr((node.name, asked, layouts)).encode())
    return int.from_bytes(found.digest()[:7], "little") + 1


def _lower(name: str) -> None:
    """Let what Inductor prints for an operator be a call of `tracea.torch.placed.into`."""
    from torch._inductor import lowering
    from torch._inductor.virtualized import V

    ir: Any = importlib.import_module("torch._inductor.ir")
    operator = getattr(torch.ops.tracea, f"_{name}").default
    lowering.make_fallback(operator, layout_constraint=_as_traced(ir), warn=False)  # type: ignore[no-untyped-call]
    plain: Callable[..., Any] = lowering.lowerings[operator]
    made, realized = ir.ExternKernelOut, ir.ExternKernel.realize_input
    shape_of, layout_of, box = ir.convert_shape_to_inductor, ir.FixedLayout, ir.TensorBox.create

    @functools.wraps(plain)
    def lowered(*arguments: Any, **settings: Any) -> Any:
        like = V.graph.current_node.meta.get("val")
        first, second, operands, text, *rest = arguments
        fallback = rest.pop() if name in STATED else "torch"
        backend = rest.pop()
        if settings or fallback != "torch" or V.graph.cpp_wrapper or not isinstance(like, torch.Tensor):
            return plain(*arguments, **settings)
        size, stride = shape_of(like.shape), shape_of(like.stride())
        asked = (name, text, tuple(tuple(s) if isinstance(s, list) else s for s in rest), backend)
        return box(
            made(
                layout=layout_of(like.device, like.dtype, size, stride),
                inputs=[realized(tensor) for tensor in (first, second, *operands)],
                constant_args=[(*asked, site_of(V.graph.current_node, asked))],
                python_kernel_name=_NAME,
            )
        )

    lowering.lowerings[operator] = lowered


def _lower_kept() -> None:
    """The same for ``_kept``: what an activation is applied to is memory of its own, which the call fills besides its result."""
    from torch._inductor import lowering
    from torch._inductor.virtualized import V

    ir: Any = importlib.import_module("torch._inductor.ir")
    operator = torch.ops.tracea._kept.default
    lowering.make_fallback(operator, layout_constraint=_as_traced(ir), warn=False)  # type: ignore[no-untyped-call]
    plain: Callable[..., Any] = lowering.lowerings[operator]
    empty = lowering.lowerings[torch.ops.aten.empty_strided.default]
    made, realized, written, nothing = (
        ir.ExternKernelOut,
        ir.ExternKernel.realize_input,
        ir.MutationOutput,
        ir.NoneLayout,
    )
    shape_of, layout_of, box = ir.convert_shape_to_inductor, ir.FixedLayout, ir.TensorBox.create
    if "mutation_outputs" not in ir.ExternKernel.__dataclass_fields__:
        raise AttributeError("mutation_outputs")

    @functools.wraps(plain)
    def lowered(x: Any, weight: Any, operands: Any, head: str, tail: str, product: str) -> Any:
        like, _ = V.graph.current_node.meta["val"]
        if V.graph.cpp_wrapper:
            return plain(x, weight, operands, head, tail, product)
        size, stride = shape_of(like.shape), shape_of(like.stride())
        ahead = empty(size, stride, dtype=like.dtype, device=like.device)
        asked = (product, storing(head, tail), SETTINGS[product], "")
        call = made(
            layout=layout_of(like.device, like.dtype, size, stride),
            inputs=[realized(tensor) for tensor in (x, weight, *operands, ahead)],
            constant_args=[(*asked, site_of(V.graph.current_node, asked))],
            python_kernel_name=_NAME,
        )
        call.mutation_outputs.append(written(nothing(device=like.device), ahead, call))
        return box(call), ahead

    lowering.lowerings[operator] = lowered


def _as_traced(ir: Any) -> Callable[..., tuple[Any, dict[str, Any]]]:
    """Return what gives a call its tensors with the strides that they were traced with (`torch.Tag.needs_exact_strides`).

    What is not yet in memory is put there first, once for all who read it. Inductor's own constraint copies it for the call alone, and its
    other readers, such as a backward pass that keeps it, get a second one: GELUs of a network in training were stored twice.
    """
    box, storage, exact = ir.TensorBox, ir.StorageBox, ir.ExternKernel.require_exact_strides

    def fixed(given: Any, traced: Any) -> Any:
        if isinstance(given, list | tuple):
            return type(given)(fixed(one, like) for one, like in zip(given, traced, strict=True))
        if not isinstance(given, box) or not isinstance(traced, torch.Tensor):
            return given
        if isinstance(given.data, storage):
            given.realize()
        return exact(given, traced.stride())

    def constrain(node: torch.fx.Node, *arguments: Any, **settings: Any) -> tuple[Any, dict[str, Any]]:
        traced, _ = node.meta.get("eager_input_vals", ((), {}))
        if len(traced) != len(arguments):
            traced = torch.fx.node.map_arg(node.args, lambda one: one.meta.get("val"))
        return tuple(fixed(one, like) for one, like in zip(arguments, traced, strict=True)), settings

    return constrain
