# SPDX-License-Identifier: MIT
"""A plan for other extents with the very kernel of a plan that exists: nothing is chosen, built, proved, printed or compiled.

Which kernel a problem gets depends on its form, in which extents are symbols, and on a configuration that its extents made look good.
Whoever calls with one extent after the other (a batch that varies) is served well by what was chosen for one nearby, and by no search
for each of them. Extents decide whether a kernel serves them at all: multiples that it counts on, requirements of its variant, integers of
32 bits. What one does not serve is planned.
"""

from __future__ import annotations

import dataclasses
import functools

from tracea_core.doctor.choose import reason_against
from tracea_core.errors import TraceaError
from tracea_core.ops.gemm import FusedGemmOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.known import Known, KnownStep
from tracea_core.pipeline.path import Path
from tracea_core.pipeline.plan import Plan, _launching
from tracea_core.policy.restated import restated
from tracea_core.semantic.build.schedules import launch_symbols
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.widths import require_widths


def rebound(made: Plan, problem: Problem) -> Plan | None:
    """Return the plan of `problem` with the kernel of another plan, None where that kernel does not serve it.

    Parameters
    ----------
    made : Plan
        Of a problem that differs by extents; where it has several kernels, or reads its inputs in a wider type, nothing is returned.
    """
    path = made.path
    alone = not (path.before or path.after or path.phases) and path.arrangement.kernels == 1
    if not alone or path.source is None or path.choice.fallback is not None or problem.is_empty:
        return None
    target, variant = path.target, path.choice.variant
    stated = problem.normalized() if isinstance(problem.op, FusedGemmOp) else problem
    stated = restated(stated, target.profile)
    if reason_against(variant, stated, target) is not None:
        return None
    try:
        lowered = lower_any(stated, variant)
        if lowered.form != path.lowered.form:
            return None
        symbols = launch_symbols(lowered, path.configuration, target.profile, variant.schedule)
        values = lowered.symbols
        if not all(symbol.admits(values.get(symbol.name, symbol.minimum)) for symbol in path.kernel.symbols):
            return None
        require_widths(path.kernel, symbols)
    except TraceaError:
        return None
    assert made.known is not None
    sizes = {name: int(value) for name, value in symbols.items()}
    step = KnownStep(path.source, path.certificate, sizes, made.known.steps[0].operands, {})
    known = Known((step,), {}, tuple(spec.dtype for spec in stated.inputs))

    def walked() -> Path:
        choice = path.choice.replace(problem=stated)
        return dataclasses.replace(path, problem=problem, choice=choice, lowered=lowered)

    return Plan(functools.cache(walked), *_launching(known, target), known)
