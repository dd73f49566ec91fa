# SPDX-License-Identifier: MIT
"""The backend that Dynamo calls with each graph it captures."""

from __future__ import annotations

import copy
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from tracea_core.pipeline import Path

import tracea.torch  # noqa: F401 - registers the operators
from tracea.torch.compiler import extra, heads, keeping, lookups, policy, rewrite, views
from tracea.torch.compiler.anchors import value_of
from tracea.torch.compiler.inductor import compile_rest
from tracea.torch.compiler.pointwise import argument, name_of
from tracea.torch.compiler.regions import Found, Region, find_regions
from tracea.torch.compiler.report import BATCH_STATISTICS, GraphReport, RegionReport, count, why_left
from tracea.torch.compiler.sketch import hint
from tracea.torch.feed_forward import SETTINGS

_log = logging.getLogger("tracea")


def dynamo_backend(
    module: torch.fx.GraphModule,
    inputs: Sequence[Any],
    *,
    mode: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Callable[..., Any]:
    """Return `module` compiled: what tracea takes as its operators, the rest by Inductor.

    Parameters
    ----------
    module : torch.fx.GraphModule
        Dynamo's graph.
    inputs : sequence
        Example inputs, some of them symbolic.
    mode, options : optional
        As `torch.compile` takes them for Inductor; ``max-autotune`` tunes tracea's kernels, too. Those that begin with ``tracea.``
        are ours: ``policy`` and ``seconds`` (`tracea.torch.compiler.policy`).

    Raises
    ------
    OptionError
        If an option of ours has an unknown value.
    """
    asked, seconds = policy.policy_of(options), policy.seconds_of(options)
    tuning = policy.tuning_of(mode, options)
    rest = {key: value for key, value in (options or {}).items() if not key.startswith("tracea.")}
    found, gradients = _find(module)
    with policy.making(found.regions, asked, seconds, tuning) as made:
        spare = _copied(module) if made else None
        decisions = policy.decide(found.regions, asked, seconds, tuning, made, settle=False)
        left = _rewrite(module, decisions)
        compiled, compiler = compile_rest(module, inputs, mode, rest)
        if spare is not None:  # some kernels were made meanwhile, and are timed now
            settled = policy.decide(_find(spare)[0].regions, asked, seconds, tuning, made)
            if policy.outweighs(decisions, settled):
                decisions = policy.kept(decisions, settled)
            else:
                decisions, left = settled, _rewrite(spare, settled)
                compiled, compiler = compile_rest(spare, inputs, mode, rest)
    regions = _reports(decisions, found)
    report = GraphReport(
        regions=regions,
        left=left,
        compiler=compiler,
        recompilation=_recompiles(),
        gradients=gradients,
        reasons=why_left(left),
    )
    count(report)
    _log.debug("compiled a graph: %d of %d regions taken, rest by %s", len(report.taken), len(regions), compiler)
    return compiled


def take(
    module: torch.fx.GraphModule, asked: str, seconds: float | None = None, tuning: bool = False
) -> tuple[tuple[RegionReport, ...], tuple[tuple[str, int], ...], bool]:
    """Rewrite a graph and return what became of it: regions, nodes that are left, and whether gradients are recorded."""
    found, gradients = _find(module)
    with policy.making(found.regions, asked, seconds, tuning) as made:
        decisions = policy.decide(found.regions, asked, seconds, tuning, made)
    left = _rewrite(module, decisions)
    return _reports(decisions, found), left, gradients


def _find(module: torch.fx.GraphModule) -> tuple[Found, bool]:
    """Return the regions of a graph, and whether gradients are recorded."""
    gradients = records_gradients(module.graph)
    found = find_regions(module.graph, lambda region: policy.wanted(region, gradients))
    if gradients:
        cheap = [region.anchor.op not in SETTINGS or policy.cheap_to_differentiate(region) for region in found.regions]
        found.regions = keeping.mark(found.regions, list(module.graph.nodes), cheap)
    return found, gradients


def _rewrite(module: torch.fx.GraphModule, decisions: Sequence[policy.Decision]) -> tuple[tuple[str, int], ...]:
    """Put the operators of what is taken into a graph; return the nodes that are left."""
    graph = module.graph
    now: dict[torch.fx.Node, torch.fx.Node] = {}
    # What becomes one operator with the product that reads its result, by what that product reads.
    ahead: dict[torch.fx.Node, Region] = {}
    for decision in decisions:
        region = decision.region
        if decision.taken and region.parts is not None:
            ahead[keeping.follower_of(region).reads] = region
        elif decision.taken and region.anchor.first in ahead:
            one = ahead.pop(region.anchor.first)
            rewrite.together(graph, one, keeping.follower_of(one).between, region, now, own=True)
        elif decision.taken:
            rewrite.replace(graph, region, now, decision.channels_last, decision.sketch.laid_out)
        elif decision.one_call:
            end, after = decision.region.exit, decision.region.views
            alike = all(views.alike(end, views.through(after, steps)) for steps in heads.may_lie(decision.sketch))
            rewrite.in_one_call(graph, decision.region, now, decision.sketch, noticed=not alike)
    for region in ahead.values():
        follower = keeping.follower_of(region)
        rewrite.together(graph, region, follower.between, keeping.alone(follower.node), now, own=False)
    if any(decision.taken and decision.channels_last for decision in decisions):
        rewrite.restore_planes(graph)
    extra.sweep(graph)
    lookups.widen(graph)
    graph.lint()
    module.recompile()
    left = Counter(_left_name(n) for n in graph.nodes if n.op in ("call_function", "call_method") and not _ours(n))
    return tuple(left.most_common())


def _left_name(node: torch.fx.Node) -> str:
    """Return what a node that is left is called in reports: a batch norm by whose statistics it uses."""
    name = name_of(node)
    return BATCH_STATISTICS if name == "batch_norm" and argument(node, 5, "training", False) is not False else name


def _copied(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Return the same graph with nodes of its own, on the same tensors."""
    copied = torch.fx.GraphModule(module, copy.deepcopy(module.graph))
    copied.meta.update(module.meta)
    return copied


def _reports(decisions: Sequence[policy.Decision], found: Found) -> tuple[RegionReport, ...]:
    reports = [describe(decision) for decision in decisions]
    return tuple(reports + [_refused(node, reason) for node, reason in found.refused])


def records_gradients(graph: torch.fx.Graph) -> bool:
    """Whether a backward pass may be asked of what the graph computes."""
    if not torch.is_grad_enabled():
        return False
    tensors = (value_of(node) for node in graph.nodes if node.op in ("placeholder", "get_attr"))
    return any(tensor is not None and tensor.requires_grad for tensor in tensors)


def describe(decision: policy.Decision) -> RegionReport:
    """Return a decision as people read it."""
    sketch, path, times = decision.sketch, decision.path, decision.times
    kernel = {}
    if path is not None:
        kernel = {
            "variant": path.choice.variant.name,
            "configuration": path.configuration.describe(),
            "origin": path.configured.origin.value,
            "certificate": path.certificate.digest(),
        }
    fused = 0.0 if times is None else times.fused_channels_last if decision.channels_last else times.fused
    if times is not None and times.one_call is not None and (decision.one_call or sketch.is_called):
        fused = times.one_call
    return RegionReport(
        nodes=tuple(node.name for node in decision.region.nodes),
        op=sketch.op,
        epilogue=sketch.epilogue.describe(),
        shapes=tuple(t.shape for t in sketch.tensors[:2]),
        dtype=str(sketch.tensors[0].dtype).removeprefix("torch."),
        device=str(sketch.device),
        taken=decision.taken,
        called=decision.one_call,
        reason=decision.reason,
        fused_us=fused * 1e6,
        unfused_us=0.0 if times is None else times.unfused * 1e6,
        expected_gain=0.0 if path is None else expected_gain(path, sketch.saves_pass),
        **kernel,
    )


def expected_gain(path: Path, saves_pass: bool) -> float:
    """Return how many times faster a kernel should be than the product and, if it saves one, a pass over the result.

    The kernel's time is the core's estimate (`tracea_core.policy.arrange_time`); a pass reads and writes the result at the bandwidth of
    the device's profile. 0.0 where either is not known.
    """
    bandwidth, seconds = path.target.profile.memory_gbps * 1e9, path.arrangement.seconds
    if not bandwidth or not seconds:
        return 0.0
    moved = 2 * path.problem.output.size * path.problem.output.dtype.bytes if saves_pass else 0
    return round(1 + moved / bandwidth / seconds, 3)


def _refused(node: torch.fx.Node, reason: str) -> RegionReport:
    tensors = [tensor for tensor in (value_of(n) for n in node.all_input_nodes) if tensor is not None]
    return RegionReport(
        nodes=(node.name,),
        op=name_of(node),
        epilogue="",
        shapes=tuple(tuple(hint(e) for e in tensor.shape) for tensor in tensors[:2]),
        dtype=str(tensors[0].dtype).removeprefix("torch.") if tensors else "",
        device=str(tensors[0].device) if tensors else "",
        taken=False,
        reason=reason,
    )


def _ours(node: torch.fx.Node) -> bool:
    return getattr(node.target, "namespace", "") == "tracea"


def _recompiles() -> bool:
    """Whether Dynamo compiles code again that it has compiled before."""
    identity = torch._guards.CompileContext.current_compile_id()
    return bool(identity is not None and getattr(identity, "frame_compile_id", 0))
