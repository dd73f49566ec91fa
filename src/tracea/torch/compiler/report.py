# SPDX-License-Identifier: MIT
"""What became of a model, as values: regions with their kernels, products that were left with reasons, and counts.

`tracea.explain(model, *inputs)` prints these; `tracea.torch.stats()` adds them up over the life of a process.
"""

from __future__ import annotations

import threading
from collections import Counter

from tracea_core.data import Data


class RegionReport(Data, frozen=True, kw_only=True):
    """One product and what may ride in its epilogue.

    Attributes
    ----------
    nodes : tuple of str
        Names of the graph's nodes, the product first.
    op : str
        The operator.
    epilogue : str
        Its epilogue in words.
    shapes : tuple
        Of both matrix operands; extents that vary stand with the value they had.
    dtype : str
        Type of the operands.
    device : str
        Where.
    taken : bool
        Whether the operator takes the nodes' place.
    reason : str
        Why, or why not.
    variant, configuration, origin, certificate : str
        The kernel: its variant, its configuration and where that comes from, and the digest of its certificate. Empty where there
        is none.
    called : bool
        Whether PyTorch's one call takes the place of attention's steps, where no kernel does.
    fused_us, unfused_us : float
        Microseconds of the kernel, or of that call, and of what it replaces, 0.0 where they were not measured.
    expected_gain : float
        How many times faster the kernel should be by the core's estimate, if the product alone takes as long by PyTorch and what rides
        along would be one pass over its result at the memory's bandwidth; 0.0 where there is no estimate.
    """

    nodes: tuple[str, ...]
    op: str
    epilogue: str
    shapes: tuple[tuple[int, ...], ...]
    dtype: str
    device: str
    taken: bool
    reason: str
    called: bool = False
    variant: str = ""
    configuration: str = ""
    origin: str = ""
    certificate: str = ""
    fused_us: float = 0.0
    unfused_us: float = 0.0
    expected_gain: float = 0.0

    @property
    def gain(self) -> float:
        """How many times faster the kernel, or PyTorch's call, is than what it replaces; 0.0 where that was not measured."""
        return self.unfused_us / self.fused_us if self.fused_us else 0.0


BATCH_STATISTICS = "batch_norm in training"
"""What a batch norm is called that is left with the statistics of the batch."""
_JOINED = "Inductor joins it to what stands around it, a kernel of its own would read and write it again; tried on CPUs without gradients"
_KERNELS = {
    "scaled_dot_product_attention": "a trial decides where no gradient is recorded; with gradients, PyTorch's backward pass is one kernel",
    BATCH_STATISTICS: "the batch's mean and variance are known once the whole result is, so no epilogue can hold it",
    **dict.fromkeys(("softmax", "log_softmax", "layer_norm", "rms_norm", "normalize"), _JOINED),
}
"""Why functions that are no products, and that kernels of tracea are for or hold otherwise, are left."""


def why_left(left: tuple[tuple[str, int], ...]) -> tuple[tuple[str, str], ...]:
    """Return, for each kind of node that is left and that tracea has kernels for, why."""
    return tuple((name, _KERNELS[name]) for name, _ in left if name in _KERNELS)


class GraphReport(Data, frozen=True, kw_only=True):
    """One graph: its regions, how many nodes of each kind are left to whoever compiles the rest, and why (`why_left`)."""

    regions: tuple[RegionReport, ...]
    left: tuple[tuple[str, int], ...]
    compiler: str
    recompilation: bool = False
    gradients: bool = False
    reasons: tuple[tuple[str, str], ...] = ()

    @property
    def taken(self) -> tuple[RegionReport, ...]:
        """Regions that became kernels."""
        return tuple(region for region in self.regions if region.taken)


class Stats(Data, frozen=True, kw_only=True):
    """Counts since the process began, or since `reset_stats`.

    Attributes
    ----------
    graphs : int
        Graphs that the backend was handed.
    recompilations : int
        Those of them that replaced an earlier one of the same code, because a guard failed.
    taken, left : int
        Products that became kernels, and that did not.
    reasons : tuple of (str, int)
        Why products were left, the most frequent reason first.
    """

    graphs: int = 0
    recompilations: int = 0
    taken: int = 0
    left: int = 0
    reasons: tuple[tuple[str, int], ...] = ()


_guard = threading.Lock()
_counts: Counter[str] = Counter()
_reasons: Counter[str] = Counter()


def count(report: GraphReport) -> None:
    """Add a graph to the statistics."""
    with _guard:
        _counts["graphs"] += 1
        _counts["recompilations"] += report.recompilation
        _counts["taken"] += len(report.taken)
        _counts["left"] += len(report.regions) - len(report.taken)
        _reasons.update(region.reason for region in report.regions if not region.taken)


def stats() -> Stats:
    """Return what the backend has done so far in this process."""
    with _guard:
        return Stats(
            graphs=_counts["graphs"],
            recompilations=_counts["recompilations"],
            taken=_counts["taken"],
            left=_counts["left"],
            reasons=tuple(_reasons.most_common()),
        )


def reset_stats() -> None:
    """Begin to count anew."""
    with _guard:
        _counts.clear()
        _reasons.clear()
