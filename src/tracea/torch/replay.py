# SPDX-License-Identifier: MIT
"""The shortest way of a product that was planned before: ``matmul(a, b)`` on plain tensors, with ``out`` or not.

With ``out`` its type may be named too, and sums of fp8 be asked to stay fast; nothing else. Such calls fill the loops in which the host's
time counts. Everything a plan depends on is still compared; what is skipped is only the preparation for epilogues, options and modes
that the call does not have.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import torch
from torch.autograd import forward_ad
from tracea_core.dtypes import DType
from tracea_core.errors import AlignmentError
from tracea_core.runtime.prepared import MOVED, unmoved

from tracea.arrays import TORCH, torch_dtype
from tracea.dispatch import BoundPlan, derived, find
from tracea.ops import call as calls
from tracea.torch import packed

_Guards: Any = getattr(getattr(getattr(torch._C, "_dynamo", None), "guards", None), "TensorGuards", None)
"""A private part of PyTorch; without it, replay takes the second shortest way."""
_address_of: int = getattr(
    getattr(getattr(torch._C, "_dynamo", None), "guards", None), "_torchinductor_pyobject_tensor_data_ptr", 0
)
"""Address of the C function that tells a tensor's address to code that Inductor prints. It ends the process for what is no tensor or has no
memory, so types and dispatch keys are looked at before."""
PLAIN = (torch.Tensor, torch.nn.Parameter)
_LIMIT = 4096
_SETS = 1024
_STREAMS = 8
_modes = torch._C._len_torch_dispatch_stack
_functions = torch._C._len_torch_function_stack
_peek = torch._C._functorch.peek_interpreter_stack
_autocast = torch._C._is_any_autocast_enabled
_deterministic = torch._C._get_deterministic_algorithms
_is_traced = torch.compiler.is_dynamo_compiling  # what it asks of other tracers is seen in their tensors
_records = torch.is_grad_enabled


class _Known(NamedTuple):
    """A plan, and the sets of addresses that were found not to overlap."""

    plan: BoundPlan
    in_order: bool
    apart: set[tuple[int, int, int]]


class _Bound(NamedTuple):
    """A launch on one set of addresses.

    Attributes
    ----------
    check : callable
        Whether tensors are what they were: type, dtype, device, shape, strides, and what autograd, autocast, transforms and modes add
        (all of these have dispatch keys, in force while they are).
    recordable : bool
        Whether autograd would record a call where it records at all.
    deterministic : bool
        What `torch.use_deterministic_algorithms` said.
    device : int
        The device's number.
    calls : dict
        By stream: what queues the launch, and what has to live as long.
    there : dict
        By stream: what queues it for arguments that are where they were (`where_they_are`), and what has to live as long; made once it
        is asked for.
    """

    check: Callable[[Any, Any, Any], bool]
    recordable: bool
    deterministic: bool
    device: int
    calls: dict[int, tuple[Callable[[], int], object]]
    there: dict[int, tuple[Callable[..., int], object]]

    def known_at(
        self, stream: int, call: tuple[Callable[[], int], object], arguments: tuple[Any, ...]
    ) -> tuple[Callable[..., int], object]:
        """Return what queues this launch of a stream for arguments that are where these are, and remember it."""
        found = self.there[stream] = where_they_are(call[0], arguments), call[1]
        return found

    def keep(self, stream: int, call: tuple[Callable[[], int], object]) -> None:
        """Remember what queues the launch on a stream."""
        if len(self.calls) >= _STREAMS:
            self.calls.clear()
            self.there.clear()
        self.calls[stream] = call
        self.there.pop(stream, None)


class _Fresh(NamedTuple):
    """A product whose result is allocated.

    Attributes
    ----------
    check : callable
        Whether both factors are what they were, as in `_Bound`.
    allocate : callable
        Returns a result that is not filled.
    calls : dict
        By the addresses of factors and result and the stream: what queues the launch, and what has to live as long. Allocators give the
        same few addresses again and again.
    """

    check: Callable[[Any, Any], bool]
    recordable: bool
    deterministic: bool
    device: int
    plan: BoundPlan
    allocate: Callable[[], torch.Tensor]
    calls: dict[tuple[int, int, int, int], tuple[Callable[[], int], object]]


_Last: TypeAlias = tuple[Callable[[Any, Any, Any], bool], bool, bool, int, int, Callable[..., int], object]
"""The product that was queued last into a result's address: what `_Bound` says, and of one stream what queues it where its tensors are what
they were, and what has to live as long. A bare tuple, since Python takes those apart without asking for an iterator."""

_known: dict[tuple[Any, ...], _Known] = derived({})
_last: dict[int, _Last] = derived({})
_fresh: dict[tuple[torch.Size, torch.Size], _Fresh] = derived({})
_bound: dict[tuple[Any, ...], _Bound] = derived({})
_stream_of = getattr(torch._C, "_cuda_getCurrentRawStream", None)
_guard = threading.Lock()


@functools.cache
def _named(out_dtype: str | DType | None, fast: bool) -> tuple[torch.dtype | None, bool]:
    """What plans differ in besides their tensors: the result's type, where it was named, and whether sums may stay fast."""
    if out_dtype is None:
        return None, fast
    return torch_dtype(out_dtype if isinstance(out_dtype, DType) else DType.parse(out_dtype)), fast


def replay(a: Any, b: Any, out: Any, out_dtype: str | DType | None = None, fast: bool = False) -> Any:
    """Launch the plan of this product again if it has one; return the result, or None if nothing was launched.

    Raises
    ------
    AliasError
        If `out` shares memory with an input.
    """
    if forward_ad._current_level >= 0:  # `is_forward`, without a call
        return None
    if out is None:
        return _fresh_result(a, b) if out_dtype is None and not fast else None
    if _is_traced() or type(a) not in PLAIN or type(b) not in PLAIN or type(out) not in PLAIN:
        return None
    place = out.data_ptr()
    if out_dtype is None and not fast:
        last = _last.get(place)
        if last is not None:
            check, recordable, deterministic, device, stream, queue, _ = last
            if (
                check(a, b, out) and _stream_of(device) == stream and not _functions()  # type: ignore[misc]  # set only with streams
                and deterministic == _deterministic() and not (recordable and _records()) and not queue(a, b, out)
            ):  # fmt: skip
                return out
        return _again(a, b, out, (a.data_ptr(), b.data_ptr(), place), ())
    return _again(a, b, out, (a.data_ptr(), b.data_ptr(), place), _named(out_dtype, fast))


def _again(a: Any, b: Any, out: Any, pointers: tuple[int, int, int], asked: tuple[Any, ...]) -> Any:
    """Launch such a plan on whatever stream is current, and remember what queues it again; return the result, or None."""
    bound = _bound.get(pointers + asked)
    if bound is not None:
        check, recordable, deterministic, device, queued, there = bound
        if check(a, b, out) and not _functions() and not (recordable and _records()):
            stream = _stream_of(device)  # type: ignore[misc]  # bound only where there are streams
            call = queued.get(stream)
            if call is not None and deterministic == _deterministic() and not call[0]():
                if not asked:
                    queue, held = there.get(stream) or bound.known_at(stream, call, (a, b, out))
                    with _guard:
                        if len(_last) >= _SETS:
                            _last.clear()
                        _last[pointers[2]] = check, recordable, deterministic, device, stream, queue, held
                return out
    if _records() and (a.requires_grad or b.requires_grad or out.requires_grad):
        return None
    if packed.held and packed.registered(b):
        return None
    known = _known.get(
        (
            a.shape, a.stride(), a.dtype, a.get_device(), b.shape, b.stride(), b.dtype, b.get_device(), out.shape, out.stride(),
            out.dtype, out.get_device(), _deterministic(), *asked,
        )
    )  # fmt: skip
    if known is None or _modes() or _peek() is not None or _functions() or _autocast():
        return None
    if a.is_neg() or b.is_neg() or out.is_neg():
        return None
    plan, in_order, apart = known
    if pointers not in apart:
        plan.check_overlap(list(pointers), 2)
        if len(apart) >= _SETS:
            apart.clear()
        apart.add(pointers)
    assert plan.launch is not None
    if in_order:
        plan.launch(*pointers)
    else:
        plan.launch(*[pointers[place] for place in plan.order])
    if plan.bind is not None and _stream_of is not None:
        _bind(plan, pointers, asked, a, b, out)
    return out


def _queued(plan: BoundPlan, ordered: tuple[int, ...], stream: int) -> tuple[Callable[[], int], object] | None:
    """Return what queues such a launch again, None where nothing does: another kernel, planned for less, serves unaligned addresses."""
    if plan.bind is None:
        return None
    try:
        return plan.bind(ordered, stream)
    except AlignmentError:
        return None


def _bind(
    plan: BoundPlan,
    pointers: tuple[int, int, int],
    asked: tuple[Any, ...],
    a: torch.Tensor,
    b: torch.Tensor,
    out: torch.Tensor,
) -> None:
    """Keep what queues this launch on the current stream again."""
    assert _stream_of is not None
    check = checker(a, b, out)
    device = out.get_device()
    if check is None or device < 0:
        return
    stream = _stream_of(device)
    call = _queued(plan, tuple(pointers[place] for place in plan.order), stream)
    if call is None:
        return
    with _guard:
        known = _bound.get(pointers + asked)
        if known is None or known.device != device or not known.check(a, b, out):
            if len(_bound) >= _SETS:
                _bound.clear()
            recordable = a.requires_grad or b.requires_grad or out.requires_grad
            known = _bound[pointers + asked] = _Bound(check, recordable, _deterministic(), device, {}, {})
        known.keep(stream, call)


def _fresh_result(a: Any, b: Any) -> torch.Tensor | None:
    """Launch the plan of this product again if it has one, into a new result; return that, or None where nothing was launched."""
    if _is_traced() or type(a) not in PLAIN or type(b) not in PLAIN:
        return None
    known = _fresh.get((a.shape, b.shape))
    if known is None or not known.check(a, b) or _functions() or known.deterministic != _deterministic():
        return None
    if (known.recordable and _records()) or (packed.held and packed.registered(b)):
        return None
    plan, out = known.plan, known.allocate()
    pointers = (a.data_ptr(), b.data_ptr(), out.data_ptr())
    stream = 0 if known.device < 0 else _stream_of(known.device)  # type: ignore[misc]  # kept only where there are streams
    call = known.calls.get((*pointers, stream))
    if call is not None and not call[0]():
        return out
    assert plan.launch is not None
    ordered = tuple(pointers[place] for place in plan.order)
    plan.launch(*ordered)
    if known.device >= 0 and call is None:
        call = _queued(plan, ordered, stream)
        if call is not None:
            with _guard:
                if len(known.calls) >= _SETS:
                    known.calls.clear()
                known.calls[(*pointers, stream)] = call
    return out


def keep_fresh(a: torch.Tensor, b: torch.Tensor, plan: BoundPlan, allocate: Callable[[], torch.Tensor]) -> None:
    """Remember the plan of a product whose result is allocated."""
    device = a.get_device()
    if plan.launch is None or plan.converted or (device >= 0 and (_stream_of is None or a.dtype is torch.float32)):
        return  # in fp32 on a GPU it also depends on whether tf32 is allowed, which is slow to ask
    check = checker(a, b)
    if check is None:
        return
    with _guard:
        if len(_fresh) >= _LIMIT:
            _fresh.clear()
        _fresh[a.shape, b.shape] = _Fresh(
            check, a.requires_grad or b.requires_grad, _deterministic(), device, plan, allocate, {}
        )


def where_they_are(queue: Callable[[], int], arguments: tuple[Any, ...]) -> Callable[..., int]:
    """Return `queue` as a function of such arguments, which queues nothing and gives `MOVED` where a tensor is elsewhere.

    Parameters
    ----------
    arguments
        Tensors, and others that may be anything.
    """
    places = [(type(x), x.data_ptr()) if isinstance(x, torch.Tensor) else None for x in arguments]
    found = unmoved(queue, _address_of, places) if _address_of else None
    if found is not None:
        return found

    def compared(*given: Any) -> int:
        for x, place in zip(given, places, strict=True):
            if place is not None and (type(x) is not place[0] or x.data_ptr() != place[1]):
                return MOVED
        return queue()

    return compared


def checker(*tensors: torch.Tensor) -> Callable[..., bool] | None:
    """Return PyTorch's own check that tensors are like these, the one that its compiler guards with; None where there is none."""
    if _Guards is None:
        return None
    shapes = [list(tensor.shape) for tensor in tensors]
    strides = [list(tensor.stride()) for tensor in tensors]
    check: Callable[..., bool] = _Guards(*tensors, dynamic_dims_sizes=shapes, dynamic_dims_strides=strides).check
    return check


def keep(
    a: torch.Tensor,
    b: torch.Tensor,
    out: torch.Tensor,
    key: tuple[Any, ...],
    kind: torch.dtype | None = None,
    fast: bool = False,
) -> None:
    """Remember the plan of a product that has just been launched.

    Parameters
    ----------
    kind, fast
        The result's type, where it was named, and whether sums may stay fast.
    key : tuple
        What the plan is filed under before the keys of the three arrays.
    """
    if a.is_cuda and a.dtype is torch.float32:
        return  # it also depends on whether tf32 is allowed, which is slow to ask
    plan = find((*key, *[TORCH.key(tensor) for tensor in (a, b, out)]))
    if plan is None or plan.launch is None or plan.converted:
        return
    place = (
        a.shape, a.stride(), a.dtype, a.get_device(), b.shape, b.stride(), b.dtype, b.get_device(), out.shape, out.stride(),
        out.dtype, out.get_device(), _deterministic(), *(() if kind is None and not fast else (kind, fast)),
    )  # fmt: skip
    with _guard:
        if len(_known) >= _LIMIT:
            _known.clear()
        _known[place] = _Known(plan, plan.order == (0, 1, 2), set())


calls.again = replay
