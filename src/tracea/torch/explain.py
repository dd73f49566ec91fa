# SPDX-License-Identifier: MIT
"""`tracea.explain(model, *inputs)`: what ``torch.compile(model, backend="tracea")`` would do, and why, without compiling anything.

The model runs once under a backend that finds regions, decides and rewrites as the real one does, and leaves the rest of each graph to
PyTorch instead of Inductor.
"""

from __future__ import annotations

import html
import types
from collections.abc import Callable
from typing import Any

import torch
from tracea_core.data import Data
from tracea_core.errors import OptionError

from tracea import fallback
from tracea.torch.compiler import backend
from tracea.torch.compiler.policy import policy_of
from tracea.torch.compiler.report import GraphReport, RegionReport, why_left


class ModelReport(Data, frozen=True, kw_only=True):
    """What would become of a model.

    Attributes
    ----------
    model : str
        Its class.
    graphs : tuple of GraphReport
        One for each graph that Dynamo captures; more than one means that something in the model breaks graphs.
    fallbacks : tuple of str
        Calls of tracea's own operators in the model that PyTorch computed, with the reason (`tracea.fallback`).
    """

    model: str
    graphs: tuple[GraphReport, ...]
    fallbacks: tuple[str, ...] = ()

    @property
    def regions(self) -> tuple[RegionReport, ...]:
        """The regions of all graphs."""
        return tuple(region for graph in self.graphs for region in graph.regions)

    @property
    def saved_us(self) -> float:
        """Microseconds that regions that are taken or called save in a forward pass, by their trials, which may hold gradients."""
        gaining = [region for region in self.regions if (region.taken or region.called) and region.fused_us]
        return sum(region.unfused_us - region.fused_us for region in gaining)

    def __str__(self) -> str:
        """Return the report as text."""
        taken, called = (sum(getattr(region, word) for region in self.regions) for word in ("taken", "called"))
        head = (
            f"{self.model}: {_many(len(self.graphs), 'graph')}, {taken} of {_many(len(self.regions), 'region')} taken"
        )
        lines = [head + (f", {called} by PyTorch's one call" if called else "")]
        if self.saved_us:
            timed = ", gradients of what is called included" if called and any(g.gradients for g in self.graphs) else ""
            lines.append(f"the trials say that this saves {self.saved_us:.1f} µs in a forward pass{timed}")
        lines += self.fallbacks
        for number, graph in enumerate(self.graphs):
            lines += ["", f"graph {number}" + (", gradients recorded" if graph.gradients else "")]
            lines += [line for region in graph.regions for line in _lines(region)]
            lines += _left(graph)
        return "\n".join(lines)

    def to_html(self) -> str:
        """Return the report as a self-contained page."""
        rows = "".join(_row(region) for region in self.regions)
        title = html.escape(f"{self.model} compiled by tracea")
        left = "\n".join(line for graph in self.graphs for line in _left(graph))
        summary = str(self).split("\n\n")[0]
        return _PAGE.format(title=title, summary=html.escape(summary), rows=rows, left=html.escape(left))


def explain(model: Callable[..., Any], *inputs: Any, policy: str = "measured", **keywords: Any) -> ModelReport:
    """Return what ``torch.compile(model, backend="tracea")`` makes of a model: kernels, what is left, and reasons.

    Parameters
    ----------
    model : Module or callable
        What to explain. It runs once, with its effects (statistics of a batch norm in training, random numbers).
    *inputs, **keywords
        What it is called with.
    policy : {"measured", "always", "never"}
        As ``options={"tracea.policy": …}`` of `torch.compile`.

    Returns
    -------
    ModelReport
        Print it, or use ``to_json()`` or ``to_html()``.

    Raises
    ------
    OptionError
        If the policy is unknown, or the model cannot be called.
    """
    asked = policy_of({"tracea.policy": policy})
    if not callable(model):
        raise OptionError(f"a model is explained, and a {type(model).__name__} cannot be called")
    graphs: list[GraphReport] = []

    def look(module: torch.fx.GraphModule, given: list[Any]) -> Callable[..., Any]:
        regions, left, gradients = backend.take(module, asked)
        reasons = why_left(left)
        graphs.append(
            GraphReport(regions=regions, left=left, compiler="inductor", gradients=gradients, reasons=reasons)
        )
        return module.forward

    with fallback.overheard() as reasons:
        torch.compile(_as_new_code(model), backend=look)(*inputs, **keywords)
    return ModelReport(model=type(model).__name__, graphs=tuple(graphs), fallbacks=tuple(reasons))


def _as_new_code(model: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls `model`, of a code object of its own.

    Dynamo keeps what it has compiled by code object, and gives up on one after a few. Models share theirs, so the ninth explanation in
    a process would find nothing, and each would spend a part of what the user's own compilations may.
    """

    def call(*inputs: Any, **keywords: Any) -> Any:
        return model(*inputs, **keywords)

    return types.FunctionType(call.__code__.replace(), call.__globals__, call.__name__, None, call.__closure__)


def _left(graph: GraphReport) -> list[str]:
    """Return what is left of a graph, and why where tracea has kernels for it."""
    left = ", ".join(f"{count} {name}" for name, count in graph.left)
    return [
        f"  left to {graph.compiler}: {left or 'nothing'}",
        *(f"        {name}: {why}" for name, why in graph.reasons),
    ]


def _lines(region: RegionReport) -> list[str]:
    sizes = " · ".join("×".join(map(str, shape)) for shape in region.shapes)
    head = f"  {_state(region):5} {region.op} {sizes} {region.dtype} on {region.device}"
    if region.epilogue:
        head += f", epilogue {region.epilogue}"
    lines = [head, f"        nodes: {', '.join(region.nodes)}", f"        why: {region.reason}"]
    if region.taken and region.variant:
        lines.append(f"        kernel: {region.variant}, {region.configuration} ({region.origin})")
        lines.append(f"        certificate: {region.certificate[:16]}")
    if region.expected_gain or region.gain:
        lines.append(f"        gain: expected {_times(region.expected_gain)}, measured {_times(region.gain)}")
    return lines


def _state(region: RegionReport) -> str:
    """Return what became of a region: ``taken`` by a kernel, ``call`` of PyTorch's in place of steps, or ``left``."""
    return "taken" if region.taken else "call" if region.called else "left"


def _times(gain: float) -> str:
    return f"{gain:.2f}×" if gain else "nothing"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _row(region: RegionReport) -> str:
    sizes = " · ".join("×".join(map(str, shape)) for shape in region.shapes)
    kernel = f"{region.variant}<br>{region.configuration}" if region.taken else ""
    gains = [f"{gain:.2f}×" if gain else "" for gain in (region.expected_gain, region.gain)]
    cells = (", ".join(region.nodes), region.op, sizes, region.epilogue, region.reason, *gains)
    inner = "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
    return f'<tr class="{_state(region)}">{inner}<td>{kernel}</td><td>{region.certificate[:16]}</td></tr>'


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>
body {{ font: 14px system-ui, sans-serif; margin: 2rem; }}
table {{ border-collapse: collapse; }}
td, th {{ border-bottom: 1px solid #ccc; padding: .4rem .6rem; text-align: left; vertical-align: top; }}
.taken td:first-child {{ border-left: 4px solid #2a7; }}
.call td:first-child {{ border-left: 4px solid #27a; }}
.left td:first-child {{ border-left: 4px solid #bbb; }}
</style>
<h1>{title}</h1>
<pre>{summary}</pre>
<table><tr><th>nodes</th><th>op</th><th>shapes</th><th>epilogue</th><th>why</th>
<th>expected gain</th><th>measured gain</th><th>kernel</th><th>certificate</th></tr>
{rows}</table>
<pre>{left}</pre>
</html>
"""
