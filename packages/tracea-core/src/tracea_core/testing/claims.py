# SPDX-License-Identifier: MIT
"""What a kernel claims beside what it does: left away, two kernels that do the same are equal.

A fault that contradicts a claim is refused, since the claim is what makes an access legal. The text need not change with it: it
says each address, and an address is the same whether or not the next lane's follows it. `tracea_core.testing.survey` asks here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tracea_core.semantic.index import COLUMN, ROW, Sym, substitute, symbols, text
from tracea_core.semantic.kernel import Buffer, Fragment, Opaque, Role, SemanticKernel, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.steps import (
    Access,
    AsyncCopy,
    AsyncLoad,
    AsyncStore,
    BufferRef,
    Fill,
    Let,
    Load,
    Mma,
    Node,
    Store,
    Transfer,
)

_CHUNK = 16
_ROW_OF_MATRIX = 8
"""Elements that lie in a row of what moves as 8x8 matrices."""
_LINEAR = (Transfer.VECTOR, Transfer.BROADCAST, Transfer.STREAM)
_MATRICES = (Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED)


def without_claims(kernel: SemanticKernel) -> SemanticKernel:
    """Return the kernel with every element moved by an address of its own.

    Runs of a copy follow from their first elements, and so do rows of 8x8 matrices.
    """
    maps = {fragment.name: fragment for role in kernel.roles for fragment in role.fragments}
    whole = {fragment.name for role in kernel.roles for fragment in role.fragments if _is_tiles(role, fragment)}
    named = {node.name for role in kernel.roles for node in walk(role.body) if isinstance(node, Let) and node.fragment}

    def first(place: Access, step: Load | Store | AsyncCopy) -> Access:
        """The place by the first of each run, unless names stand for what each element has of its own."""
        return place if symbols(place.offset) & named else _from_first(place, maps[step.fragment], step.width)

    def plain(node: Node) -> Node:
        if isinstance(node, Load | Store) and node.fragment in whole:
            return node
        if isinstance(node, Load) and node.transfer in _MATRICES and isinstance(node.source, BufferRef):
            return node.replace(source=_rows_of_matrices(node.source))
        if isinstance(node, Load | Store) and node.transfer not in (*_MATRICES, Transfer.TILE):
            field = "source" if isinstance(node, Load) else "target"
            place = getattr(node, field)
            if node.width > 1 and node.fragment in maps:
                place = first(place, node) if isinstance(place, Access) else _run(place, node, maps)
            return node.replace(transfer=Transfer.GATHER, width=1, **{field: place})
        if isinstance(node, AsyncCopy) and node.width > 1 and node.fragment in maps:
            return node.replace(source=first(node.source, node))
        return node

    return _mapped(kernel, plain)


def _rows_of_matrices(place: BufferRef) -> BufferRef:
    """A place whose rows of 8 follow from their first elements, which is all that lanes say that address them."""
    last = place.coordinates[-1]
    along = next((one for one in (ROW, COLUMN) if one.name in symbols(last)), None)
    if along is None:
        return place
    first = substitute(last, {along.name: along // _ROW_OF_MATRIX * _ROW_OF_MATRIX}) + along % _ROW_OF_MATRIX
    return place.replace(coordinates=(*place.coordinates[:-1], first))


def _run(place: BufferRef, step: Load | Store, maps: Mapping[str, Fragment]) -> BufferRef:
    """A place in a buffer whose elements follow from the first of each run, which is all that a wide access says."""
    along = _along(maps[step.fragment], step.width)
    mention = [
        number for number, index in enumerate(place.coordinates) if along is not None and along.name in symbols(index)
    ]
    if along is None or len(mention) != 1:
        return place
    coordinates = list(place.coordinates)
    first = substitute(coordinates[mention[0]], {along.name: along // step.width * step.width})
    coordinates[mention[0]] = first + along % step.width
    return place.replace(coordinates=tuple(coordinates))


def _along(fragment: Fragment, width: int) -> Sym | None:
    """The coordinate that counts within runs of `width` registers; None if none does, from multiples of `width` on."""
    rows, columns = fragment.layout.elements()
    if rows.shape[1] % width:
        return None
    along, place = (ROW, rows) if rows[0, 1] != rows[0, 0] else (COLUMN, columns)
    return None if np.any(place.reshape(-1, width)[:, 0] % width) else along


def _from_first(place: Access, fragment: Fragment, width: int) -> Access:
    along = _along(fragment, width)
    if along is None:
        return place
    return place.replace(offset=substitute(place.offset, {along.name: along // width * width}) + along % width)


def program(kernel: SemanticKernel) -> tuple[object, ...]:
    """Return the kernel without its claims, to be compared.

    Of buffers it holds where the runs begin in which elements move, chunks for matrices and copy engines; of fragments whose lanes
    their instruction fixes as well, the elements whose addresses are said.
    """
    runs = {buffer.name: max(_CHUNK // buffer.dtype.bytes, 1) for buffer in kernel.buffers}
    for role in kernel.roles:
        maps = {fragment.name: fragment for fragment in role.fragments}
        for node in walk(role.body):
            place = getattr(node, "source" if isinstance(node, Load) else "target", None)
            if isinstance(node, Load | Store) and node.transfer not in _MATRICES and isinstance(place, BufferRef):
                wide = node.width > 1 and node.fragment in maps
                along = _along(maps[node.fragment], node.width) if wide else None
                last = along is not None and along.name in symbols(place.coordinates[-1])
                runs[place.buffer] = min(runs[place.buffer], node.width if last else 1)
    buffers = tuple(
        _chunks(buffer, runs[buffer.name]) if runs[buffer.name] > 1 else buffer for buffer in kernel.buffers
    )
    fragments = tuple(_said(role, fragment) for role in kernel.roles for fragment in role.fragments)
    told = _mapped(without_claims(kernel), lambda node: _in_order(node, kernel))
    # Where no ring deals registers out, a role's budget is checked, and no step says it.
    dealt = bool(kernel.rings)
    bare = tuple(role.replace(fragments=(), registers=role.registers * dealt) for role in told.roles)
    return told.replace(buffers=(), roles=bare), fragments, *buffers


def _mapped(kernel: SemanticKernel, change: Callable[[Node], Node]) -> SemanticKernel:
    """The kernel with every node changed."""

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            changed = change(node)
            for part in ("body", "then", "otherwise"):
                if hasattr(changed, part):
                    changed = changed.replace(**{part: visit(getattr(changed, part))})
            found.append(changed)
        return tuple(found)

    return kernel.replace(roles=tuple(role.replace(body=visit(role.body)) for role in kernel.roles))


def _in_order(node: Node, kernel: SemanticKernel) -> Node:
    """A move with the coordinates of axes of equal strides in one order: their sum is the address."""
    if not isinstance(node, Load | Store | AsyncCopy | AsyncLoad | AsyncStore):
        return node
    field = "source" if isinstance(node, Load | AsyncStore) else "target"
    place = getattr(node, field)
    if not isinstance(place, BufferRef):
        return node
    buffer = kernel.buffer(place.buffer)
    coordinates = list(place.coordinates)
    first = buffer.extent is not None
    plain = [
        (axis.digits[0].stride, number + first)
        for number, axis in enumerate(buffer.layout.axes)
        if not axis.bits and len(axis.digits) == 1
    ]
    for stride in {stride for stride, _ in plain}:
        alike = [number for other, number in plain if other == stride]
        for number, index in zip(alike, sorted((coordinates[n] for n in alike), key=text), strict=True):
            coordinates[number] = index
    return node.replace(**{field: place.replace(coordinates=tuple(coordinates))})


def _said(role: Role, fragment: Fragment) -> tuple[object, ...] | Fragment:
    """A fragment, or where an instruction fixes its lanes and nothing but moves uses it besides, what its moves say.

    Of one whose lanes nobody knows, or whose tiles move whole, nothing says more than its shape.
    """
    if isinstance(fragment.opaque, Opaque) or _is_tiles(role, fragment):
        return (fragment.name, fragment.dtype, fragment.layout.shape, fragment.opaque)
    anchors: list[bytes] = []
    fixed = False
    for node in walk(role.body):
        if isinstance(node, Mma) and fragment.name in (node.a, node.b):
            fixed = True
        elif isinstance(node, Load | Store | AsyncCopy) and node.fragment == fragment.name:
            lanes = slice(0, 1) if not isinstance(node, AsyncCopy) and node.transfer in _LINEAR else slice(None)
            every = node.width
            if isinstance(node, AsyncCopy):
                fixed = True  # it holds nothing
            elif node.transfer is Transfer.MATRIX:  # four lanes hold a row of 8, two each
                lanes, every = slice(None, None, 4), 2
            elif node.transfer is Transfer.MATRIX_TRANSPOSED:  # four lanes hold the first of each row of 8
                lanes = slice(0, 4)
            anchors += [part[lanes, ::every].tobytes() for part in fragment.layout.elements()]
        elif fragment.name in _names(node):
            return fragment
    return (fragment.name, fragment.dtype, fragment.layout.shape, *anchors) if fixed else fragment


def _is_tiles(role: Role, fragment: Fragment) -> bool:
    """Whether a fragment lies in tile registers: products of an instruction on them name it, and nothing else that computes."""
    used = [node for node in walk(role.body) if fragment.name in _names(node)]
    products = [node for node in used if isinstance(node, Mma)]
    return all(isinstance(node, Mma | Fill | Load | Store) for node in used) and any(
        instruction(node.instruction).tiles for node in products
    )


def _names(node: Node) -> set[object]:
    """What a node names."""
    fields = [getattr(node, field) for field in node.__struct_fields__ if field not in ("body", "then", "otherwise")]
    several = [name for field in fields if isinstance(field, tuple) for name in field if isinstance(name, str)]
    return {*several, *(field for field in fields if isinstance(field, str))}


def _chunks(buffer: Buffer, step: int) -> tuple[object, ...]:
    """A buffer with where each run of `step` elements begins in place of its layout."""
    shape = buffer.layout.shape
    places = np.ogrid[(*map(slice, shape[:-1]), slice(0, shape[-1], step))]
    return shape, buffer.layout.at(*places).tobytes(), buffer.replace(layout=Layout(()))
