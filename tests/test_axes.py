# SPDX-License-Identifier: MIT
"""No backend prints a coordinate beyond its axis: an address made of bits would be the same text for another element."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tracea_core.errors import TraceaError
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.steps import BufferRef, Node, SharedOperand
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.testing.faults import faults
from tracea_core.testing.survey import Outcome

from benchmarks.mutant_kernels import specimen


def beyond(kernel: SemanticKernel) -> Iterator[tuple[str, str, SemanticKernel]]:
    """Each first place in a buffer one axis further, forwards and backwards: the buffer's and the axis's name, and the kernel.

    An address made of bits says the same for all of them.
    """
    seen: set[tuple[str, str, type]] = set()
    for number, role in enumerate(kernel.roles):
        for node in walk(role.body):
            for field in ("source", "target", "a", "b"):
                place = getattr(node, field, None)
                if not isinstance(place, BufferRef | SharedOperand):
                    continue
                buffer = kernel.buffer(place.buffer)
                first = len(place.coordinates) - len(buffer.layout.axes)
                for at, axis in enumerate(buffer.layout.axes, first):
                    key = (buffer.name, axis.name, type(node))
                    if not axis.bits or key in seen:
                        continue
                    seen.add(key)
                    for by in (axis.extent, -axis.extent):
                        moved = list(place.coordinates)
                        moved[at] = moved[at] + by
                        changed = node.replace(**{field: place.replace(coordinates=tuple(moved))})
                        body = exchanged(role.body, node, changed)
                        roles = (*kernel.roles[:number], role.replace(body=body), *kernel.roles[number + 1 :])
                        yield buffer.name, axis.name, kernel.replace(roles=roles)


def exchanged(nodes: tuple[Node, ...], old: Node, new: Node) -> tuple[Node, ...]:
    """The nodes with one exchanged, wherever it stands."""
    found = []
    for node in nodes:
        parts = {
            part: exchanged(getattr(node, part), old, new)
            for part in ("body", "then", "otherwise")
            if hasattr(node, part)
        }
        found.append(new if node == old else node.replace(**parts) if parts else node)
    return tuple(found)


@pytest.mark.parametrize(
    "name",
    ["cpu-fused", "hopper", "cuda-multistage", "hip-multistage", "sycl-multistage", "metal-multistage"],
)
def test_no_emitter_prints_a_coordinate_beyond_its_axis(name: str) -> None:
    found = specimen(name)
    changed = list(beyond(found.kernel))
    assert changed
    for buffer, axis, kernel in changed:
        for emit in found.emitters.values():
            with pytest.raises(TraceaError, match=f"of '{buffer}' leaves axis '{axis}' of"):
                emit(kernel, Certificate(kernel.digest(), found.certificate.proofs))


def test_coordinates_that_were_taken_modulo_their_axis_show() -> None:
    found = specimen("sycl-multistage")
    words = (
        "warp: Load a0: source.address coordinates[1]: 3 for 4",
        "warp: Load a0: source.address coordinates[1]: % for //",
    )
    planted = [fault for fault in faults(found.kernel) if fault.words in words]
    assert len(planted) >= len(words)
    for fault in planted:
        verdict = found.judge(fault)
        assert verdict.outcome is Outcome.CAUGHT and not verdict.silent
        with pytest.raises(TraceaError, match="of 'a_tile' leaves axis 'outer' of 32"):
            found.emitters["sycl"](fault.kernel, Certificate(fault.kernel.digest(), found.certificate.proofs))
