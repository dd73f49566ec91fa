# SPDX-License-Identifier: MIT
"""Second results leave by the way that an operand of the output's shape would come in.

A schedule is built as if it read the place of a second result: which lanes hold which elements, in what runs, behind which masks and
exchanges between lanes is then decided as for a residual. Here every such load is taken out, and where its value would have been used
the way is walked backwards: compute what is to be stored, exchange, store. So a schedule that knows residuals knows second results.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tracea_core.errors import ConfigurationError
from tracea_core.ops.auxiliary import auxiliaries, plain
from tracea_core.ops.expr import Expr
from tracea_core.semantic.build.approximation import fast_form
from tracea_core.semantic.build.computed import computed
from tracea_core.semantic.contraction import ColumnSums
from tracea_core.semantic.kernel import Direction, SemanticKernel, walk
from tracea_core.semantic.steps import Access, Compute, If, Load, Loop, Node, Staged, Store, Turn


class _Way(NamedTuple):
    """How a value would have come into a fragment: by a load, and from the fragments that it was exchanged through since."""

    load: Load
    turns: tuple[Turn, ...] = ()


def store_auxiliaries(kernel: SemanticKernel) -> SemanticKernel:
    """Return a kernel that stores its second results, where it was built to read them; any other as it is.

    Before: load ``pre``; result = gelu(pre := acc + bias); store ``result``. After: pre = acc + bias; store ``pre``;
    result = gelu(acc + bias); store ``result``.

    Raises
    ------
    ConfigurationError
        If the schedule does not read such operands element by element into registers.
    """
    written = {p.name for p in kernel.parameters if p.direction is Direction.WRITE}
    roles = tuple(role.replace(body=_Body(kernel.name, written).rewritten(role.body, {})) for role in kernel.roles)
    return kernel if roles == kernel.roles else kernel.replace(roles=roles)


def require_sums(kernel: SemanticKernel, sums: ColumnSums) -> None:
    """Refuse a kernel of a schedule that does not know sums of columns.

    Raises
    ------
    ConfigurationError
        If nothing is stored where sums go.
    """
    stores = (node.target for role in kernel.roles for node in walk(role.body) if isinstance(node, Store))
    if not any(isinstance(target, Access) and target.operand == sums.term.operand for target in stores):
        raise ConfigurationError("this schedule sums no columns", kernel=kernel.name)


class _Body:
    def __init__(self, kernel: str, written: set[str]) -> None:
        self.kernel, self.written = kernel, written

    def rewritten(self, body: tuple[Node, ...], outer: Mapping[str, _Way]) -> tuple[Node, ...]:
        """Return a body that is entered with `outer` values on their way."""
        ways, nodes = dict(outer), []
        for node in body:
            if isinstance(node, Load) and isinstance(node.source, Access) and node.source.operand in self.written:
                ways[node.fragment] = _Way(node)
            elif isinstance(node, Turn) and node.source in ways:
                load, turns = ways[node.source]
                ways[node.target] = _Way(load, (node, *turns))
            elif isinstance(node, Compute):
                nodes += self._stored(node, ways)
            elif isinstance(node, Loop | Staged):
                nodes.append(node.replace(body=self.rewritten(node.body, ways)))
            elif isinstance(node, If):
                then, otherwise = self.rewritten(node.then, ways), self.rewritten(node.otherwise, ways)
                nodes.append(node.replace(then=then, otherwise=otherwise))
            else:
                nodes.append(node)
        return tuple(nodes)

    def _stored(self, node: Compute, ways: Mapping[str, _Way]) -> list[Node]:
        """Return what computes and stores the second results of a step, and the step without them."""
        nodes: list[Node] = []
        found = auxiliaries(node.expr)
        for slot, value in found.items():
            way = ways.get(node.operands[slot])
            if way is None:
                raise ConfigurationError("this schedule cannot store a second result", kernel=self.kernel)
            nodes.append(self._computed(node, node.operands[slot], value))
            nodes += [Turn(turn.source, turn.target) for turn in way.turns]
            load = way.load
            nodes.append(Store(load.source, load.fragment, load.transfer, load.guard, load.width))
        return [*nodes, self._computed(node, node.target, plain(node.expr), node.approximate)] if found else [node]

    def _computed(self, node: Compute, target: str, expr: Expr, approximate: bool | Expr = False) -> Compute:
        form = approximate if isinstance(approximate, bool) else fast_form(expr)
        return computed(target, expr, node.dtype, node.accumulators, node.operands, form)
