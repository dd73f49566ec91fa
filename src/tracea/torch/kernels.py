# SPDX-License-Identifier: MIT
"""The operators' kernels: find the plan for these tensors, allocate the result, launch on the current stream.

A plan is found by one dictionary look-up over everything it depends on. Where no variant takes a problem the remembered entry is
PyTorch's own computation, announced once in the log (`tracea.fallback`).
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import torch
from tracea_core.dtypes import DType
from tracea_core.errors import (
    BackendUnavailableError,
    CertificationError,
    CompileError,
    ConfigurationError,
    EmitError,
    LaunchError,
    TraceaError,
    UnsupportedError,
)
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import Path

from tracea.arrays import TORCH, torch_dtype
from tracea.dispatch import BoundPlan, common_device, derived
from tracea.ops.filtering import by_default, options_of, refused
from tracea.ops.request import Request
from tracea.torch import buckets, epilogues, in_torch, packed, replay, shapes, sites
from tracea.torch.packed import Panels
from tracea.torch.stated import STATED

Tensors: TypeAlias = Sequence[torch.Tensor]


class Entry(NamedTuple):
    """What a call becomes.

    `call` takes inputs and operands and returns the result; `reason` says why it is PyTorch's, if it is; `plan`, `allocate` and
    `fill`, which writes into memory of these `strides`, are what a call consists of.
    """

    call: Callable[[list[torch.Tensor]], torch.Tensor]
    reason: TraceaError | None = None
    plan: BoundPlan | None = None
    allocate: Callable[[], torch.Tensor] | None = None
    fill: Callable[[list[torch.Tensor], torch.Tensor], None] | None = None
    strides: tuple[int, ...] = ()

    @property
    def path(self) -> Path | None:
        """The kernel's."""
        return None if self.plan is None else self.plan.path

    @property
    def queues(self) -> bool:
        """Whether one call queues a launch again (`tracea.torch.bound`)."""
        return self.plan is not None and self.plan.bind is not None


class _First(NamedTuple):
    """The entry that such shapes had first, and PyTorch's own check that tensors are what they were: quicker than a key of them all."""

    check: Callable[..., bool]
    flags: tuple[bool, bool]
    entry: Entry


NO_KERNEL = (
    UnsupportedError, BackendUnavailableError, ConfigurationError, CertificationError, EmitError, CompileError, LaunchError,
)  # fmt: skip
"""What leaves a call to PyTorch: nothing qualifies, or what qualifies did not get through its own checks. Never an error of the caller."""

_entries: dict[tuple[Any, ...], Entry] = derived({})
_first: dict[tuple[Any, ...], _First] = derived({})
_guard = threading.Lock()
_ENTRY_LIMIT = 4096
PACKED = ("matmul", "linear")
"""Operators whose second input may have a copy in panels."""
_BARE = ("matmul", "", (None, False, False), "")
"""A product of which nothing else was asked: name, epilogue, settings, backend."""


def matmul(
    a: torch.Tensor,
    b: torch.Tensor,
    operands: Tensors,
    epilogue: str,
    out_dtype: torch.dtype | None,
    deterministic: bool,
    fast_accumulation: bool,
    backend: str,
) -> torch.Tensor:
    """Run ``tracea::matmul``."""
    settings = (out_dtype, deterministic, fast_accumulation)
    return run("matmul", [a, b, *operands], epilogue, settings, backend)


def linear(x: torch.Tensor, weight: torch.Tensor, operands: Tensors, epilogue: str, backend: str) -> torch.Tensor:
    """Run ``tracea::linear``."""
    return run("linear", [x, weight, *operands], epilogue, (), backend)


def conv2d(
    x: torch.Tensor,
    weight: torch.Tensor,
    operands: Tensors,
    epilogue: str,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    backend: str,
) -> torch.Tensor:
    """Run ``tracea::conv2d``."""
    settings = (tuple(stride), tuple(padding), tuple(dilation), groups)
    return run("conv2d", [x, weight, *operands], epilogue, settings, backend)


def conv_transpose2d(
    x: torch.Tensor,
    weight: torch.Tensor,
    operands: Tensors,
    epilogue: str,
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
    backend: str,
) -> torch.Tensor:
    """Run ``tracea::conv_transpose2d``."""
    settings = (tuple(stride), tuple(padding), tuple(output_padding), tuple(dilation), groups)
    return run("conv_transpose2d", [x, weight, *operands], epilogue, settings, backend)


_deterministic = torch._C._get_deterministic_algorithms
KERNELS: dict[str, Callable[..., torch.Tensor]] = {
    "matmul": matmul,
    "linear": linear,
    "conv2d": conv2d,
    "conv_transpose2d": conv_transpose2d,
}


def run(name: str, tensors: list[torch.Tensor], epilogue: str, settings: tuple[Any, ...], backend: str) -> torch.Tensor:
    """Compute one operator; `settings` is hashable, `tensors` are inputs, then operands."""
    place = (tensors[1].data_ptr(), tensors[0].shape, name, epilogue, settings, backend)
    known = sites.again(place, tensors)
    if known is not None:
        return known
    if packed.held and name in PACKED:
        panels = packed.panels_of(name, tensors[1])
        if panels is not None:
            return run_packed(name, tensors, panels, epilogue, settings, backend)
    entry = find(name, tensors, epilogue, settings, backend)
    value = entry.call(tensors)
    if entry.plan is not None and entry.allocate is not None:
        sites.keep(place, tensors, entry.plan, entry.allocate)
    return value


def run_packed(
    name: str, tensors: list[torch.Tensor], panels: Panels, epilogue: str, settings: tuple[Any, ...], backend: str
) -> torch.Tensor:
    """Compute a product from its weight's copy in panels; as ever where the copy does not serve (gated epilogues, batches of weights)."""
    entry = find(name, [tensors[0], panels.matrix, *tensors[2:]], epilogue, settings, backend, panels.options)
    if entry.reason is not None:
        return find(name, tensors, epilogue, settings, backend).call(tensors)
    return entry.call([tensors[0], panels.matrix, *tensors[2:]])


def find(
    name: str,
    tensors: list[torch.Tensor],
    epilogue: str,
    settings: tuple[Any, ...],
    backend: str,
    panels: Options | None = None,
    varies: bool = False,
) -> Entry:
    """Return the entry for such tensors, planned on the first call.

    Parameters
    ----------
    panels : Options, optional
        How the second tensor lies in panels, if it does.
    varies : bool
        Whether leading extents differ from call to call, so that what was planned for one nearby will do (`tracea.torch.buckets`).
    """
    first, second = tensors[0], tensors[1]
    alone = name == "conv2d" and refused()
    short = (name, epilogue, settings, backend, first.shape, second.shape, len(tensors), panels, alone)
    known = _first.get(short)
    if known is not None and known.check(*tensors) and (not first.is_cuda or known.flags == _flags(name, first)):
        return known.entry
    place: tuple[Any, ...] = (
        name, epilogue, settings, backend, first.shape, first.stride(), first.dtype, first.device,
        second.shape, second.stride(), second.dtype, second.device, alone,
    )  # fmt: skip
    for tensor in tensors[2:]:
        place += (tensor.shape, tensor.stride(), tensor.dtype, tensor.device)
    if first.is_cuda:
        place += _flags(name, first)
    if panels is not None:
        place += (panels,)
    entry = _entries.get(place)
    if entry is None:
        entry = _remember(place, make_entry(name, tensors, epilogue, settings, backend, panels, varies))
    if known is None and all(type(tensor) in replay.PLAIN for tensor in tensors):
        check = replay.checker(*tensors)
        if check is not None:
            with _guard:
                _first[short] = _First(check, _flags(name, first) if first.is_cuda else (False, False), entry)
        if short[:4] == _BARE and len(tensors) == 2 and panels is None and entry.plan is not None:
            assert entry.allocate is not None
            replay.keep_fresh(first, second, entry.plan, entry.allocate)
    return entry


def _flags(name: str, first: torch.Tensor) -> tuple[bool, bool]:
    """PyTorch's flags that a GPU kernel honours: tf32 allowed for fp32, and the same bits on every run."""
    tf32 = False
    if first.dtype is torch.float32:
        tf32 = torch.backends.cudnn.allow_tf32 if name in shapes.CONVOLUTIONS else torch.backends.cuda.matmul.allow_tf32
    return tf32, _deterministic()


def _remember(place: tuple[Any, ...], entry: Entry) -> Entry:
    with _guard:
        while len(_entries) >= _ENTRY_LIMIT:
            _entries.pop(next(iter(_entries)))
        if len(_first) >= _ENTRY_LIMIT:
            _first.clear()
        return _entries.setdefault(place, entry)


def forget_entries() -> None:
    """Forget every planned operator."""
    with _guard:
        _entries.clear()
        _first.clear()


def statement(
    name: str, tensors: Tensors, settings: tuple[Any, ...]
) -> tuple[Callable[..., Problem], tuple[Any, ...], Options]:
    """Return what states an operator's problem: the function, its leading arguments, and the options in force."""
    from tracea.ops.conv import conv2d_problem
    from tracea.ops.conv_transpose import conv_transpose2d_problem
    from tracea.ops.matmul import matmul_problem

    tf32, deterministic = _flags(name, tensors[0]) if tensors[0].device.type == "cuda" else (False, False)
    if name in STATED:
        return STATED[name].problem_of, settings, _options(False, deterministic)
    if name in shapes.CONVOLUTIONS:
        stated = conv2d_problem if name == "conv2d" else conv_transpose2d_problem
        said = False if name == "conv2d" and refused() else None
        return stated, settings, options_of(said, _options(tf32, deterministic))
    if name == "linear":
        return matmul_problem, (1.0, 0.0, None), _options(tf32, deterministic)
    out_dtype, asked, fast = settings
    kind = None if out_dtype is None else DType.parse(str(out_dtype))
    return matmul_problem, (1.0, 0.0, kind), _options(tf32, deterministic or asked, fast)


@functools.cache
def _options(tf32: bool, deterministic: bool, fast: bool = False) -> Options:
    return Options(allow_tf32=tf32, deterministic=deterministic, fast_accumulation=fast)


def problem_of(
    name: str,
    tensors: Tensors,
    epilogue: Epilogue,
    settings: tuple[Any, ...],
    panels: Options | None = None,
    backend: str = "",
) -> Problem:
    """Return the problem that an operator states on these tensors (fake ones, too, while their extents are numbers)."""
    function, given, options = statement(name, tensors, settings)
    specs = [TORCH.spec(tensor) for tensor in tensors]
    if panels is not None:
        options = options.replace(panel_columns=panels.panel_columns)
    elif name == "linear":
        specs[1] = TORCH.spec(tensors[1].t())
    problem = function(*given, Request(tuple(specs[:2]), epilogue, tuple(specs[2:]), options=options))
    return by_default(problem, tensors[0].device.type, backend)


def layout_of(name: str, tensors: Tensors, epilogue: Epilogue, settings: tuple[Any, ...]) -> shapes.Layout:
    """Return the layout of an operator's result."""
    if name in STATED:
        return STATED[name].layout_of(tensors[0], tensors[1], epilogue, settings)
    if name == "conv2d":
        return shapes.conv2d_layout(tensors[0], tensors[1], epilogue, *settings)
    if name == "conv_transpose2d":
        return shapes.conv_transpose2d_layout(tensors[0], tensors[1], epilogue, *settings)
    if name == "linear":
        return shapes.linear_layout(tensors[0], tensors[1], epilogue)
    return shapes.matmul_layout(tensors[0], tensors[1], epilogue, settings[0])


def make_entry(
    name: str,
    tensors: list[torch.Tensor],
    epilogue: str,
    settings: tuple[Any, ...],
    backend: str,
    panels: Options | None = None,
    varies: bool = False,
) -> Entry:
    """Plan one operator on such tensors; see `find`.

    Raises
    ------
    TraceaError
        If the tensors do not fit, or the backend that was named does not take them.
    """
    stages = epilogues.epilogue_of(epilogue)
    device = common_device(name, list(tensors), [TORCH] * len(tensors))
    if panels is not None and name == "linear":
        layout = shapes.linear_layout(tensors[0], tensors[1].t(), stages)
    else:
        layout = layout_of(name, tensors, stages, settings)
    problem = problem_of(name, tensors, stages, settings, panels, backend)
    made = None
    if varies and panels is None:
        asked = (name, epilogue, settings, backend)
        made = buckets.plan_of(asked, tensors, problem, device, lambda at: problem_of(name, at, stages, settings))  # type: ignore[arg-type]
    try:
        plan = BoundPlan(problem, backend or None, device, lambda: None, made)
    except NO_KERNEL as error:
        if backend and panels is None:
            raise
        return Entry(in_torch.call_of(name, error, stages, settings, layout), error)
    return _launching(plan, layout, tensors[0].device)


def _launching(plan: BoundPlan, layout: shapes.Layout, device: torch.device) -> Entry:
    """Return what allocates and launches; everything that can be decided before is."""
    launch, order, converted = plan.launch, plan.order, plan.converted
    in_order = order == tuple(range(len(order)))
    count = len(plan.problem.inputs)
    allocate = allocator(layout, device)

    def fill(tensors: list[torch.Tensor], out: torch.Tensor) -> None:
        if launch is None:
            return
        if converted:
            tensors = list(tensors)
            for place, kind in converted:
                tensors[place] = tensors[place].to(torch_dtype(kind)).contiguous()
        pointers = [tensor.data_ptr() for tensor in tensors]
        pointers.insert(count, out.data_ptr())
        if not in_order:
            pointers = [pointers[place] for place in order]
        launch(*pointers)

    def call(tensors: list[torch.Tensor]) -> torch.Tensor:
        out = allocate()
        fill(tensors, out)
        return out

    return Entry(call, None, plan, allocate, fill, steps_of(layout))


def allocator(layout: shapes.Layout, device: torch.device) -> Callable[[], torch.Tensor]:
    """Return what allocates a result: the functions that Inductor's code uses, which take a third of `torch.empty`'s time."""
    strides = steps_of(layout)
    fast = getattr(getattr(torch._C._dynamo, "guards", None), f"_empty_strided_{device.type}", None)
    alone = device.type == "cpu" or (device.type == "cuda" and torch.cuda.device_count() == 1)
    if fast is not None and alone:  # it allocates on the current device
        return functools.partial(fast, layout.shape, strides, layout.dtype)
    return functools.partial(torch.empty_strided, layout.shape, strides, dtype=layout.dtype, device=device)


def steps_of(layout: shapes.Layout) -> tuple[int, ...]:
    """Return the strides of a result."""
    if layout.strides is not None:
        return tuple(layout.strides)
    return TensorSpec.contiguous(layout.shape, DType.parse(str(layout.dtype))).strides
