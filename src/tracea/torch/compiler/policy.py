# SPDX-License-Identifier: MIT
"""Which regions to take: one decision for each, with its reason, so that a model does not get slower for having asked.

Three rules. Something must ride along that costs a pass over memory; a bare product is timed, too, on a CPU while no gradients are
recorded. A backend must have a variant (the core's decision, `tracea_core.doctor.choose`, says why not). And a trial must have shown a
gain of at least `MARGIN` (`tracea.torch.compiler.trial`), or no loss where a GPU is done sooner than the host that calls it.
Convolutions are timed bare, too. Those of one graph on a CPU are decided together: all as tensors lie, or, channels-last, those that gain;
Inductor lays its own out so, and nothing moves between them and ours. On a GPU all are channels-last whoever computes them, so each is
decided alone.
Compiling and timing stop after ``options["tracea.seconds"]`` for one graph (`SECONDS` by default), the most work first; what is left then
is left to Inductor.
Kernels that workers make (`tracea.torch.compiler.making`) are taken as expected until they are timed.

``options={"tracea.policy": …}`` replaces the first and the last rule: ``always`` takes whatever a variant runs, ``never`` takes nothing.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError, TraceaError
from tracea_core.pipeline import Path

from tracea.torch.compiler import heads, keeping, row_wise, views
from tracea.torch.compiler.anchors import value_of
from tracea.torch.compiler.making import Making
from tracea.torch.compiler.regions import Region
from tracea.torch.compiler.sketch import Sketch, hint, lies_in_memory, saves_a_pass, sketch_of
from tracea.torch.compiler.trial import Times, times_of, tune
from tracea.torch.compiler.whole import WHOLE
from tracea.torch.shapes import CONVOLUTIONS
from tracea.torch.slopes import slopes_of

MARGIN = 1.03
"""How many times faster than what it replaces a kernel must have been: less may be noise."""
SECONDS = {"cpu": 10.0, "cuda": 2.0}
"""How long deciding about one graph may take by default, by the kind of device: about a fifth of what Inductor takes for a network."""
TUNING_SECONDS = 600.0
"""The same for ``mode="max-autotune"``, for which people wait."""
BARE = ("cuda",)
"""Devices on which bare products are timed, too: libraries of theirs are not the fastest for every shape."""
_LONG = 2e-5
"""Seconds of a product with what follows it from which on a GPU, not the host that calls it, is what takes time.

Of a shorter one the host's call counts. One of ours that is queued again took 6 µs beside an H200, PyTorch's 12 and, with a pass behind it,
24; so it need not gain on the device. One that takes several kernels is not queued by one call, and a bare one of those is not taken. Nor
is a bare convolution of a training step: with 35 of them ResNet-50 at batch 16 took 1.07 of Inductor's time, without 1.02.
"""
_LATE = "the time for compiling and timing kernels of one graph was used up"
_JOINED = "Inductor joins it to the steps ahead of it, and a kernel of its own would read what they store"
_INCLUDED = ", gradients included"
_NOTICED = "PyTorch's result lies otherwise, and what reads it would notice"
POLICIES = ("measured", "always", "never")
_OPTIONS = ("tracea.policy", "tracea.seconds")


@dataclass
class Decision:
    """What becomes of a region.

    Attributes
    ----------
    region : Region
        The nodes.
    sketch : Sketch
        The region with concrete sizes.
    taken : bool
        Whether an operator takes their place.
    reason : str
        Why, or why not.
    path : Path or None
        The kernel's path, where a variant runs it.
    times : Times or None
        What a trial found.
    channels_last : bool
        Whether images are given channels-last.
    one_call : bool
        Whether PyTorch's one call takes the place of what the graph spells out.
    """

    region: Region
    sketch: Sketch
    taken: bool
    reason: str
    path: Path | None = None
    times: Times | None = None
    channels_last: bool = False
    one_call: bool = False


def policy_of(options: Mapping[str, Any] | None) -> str:
    """Return the policy that ``options`` name, by default ``measured``.

    Raises
    ------
    OptionError
        If it is unknown, or another option of tracea's is.
    """
    unknown = [name for name in options or {} if name.startswith("tracea.") and name not in _OPTIONS]
    if unknown:
        raise OptionError(f"no option is called {unknown[0]!r}", hint="Known: " + ", ".join(_OPTIONS))
    policy = (options or {}).get("tracea.policy", "measured")
    if policy not in POLICIES:
        raise OptionError(f"tracea.policy={policy!r} is unknown", hint="Known: " + ", ".join(POLICIES))
    return str(policy)


def cheap_to_differentiate(region: Region) -> bool:
    """Whether the backward pass of a region needs no sums: what is wanted while gradients are recorded."""
    tensors = [value_of(feed.node) for feed in region.feeds]
    slots = tuple(slot for slot, tensor in enumerate(tensors) if tensor is not None and tensor.requires_grad)
    try:
        return not slopes_of(region.text).needs_sums(slots)
    except OptionError:
        return False


def tuning_of(mode: str | None, options: Mapping[str, Any] | None) -> bool:
    """Return whether kernels are to be tuned: ``mode="max-autotune"`` and its like, or Inductor's option ``max_autotune``."""
    return (mode or "").startswith("max-autotune") or bool((options or {}).get("max_autotune"))


def seconds_of(options: Mapping[str, Any] | None) -> float | None:
    """Return how long deciding about one graph may take, from ``options["tracea.seconds"]``; None for the default.

    Raises
    ------
    OptionError
        If it is not a number from 0 on.
    """
    seconds = (options or {}).get("tracea.seconds")
    if seconds is None:
        return None
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
        raise OptionError(f"tracea.seconds={seconds!r} is no time", hint="Give a number of seconds, 0 or more")
    return float(seconds)


def wanted(region: Region, gradients: bool) -> bool:
    """Whether a region of this extent is worth a kernel; if not, a smaller one may be.

    While gradients are recorded, what rides along must be cheap to differentiate, or end in an activation whose argument is kept. On
    devices where bare products are timed, nothing rides along that Inductor joins to what follows.
    """
    if region.anchor.op in (heads.NAME, heads.MASKED):
        return region.exit is region.anchor.node
    if region.anchor.op in row_wise.OPERATORS:
        return not region.epilogue.gated
    if gradients and not cheap_to_differentiate(region) and keeping.parts_of(region) is None:
        return False
    first = value_of(region.anchor.first)
    bare = first is not None and first.device.type in BARE and region.anchor.op not in CONVOLUTIONS
    return not (bare and region.rides) or saves_a_pass(region)


def making(regions: Sequence[Region], policy: str, seconds: float | None, tuning: bool) -> Making:
    """Begin to make the kernels that these regions may want and that no cache holds."""
    if policy != "measured" or tuning or seconds == 0:
        return Making(())
    sketches = [sketch_of(region) for region in regions]
    digests = [sketch.digest() for sketch in sketches]
    wanted = [
        place
        for place in _by_work(sketches, digests)
        if not (sketches[place].is_called or _against(regions[place], sketches[place]))
    ]
    return Making([sketches[place] for place in wanted], _plan)


def _plan(sketch: Sketch) -> None:
    """Plan a region in a thread, as its decision will want it, which then is timed by who has nothing else to do.

    Beside a thread that compiles, events are recorded when the interpreter gets to it: trials of ResNet-50 took 13 convolutions for losses
    instead of 7.
    """
    if sketch.device.type == "cuda":
        torch.cuda.set_device(sketch.device)
    sketch.entry()


def decide(
    regions: Sequence[Region],
    policy: str = "measured",
    seconds: float | None = None,
    tuning: bool = False,
    made: Making | None = None,
    settle: bool = True,
) -> list[Decision]:
    """Return a decision for each region.

    Parameters
    ----------
    regions : sequence of Region
        Those of one graph.
    policy : str
        One of `POLICIES`.
    seconds : float, optional
        After this long no kernel that is not known yet is compiled or timed; ``always`` takes the time it takes.
    tuning : bool
        Whether each kernel is tuned, epilogue included, before it is timed against what it replaces; `TUNING_SECONDS` is the default
        time then.
    made : Making, optional
        Kernels that are being made.
    settle : bool
        Whether to wait for those, as long as there is time; otherwise what is expected decides about their regions.
    """
    begin, spent = time.monotonic(), 0.0 if made is None else made.seconds
    sketches = [sketch_of(region) for region in regions]
    digests = [sketch.digest() for sketch in sketches]
    decided, decisions, timed = set[str](), dict[int, Decision](), dict[str, Times]()
    order = _by_work(sketches, digests)
    for place in sorted(order, key=lambda place: sketches[place].op in row_wise.OPERATORS):
        region, sketch, digest = regions[place], sketches[place], digests[place]
        limit = seconds
        if limit is None:
            limit = TUNING_SECONDS if tuning else max(SECONDS.get(sketch.device.type, 2.0), _patience(sketch, spent))
        if made is not None and made.wants(digest) and not settle:
            decisions[place] = _expected(region, sketch)
            continue
        made_here = made is not None and made.wants(digest)
        done = made is not None and made.done(digest, begin + limit)
        over = time.monotonic() > begin + limit
        if policy == "measured" and digest not in decided and (not done if made_here else over):
            decisions[place] = Decision(region, sketch, False, f"{_LATE}, {limit:g} s")
            continue
        taken = {other.region.exit for other in decisions.values() if other.taken}
        if policy == "measured" and sketch.op in row_wise.OPERATORS and not lies_in_memory(region, taken):
            decisions[place] = Decision(region, sketch, False, _JOINED)
            continue
        decisions[place] = _alone(region, sketch, policy, tuning and digest not in decided, timed.get(digest))
        decided.add(digest)
        found = decisions[place].times
        if (
            found is not None
        ):  # a trial that is not kept would be made again for each equal region, and might end otherwise
            timed[digest] = found
    in_order = [decisions[place] for place in range(len(regions))]
    if policy == "measured":
        _together([d for d in in_order if d.sketch.op in CONVOLUTIONS and not d.sketch.laid_out])
    return in_order


def _patience(sketch: Sketch, spent: float) -> float:
    """Return how long to wait for a kernel that is being made, if the rest of its graph took so long.

    Without one that was taken as expected that much would be spent once more. For others it is a fifth, as for all that is decided.
    """
    return spent if sketch.saves_pass else spent / 5


def _by_work(sketches: Sequence[Sketch], digests: Sequence[str]) -> list[int]:
    """Return the places of regions in the order in which they are decided, equal ones together: the most work first."""
    total = Counter[str]()
    for digest, sketch in zip(digests, sketches, strict=True):
        total[digest] += sketch.work
    return sorted(range(len(sketches)), key=lambda place: (-total[digests[place]], place))


def _against(region: Region, sketch: Sketch) -> str:
    """Return why a region is not even tried."""
    if sketch.op in CONVOLUTIONS or sketch.op in WHOLE or (not region.rides and sketch.device.type in BARE):
        return ""
    if sketch.device.type == "cpu" and not _is_recorded(region):
        return ""
    if not region.rides:
        return "nothing rides along, so a kernel of its own gains nothing"
    return "" if sketch.saves_pass else "Inductor joins what rides along to what follows, so nothing is saved"


def _lies_otherwise(region: Region, sketch: Sketch) -> str:
    """Return why a result that is no product could not stand for PyTorch's, if it could not: views of it may follow."""
    if sketch.op not in WHOLE:
        return ""
    result = value_of(region.exit)
    assert result is not None
    steps = tuple(hint(step) for step in result.stride())
    ours = views.through(region.views, WHOLE[sketch.op].strides(sketch))
    if sketch.op in row_wise.OPERATORS and sketch.tensors[0].stride() != ours:
        return (
            "its rows do not lie one behind another in this graph, and Inductor may lay them out so where it is free to"
        )
    return "" if ours == steps or views.alike(region.exit, ours) else _NOTICED


def _expected(region: Region, sketch: Sketch) -> Decision:
    """Return what becomes of a region until its kernel is timed."""
    if not sketch.saves_pass:
        return Decision(
            region, sketch, False, "no pass is saved; its kernel is being made and timed for the next process"
        )
    return Decision(region, sketch, True, "expected to gain; its kernel is being made", channels_last=sketch.laid_out)


def outweighs(decisions: Sequence[Decision], settled: Sequence[Decision]) -> bool:
    """Whether what was taken as expected is at least as fast as what it replaces, all together, now that it has been timed."""
    taken = [after.times for before, after in zip(decisions, settled, strict=True) if before.taken]
    known = [times for times in taken if times is not None]
    return len(known) == len(taken) and sum(t.fused for t in known) <= sum(t.unfused for t in known)


def kept(decisions: Sequence[Decision], settled: Sequence[Decision]) -> list[Decision]:
    """Return what was taken as expected, with the figures that are known now."""
    found = []
    for before, after in zip(decisions, settled, strict=True):
        if (before.taken, before.one_call) == (after.taken, after.one_call):
            found.append(after)
            continue
        reason = f"{after.reason}; decided so from the next process on"
        found.append(
            replace(
                after,
                taken=before.taken,
                channels_last=before.channels_last,
                one_call=before.one_call,
                reason=reason,
            )
        )
    return found


def _alone(region: Region, sketch: Sketch, policy: str, tuning: bool = False, times: Times | None = None) -> Decision:
    if policy == "never":
        return Decision(region, sketch, False, "the policy 'never' was asked for")
    if sketch.is_called:
        return _in_one_call(region, sketch, policy, times)
    against = _lies_otherwise(region, sketch) or (_against(region, sketch) if policy == "measured" else "")
    if against:
        return Decision(region, sketch, False, against)
    try:
        if tuning:
            tune(sketch)
        entry = sketch.entry()
    except TraceaError as error:
        return Decision(region, sketch, False, f"no kernel: {error.message}")
    path = entry.path
    if entry.reason is not None or path is None:
        reason = "the result is empty" if entry.reason is None else entry.reason.message
        return Decision(region, sketch, False, f"no kernel: {reason}")
    fallback = path.choice.fallback
    if fallback is not None and not (
        fallback.exact or fallback.used is DType.TF32
    ):  # which PyTorch's flags allow it as well
        return Decision(region, sketch, False, f"precision would change: {fallback.describe()}", path)
    if policy == "always":
        return Decision(region, sketch, True, "the policy 'always' was asked for", path, None, sketch.laid_out)
    try:
        times = times_of(sketch, path.configuration.describe()) if times is None else times
    except (TraceaError, RuntimeError) as error:
        return Decision(region, sketch, False, f"the trial failed: {error}", path)
    if times.one_call is not None and times.one_call < min(times.fused, times.unfused / MARGIN):
        said = f"{_said(times.fused, times.unfused)}; PyTorch's one call, {times.one_call * 1e6:.1f} µs, stands for its steps"
        return Decision(region, sketch, False, said, path, times, one_call=True)
    short = times.unfused < _LONG
    apart = sketch.op in CONVOLUTIONS or sketch.op in WHOLE  # which the dispatcher calls, and that takes longer
    if short and _is_bare(region, sketch) and (not entry.queues or apart):
        kind = "convolution" if sketch.op in CONVOLUTIONS else "product"
        word = "too short" if sketch.op in WHOLE else f"too short a {kind}"
        reason = f"{_said(times.fused, times.unfused)}; {word} to be called from here"
        return Decision(region, sketch, False, reason, path, times)
    needed = 1.0 if short and entry.queues else MARGIN
    taken = times.unfused / times.fused >= needed
    said = _said(times.fused, times.unfused, needed) + _INCLUDED * any(sketch.recorded)
    return Decision(region, sketch, taken, said, path, times, sketch.laid_out and taken)


def _in_one_call(region: Region, sketch: Sketch, policy: str, times: Times | None) -> Decision:
    """Return whether PyTorch's one call takes the place of steps whose gradients are recorded."""
    if policy == "always":
        return Decision(region, sketch, False, "the policy 'always' was asked for: PyTorch's one call", one_call=True)
    try:
        times = times_of(sketch, "") if times is None else times
    except torch.OutOfMemoryError:
        said = "its steps do not fit into the memory that is left; PyTorch's one call stores no scores"
        return Decision(region, sketch, False, said, one_call=True)
    except (TraceaError, RuntimeError) as error:
        return Decision(region, sketch, False, f"the trial failed: {error}")
    assert times.one_call is not None
    said = f"{times.one_call * 1e6:.1f} µs by PyTorch's one call against {times.unfused * 1e6:.1f} µs{_INCLUDED}"
    return Decision(region, sketch, False, said, None, times, one_call=times.unfused / times.one_call >= MARGIN)


def _is_bare(region: Region, sketch: Sketch) -> bool:
    """Whether a kernel gains nothing but its own time; where tensors are laid out, only while gradients are recorded."""
    if sketch.saves_pass:
        return False
    return not sketch.laid_out or (not region.rides and _is_recorded(region))


def _is_recorded(region: Region) -> bool:
    """Whether gradients of a region's product are recorded."""
    result = value_of(region.anchor.node)
    return result is not None and result.requires_grad


def _together(decisions: Sequence[Decision]) -> None:
    """Take all convolutions of a graph as tensors lie, or those that gain channels-last, or none: whatever is fastest in total."""
    late = next((decision.reason for decision in decisions if decision.reason.startswith(_LATE)), None)
    decisions = [decision for decision in decisions if decision.times is not None]
    if not decisions:
        return
    if late is not None:
        for decision in decisions:
            decision.taken, decision.reason = False, f"convolutions are decided together: {late}"
        return
    times = [decision.times for decision in decisions if decision.times is not None]
    gaining = [t.unfused / t.fused_channels_last >= MARGIN for t in times]
    as_is, unfused = sum(t.fused for t in times), sum(t.unfused for t in times)
    moved = sum(t.fused_channels_last if gains else t.unfused for t, gains in zip(times, gaining, strict=True))
    fused, channels_last = min((as_is, False), (moved, True))
    recorded = any(any(decision.sketch.recorded) for decision in decisions)
    together = f"the {len(times)} convolutions of the graph together: " + _said(fused, unfused) + _INCLUDED * recorded
    for decision, gains in zip(decisions, gaining, strict=True):
        alone = channels_last and not gains
        decision.taken = unfused / fused >= MARGIN and not alone
        decision.channels_last = decision.taken and channels_last
        decision.reason = f"{together}; {decision.reason}" if alone else together


def _said(fused: float, unfused: float, needed: float = MARGIN) -> str:
    gain = unfused / fused
    words = f"measured {fused * 1e6:.1f} µs fused against {unfused * 1e6:.1f} µs, {gain:.2f}×"
    if gain < needed:
        return f"{words}, less than {needed:g}×"
    return words if gain >= MARGIN else f"{words}, and the host is done with it sooner"
