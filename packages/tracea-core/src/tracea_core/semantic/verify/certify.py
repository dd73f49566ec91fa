# SPDX-License-Identifier: MIT
"""Certification: all proofs about one kernel, in the order of their cost."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

import numpy as np

from tracea_core.semantic.chained import Chained
from tracea_core.semantic.depthwise import Depthwise
from tracea_core.semantic.forms import Form
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import SemanticKernel, shares_memory
from tracea_core.semantic.rowwise import Rowwise
from tracea_core.semantic.sweep import Sweep
from tracea_core.semantic.verify.block import check_block
from tracea_core.semantic.verify.budgets import check_budgets
from tracea_core.semantic.verify.certificate import Certificate, Proof
from tracea_core.semantic.verify.chain_meaning import check_chain_meaning
from tracea_core.semantic.verify.cover import check_cover
from tracea_core.semantic.verify.layouts import check_layouts
from tracea_core.semantic.verify.listed import check_lists
from tracea_core.semantic.verify.meaning import check_meaning
from tracea_core.semantic.verify.opaque import check_opaque
from tracea_core.semantic.verify.parts import check_parts
from tracea_core.semantic.verify.pipeline import check_pipeline
from tracea_core.semantic.verify.reads import check_reads
from tracea_core.semantic.verify.row_meaning import check_row_meaning
from tracea_core.semantic.verify.shared import check_shared
from tracea_core.semantic.verify.structure import check_domains, check_overlap, check_structure
from tracea_core.semantic.verify.types import check_types
from tracea_core.target import CapabilityProfile

_LARGEST_MAPPED = (32 << 20) - (1 << 14)
"""Bytes, a little less than the largest threshold that glibc adopts by itself (`mallopt`, ``M_MMAP_THRESHOLD``)."""
_IN_THE_HEAP = 30 << 20
"""Two of these are a little less than what it then keeps (``M_TRIM_THRESHOLD``)."""


def certify(kernel: SemanticKernel, form: Form, profile: CapabilityProfile) -> Certificate:
    """Return the certificate of `kernel`, which must compute `form` on a device like `profile`.

    Raises
    ------
    CertificationError
        Naming the first property that does not hold.
    """
    _keep_pages()
    with _uncollected():
        return Certificate(kernel.digest(), _proofs(kernel, form, profile))


def _proofs(kernel: SemanticKernel, form: Form, profile: CapabilityProfile) -> tuple[Proof, ...]:
    rows = isinstance(form, Rowwise | Chained | Depthwise)
    return (
        *check_structure(kernel),
        *check_domains(kernel, form),
        *check_reads(kernel, form),
        *check_lists(kernel, form),
        *check_types(kernel, form),
        *check_parts(kernel, form),
        *check_layouts(kernel),
        *check_opaque(kernel),
        *check_budgets(kernel, profile),
        *check_overlap(kernel, profile),
        *(check_rings(kernel, profile, rows=rows) if kernel.rings else ()),
        *(check_warps(kernel, profile, rows=rows, tall=_known_rows(form)) if shares_memory(kernel) else ()),
        *prove_meaning(kernel, form),
    )


def _keep_pages() -> None:
    """Let the allocator keep pages that arrays gave back: proofs make many of some megabytes, whose pages would each be asked for anew.

    glibc maps a large array apart and unmaps it when it is freed, until one as large was freed before: then such arrays come from its heap,
    of which it keeps twice as much. So one is freed, of which nothing is ever touched. Two more are then of the heap, for which NumPy
    asks for large pages, and arrays that come to lie there have them. Elsewhere this does nothing.
    """
    np.empty(_LARGEST_MAPPED, np.uint8)
    np.empty(_IN_THE_HEAP, np.uint8), np.empty(_IN_THE_HEAP, np.uint8)


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Let the garbage collector rest: proofs make many objects and hardly a cycle, and it would look at all that the process has."""
    resting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if resting:
            gc.enable()


def prove_meaning(kernel: SemanticKernel, form: Form, seed: int = 0, *, elsewhere: bool = False) -> tuple[Proof, ...]:
    """Prove that `kernel` computes `form`, whatever its family.

    Parameters
    ----------
    seed : int
        Seed of operands, free strides and interleavings.
    elsewhere : bool
        Run contractions and sweeps at sizes drawn at random, a second opinion; other families draw anew what the seed decides.

    Raises
    ------
    CertificationError
        If a run differs from the definition, or does what no correct kernel does.
    """
    if isinstance(form, Rowwise):
        return check_row_meaning(kernel, form, seed)
    if isinstance(form, Chained):
        return check_chain_meaning(kernel, form, seed)
    return check_meaning(kernel, form, seed, elsewhere=elsewhere)


def check_rings(kernel: SemanticKernel, profile: CapabilityProfile, *, rows: bool = False) -> tuple[Proof, ...]:
    """Return the proofs that only kernels with rings need: shared memory, tile order, and every state of the rings.

    Of kernels over whole `rows` that each is stored once is part of their meaning.
    """
    return (*check_shared(kernel, profile), *(() if rows else check_cover(kernel)), *check_pipeline(kernel))


def _known_rows(form: Form) -> int | None:
    """Rows of the output where the form says how many: those of a transposition whose columns have a known length."""
    return form.m.value if isinstance(form, Sweep) and isinstance(form.m, Const) else None


def check_warps(
    kernel: SemanticKernel, profile: CapabilityProfile, *, rows: bool = False, tall: int | None = None
) -> tuple[Proof, ...]:
    """Return the proofs that only uniform blocks need: shared memory and tile order; races are sought with the meaning.

    Kernels over whole `rows`, or strips of lines, have no order of tiles: that each is stored once is part of their meaning. Where the
    form says how many rows the output has, it is so `tall`.
    """
    return (*check_block(kernel, profile), *(() if rows else check_cover(kernel, tall)))
