# SPDX-License-Identifier: MIT
"""The text of a library: its file of C, with the tables of its calls, and its header, with a function for each."""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.export.c_text import array, number, string
from tracea_core.export.calls import MOST_RANK, ExportedCall, Step
from tracea_core.ops.spec import TensorSpec

DTYPES = {
    DType.FP64: "TRACEA_FLOAT64", DType.FP32: "TRACEA_FLOAT32", DType.BF16: "TRACEA_BFLOAT16", DType.FP16: "TRACEA_FLOAT16",
    DType.FP8_E4M3: "TRACEA_FLOAT8_E4M3", DType.FP8_E5M2: "TRACEA_FLOAT8_E5M2", DType.INT8: "TRACEA_INT8", DType.UINT8: "TRACEA_UINT8",
    DType.INT32: "TRACEA_INT32", DType.TF32: "TRACEA_TFLOAT32",
}  # fmt: skip
"""Element types as ``tracea.h`` names them."""


def header(library: str, version: str, calls: Sequence[ExportedCall], target: str) -> str:
    """Return ``LIBRARY.h``."""
    guard = f"TRACEA_LIBRARY_{library.upper()}_H"
    functions = "\n\n".join(f"{_comment(call)}\n{prototype(library, call, 'TRACEA_API ')};" for call in calls)
    return f"""/* {library}: calls of tracea {version}, for {target}.
 *
 * Each function takes the address of each tensor and a stream (a GPU's CUstream; NULL on a processor), and returns when the work is done
 * or, on a GPU, queued. Shapes and strides in elements are fixed; other extents are other calls. A GPU's function works on the device of
 * the thread's current context.
 */
#ifndef {guard}
#define {guard}

#include "tracea.h"

#ifdef __cplusplus
extern "C" {{
#endif

{functions}

/* Why this thread's last call of this library failed; empty if none did. tracea_get_last_error knows one library of a program. */
TRACEA_API const char *{library}_last_error(void);

#ifdef __cplusplus
}}
#endif
#endif
"""


def prototype(library: str, call: ExportedCall, before: str = "") -> str:
    """Return the head of a call's function."""
    pointers = ", ".join(f"const void *{name}" for name in [*call.tensors][:-1])
    return f"{before}TraceaStatus {library}_{call.name}({pointers}, void *output, void *stream)"


def _comment(call: ExportedCall) -> str:
    lines = [call.line]
    for name, spec in call.tensors.items():
        meaning = call.meanings.get(name)
        lines.append(f"{name}{f' ({meaning})' if meaning else ''}: {describe(spec)}")
    for step in call.known.steps:
        lines.append(f"kernel {step.source.entry}, certificate {step.certificate.digest()[:16]}")
    return "/* " + "\n * ".join(line.replace("*/", "* /") for line in lines) + " */"


def describe(spec: TensorSpec) -> str:
    """Return a tensor in words.

    >>> describe(TensorSpec((2, 3), DType.FP32, (3, 1))), describe(TensorSpec((2, 3), DType.FP32, (1, 2)))
    ('fp32 (2, 3)', 'fp32 (2, 3) by (1, 2)')
    """
    strides = "" if spec.is_contiguous else f" by {spec.strides}"
    return f"{spec.dtype.value} {spec.shape}{strides}"


def source(
    library: str,
    version: str,
    calls: Sequence[ExportedCall],
    kernels: Sequence[str],
    named: Sequence[Sequence[str]],
    defined: str,
    include: str,
) -> str:
    """Return ``LIBRARY.c``.

    Parameters
    ----------
    kernels : sequence of str
        Definitions of the kernels; `named` says which each step of each call has.
    defined, include : str
        What stands ahead of the backend's header, and that header.
    """
    tables = "\n\n".join(_tables(call, names) for call, names in zip(calls, named, strict=True))
    table = ",\n    ".join(_entry(call) for call in calls)
    lines = "\n    ".join(string(f"{call.name}: {call.line}\n") for call in calls)
    functions = "\n\n".join(_function(library, place, call) for place, call in enumerate(calls))
    defined = f"\n{defined}\n" if defined else ""
    return f"""/* {library}: calls of tracea {version}. The kernels' sources lie beside their code in the folder kernels. */
#include "tracea_library.h"

#define TRACEA_VERSION {string(version)}
{defined}
#include "{include}"

{chr(10).join(kernels)}

{tables}

static const TraceaCall tracea_table[{len(calls)}] = {{
    {table}}};

static const char tracea_lines[] =
    {lines};

#include "tracea_interface.h"
#include "{library}.h"

{functions}

const char *{library}_last_error(void) {{ return tracea_message; }}
"""


def _tables(call: ExportedCall, names: Sequence[str]) -> str:
    """Return the arrays that an entry of the table points at."""
    prefix = f"call_{call.name}"
    tensors = ",\n    ".join(_spec(name, spec) for name, spec in call.tensors.items())
    arrays: list[str] = []
    steps: list[str] = []
    for place, (step, kernel) in enumerate(zip(call.steps, names, strict=True)):
        begin = f"{prefix}_{place}"
        arrays += _arrays(begin, step)
        entry = string(step.known.source.entry)
        steps.append(
            f"{{&{kernel}, {entry}, {len(step.operands)}, {begin}_operands, {begin}_shifts, {begin}_alignments}}"
        )
    return "\n".join(
        (
            f"static const TraceaSpec {prefix}_tensors[{len(call.tensors)}] = {{\n    {tensors}}};",
            *arrays,
            f"static const TraceaStep {prefix}_steps[{len(steps)}] = {{\n    {f',{chr(10)}    '.join(steps)}}};",
            array("uint64_t", f"{prefix}_spaces", [number(size) for size in call.known.spaces.values()]),
        )
    )


def _arrays(begin: str, step: Step) -> tuple[str, ...]:
    alignments = [parameter.alignment for parameter in step.known.source.parameters]
    return (
        array("uint8_t", f"{begin}_operands", map(str, step.operands)),
        array("int64_t", f"{begin}_shifts", map(number, step.shifts)),
        array("uint32_t", f"{begin}_alignments", map(str, alignments)),
    )


def _spec(name: str, spec: TensorSpec) -> str:
    if spec.dtype not in DTYPES:
        raise UnsupportedError(f"tracea.h has no name for {spec.dtype.value}", hint="Export the call in another type")
    shape, strides = (
        "{" + ", ".join(map(number, (*values, *[0] * (MOST_RANK - spec.rank)))) + "}"
        for values in (spec.shape, spec.strides)
    )
    return f"{{{string(name)}, {DTYPES[spec.dtype]}, {spec.rank}, {shape}, {strides}, {str(0 in spec.shape).lower()}}}"


def _entry(call: ExportedCall) -> str:
    prefix = f"call_{call.name}"
    window = ", ".join(map(str, call.window))
    return (
        f"{{{string(call.name)}, TRACEA_OP_{call.op}, {{{window}}}, {string(call.problem.epilogue.label)}, "
        f"{len(call.tensors)}, {prefix}_tensors, {len(call.steps)}, {prefix}_steps, {len(call.known.spaces)}, "
        f"{prefix}_spaces}}"
    )


def _function(library: str, place: int, call: ExportedCall) -> str:
    pointers = ", ".join(f"(void *)(uintptr_t){name}" for name in [*call.tensors][:-1])
    return f"""{prototype(library, call)} {{
    void *const pointers[] = {{{pointers}, output}};
    return tracea_run(&tracea_backend, &tracea_table[{place}], pointers, -1, stream);
}}"""
