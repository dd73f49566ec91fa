# SPDX-License-Identifier: MIT
"""The policy engine: device profile and topology in, decision out.

It only applies rules. It touches no hardware and measures nothing, so it answers for devices that are not there, and
the same question always gets the same answer.
"""

from __future__ import annotations

from tracea_core.doctor.few_rows import FEW_ROWS
from tracea_core.doctor.variants import Variant
from tracea_core.errors import ConfigurationError
from tracea_core.ops.problem import Problem
from tracea_core.policy.budget import budget_reason, is_cpu
from tracea_core.policy.chain_rules import CHAIN_RULES
from tracea_core.policy.channelwise import Channelwise
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.decision import PolicyDecision, PrunedSpace, Reason
from tracea_core.policy.depthwise_rules import DEPTHWISE_RULES
from tracea_core.policy.dot_rules import DOT_RULES, DOTS
from tracea_core.policy.few_row_rules import FEW_ROW_RULES
from tracea_core.policy.graph import (
    block_sparse,
    causal,
    dense,
    grouped,
    low_rank,
    split_k,
    windowed,
)
from tracea_core.policy.kinds import (
    AnyTopology,
    BlockSparse,
    Causal,
    Dense,
    Grouped,
    LowRank,
    Rows,
    TopologyKind,
    Windowed,
)
from tracea_core.policy.model import predict_seconds
from tracea_core.policy.pattern import Blocks
from tracea_core.policy.plane_strip_rules import PLANE_STRIP_RULES
from tracea_core.policy.row_rules import ROW_RULES
from tracea_core.policy.rules import RULES, Rule
from tracea_core.policy.strip_rules import STRIP_RULES
from tracea_core.policy.tiles import TileGraph, TilingKind
from tracea_core.policy.topology import OperatorTopology, topology_of
from tracea_core.target import CapabilityProfile

__all__ = [
    "AnyTopology",
    "BlockSparse",
    "Causal",
    "Dense",
    "Grouped",
    "LowRank",
    "OperatorTopology",
    "PolicyDecision",
    "PolicyEngine",
    "PrunedSpace",
    "Reason",
    "TilingKind",
    "TopologyKind",
    "Windowed",
    "tile_graph",
    "topology_of",
]


class PolicyEngine:
    """Decides for one device.

    Parameters
    ----------
    profile : CapabilityProfile
        Probed, or a preset.
    rules : tuple of Rule
        Applied in order to operators with products; by default all of `tracea_core.policy.rules`.

    Examples
    --------
    >>> from tracea_core.doctor.presets import preset
    >>> from tracea_core.dtypes import DType
    >>> operator = OperatorTopology(1, "projection", "Gemm", 4096, 4096, 4096, dtype=DType.BF16)
    >>> PolicyEngine(preset("h200")).decide(operator).hero.describe()
    '128x256x64 s4 b128 producer-consumer grouped w12 va8 vb8 vc8 f1'
    """

    def __init__(self, profile: CapabilityProfile, rules: tuple[Rule, ...] = RULES) -> None:
        self.profile = profile
        self.rules = rules

    def decide(self, work: Problem | OperatorTopology, variant: Variant | None = None) -> PolicyDecision:
        """Return how to run a problem or an operator on this device.

        Parameters
        ----------
        work : Problem or OperatorTopology
            What is to be computed.
        variant : Variant, optional
            The kind of kernel that was chosen: heroes are then those of its instruction.

        Raises
        ------
        ConfigurationError
            If no known configuration fits the device.
        UnsupportedError
            If the problem has no topology.
        """
        operator = work if isinstance(work, OperatorTopology) else topology_of(work, variant)
        if variant is not None:
            operator = operator.replace(instruction=variant.instruction, accumulate=variant.accumulate)
        profile = self.profile
        extents = f"{operator.m}×{operator.n}×{operator.k}"
        batch = f"{operator.batch} × " if operator.batch != 1 else ""
        decision = PolicyDecision(
            operator=f"{operator.name} {batch}{extents} {operator.dtype.value}", device=profile.name
        )
        for rule in self._rules(operator, variant):
            decision = rule(decision, operator, profile)
        if not decision.heroes or budget_reason(decision.heroes[0], profile, operator):
            raise ConfigurationError(
                f"no known configuration fits {profile.name}",
                hint="Pass a PipelineConfig of your own",
                operator=decision.operator,
                reason=budget_reason(decision.heroes[0], profile, operator) if decision.heroes else None,
            )
        return decision

    def _rules(self, operator: OperatorTopology, variant: Variant | None) -> tuple[Rule, ...]:
        """The rules of the operator's family."""
        if isinstance(operator.kind, Rows):
            return ROW_RULES
        if isinstance(operator.kind, Channelwise):
            if operator.kind.planes:
                return PLANE_STRIP_RULES
            return STRIP_RULES if is_cpu(self.profile) else DEPTHWISE_RULES
        if variant is not None and variant.schedule == DOTS:
            return DOT_RULES
        if variant is not None and variant.schedule == FEW_ROWS:
            return FEW_ROW_RULES
        return CHAIN_RULES if variant is not None and variant.family == "chained" else self.rules

    def fits(self, config: PipelineConfig, work: Problem | OperatorTopology) -> str | None:
        """Return why `config` cannot run this work here, or None: the filter a search applies to its candidates."""
        operator = work if isinstance(work, OperatorTopology) else topology_of(work)
        return budget_reason(config, self.profile, operator)

    def predict(self, config: PipelineConfig, work: Problem | OperatorTopology) -> float:
        """Return the roofline's lower estimate in seconds: a prior for a search, never a measurement."""
        operator = work if isinstance(work, OperatorTopology) else topology_of(work)
        return predict_seconds(config, self.profile, operator)

    def graph(
        self, work: Problem | OperatorTopology, config: PipelineConfig | None = None, blocks: Blocks | None = None
    ) -> TileGraph:
        """Return the tile graph that `config` (by default the first hero) cuts this work into, in its order."""
        operator = work if isinstance(work, OperatorTopology) else topology_of(work)
        return tile_graph(operator, config or self.decide(operator).hero, blocks, whole_k=is_cpu(self.profile))


def tile_graph(
    operator: OperatorTopology, config: PipelineConfig, blocks: Blocks | None = None, *, whole_k: bool = False
) -> TileGraph:
    """Return the tiles of an operator under a configuration, in the order that it names.

    Parameters
    ----------
    blocks : Blocks, optional
        The present blocks of a block-sparse operator, which its topology only counts.
    whole_k : bool
        On a CPU tile_k is a depth of unrolling, so k is not cut into blocks of it (split_k cuts elements instead).

    Raises
    ------
    ConfigurationError
        If a block-sparse operator comes without `blocks`, or an order does not suit the graph.
    """
    m, n, k, batch = operator.m, operator.n, operator.k, operator.batch
    step = max(-(-k // config.split_k), 1) if whole_k and isinstance(operator.kind, Dense | Grouped) else config.tile_k
    tile = (config.tile_m, config.tile_n, step)
    if operator.first_depth and not whole_k:  # a warp takes all columns of its rows, and so many keys at a time
        tile = (config.tile_m, config.tile_k, config.tile_n)
    match operator.kind:
        case LowRank(r=rank):
            graph = low_rank(m, n, k, rank, tile, batch)
        case BlockSparse(block_m=rows, block_k=columns):
            if blocks is None or (blocks.block_x, blocks.block_y) != (rows, columns):
                raise ConfigurationError(
                    f"a block-sparse operator needs its blocks of {rows}×{columns}",
                    hint="Pass blocks=Blocks.from_mask(mask, …)",
                    op=operator.name,
                )
            graph = block_sparse(m, n, k, tile, blocks, batch)
        case Windowed(left=left, right=right):
            graph = windowed(m, n, k, tile, left, right, batch=batch)
        case Causal():
            graph = causal(m, n, k, tile, batch=batch)
        case Grouped(rows=rows_of):
            graph = grouped([(rows, n, k) for rows in rows_of for _ in range(batch)], tile)
        case _:
            graph = dense(m, n, k, tile, batch)
            if config.split_k > 1:
                graph = split_k(m, n, k, tile, config.split_k, batch)
    return graph.ordered(config.order, config.group)
