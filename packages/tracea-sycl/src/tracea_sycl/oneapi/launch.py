# SPDX-License-Identifier: MIT
"""What launches a kernel in SYCL C++: a free function, which the run-time compiler wants, and a host function for people who compile ahead.

Both say what the kernel fixes: work-items of a group, lanes of a sub-group, bytes of local memory.
"""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.emit.c import algebra, indices
from tracea_core.semantic.kernel import Direction, Parameter, SemanticKernel, Symbol
from tracea_core.semantic.quotient import divisor_of
from tracea_core.semantic.shared_plan import plan_of

from tracea_sycl.oneapi.dialect import STORED

PUBLIC = {
    DType.BF16: "sycl::ext::oneapi::bfloat16", DType.FP16: "sycl::half", DType.INT8: "std::int8_t", DType.UINT8: "std::uint8_t",
}  # fmt: skip
"""What callers hold, where it is not what the kernel calls it."""
_CHUNK = 16
MEMORY = "sycl::local_accessor<Run4, 1>"
"""Local memory in chunks of 16 bytes, to which it is then aligned."""


def launchers(kernel: SemanticKernel) -> str:
    """Return both functions, and the end of the namespace."""
    return f"\n{_free_function(kernel)}\n\n{_host_function(kernel)}\n\n}}  // namespace {kernel.name}_tracea\n"


def _symbol(symbol: Symbol) -> str:
    return f"{'i64' if symbol.wide else 'int'} {symbol.name}"


def _argument(parameter: Parameter, kind: str) -> str:
    return f"{'const ' if parameter.direction is Direction.READ else ''}{kind}* {parameter.name}"


def _memory(kernel: SemanticKernel) -> int:
    """Chunks of 16 bytes of local memory."""
    return -(-plan_of(kernel).bytes // _CHUNK)


def _free_function(kernel: SemanticKernel) -> str:
    """The kernel as the run-time compiler and `get_kernel` find it: by its name, local memory as its last argument."""
    pointers = [_argument(p, STORED[p.dtype]) for p in kernel.parameters]
    memory = _memory(kernel)
    arguments = ", ".join((*pointers, *map(_symbol, kernel.symbols), *([f"{MEMORY} memory"] if memory else [])))
    passed = ", ".join((
        *(p.name for p in kernel.parameters), *(s.name for s in kernel.symbols),
        "sycl::ext::oneapi::this_work_item::get_nd_item<1>()", *(["(unsigned char*)&memory[0]"] if memory else []),
    ))  # fmt: skip
    launch = f"work-groups of {kernel.launch.threads}" + (f", {memory} elements of local memory" if memory else "")
    return f"""// For the run-time compiler and for kernel bundles: {launch}.
#ifdef SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS
extern "C" SYCL_EXTERNAL SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::nd_range_kernel<1>))
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::sub_group_size<{kernel.roles[0].lanes}>))
void {kernel.name}({arguments}) {{
  work_item({passed});
}}
#endif"""


def _host_function(kernel: SemanticKernel) -> str:
    """What puts the kernel on a queue: pointers are USM of the queue's context (or any memory, where the device shares it)."""
    given = [s for s in kernel.symbols if divisor_of(s.name) is None]
    pointers = [_argument(p, PUBLIC.get(p.dtype, STORED[p.dtype])) for p in kernel.parameters]
    arguments = ",\n    ".join(
        ("sycl::queue& queue", *pointers, *map(_symbol, given), "const std::vector<sycl::event>& after = {}")
    )
    names = {s.name: algebra.symbol(s.name, s.minimum, s.maximum, wide=s.wide) for s in kernel.symbols}
    blocks = indices.term(kernel.launch.blocks, names.__getitem__).text
    lines = [f"const i64 {s.name} = reciprocal({divisor_of(s.name)});" for s in kernel.symbols if s not in given]
    lines += [
        f"const i64 blocks = {blocks};",
        "return queue.submit([&](sycl::handler& handler) {",
        "  handler.depends_on(after);",
    ]
    memory = _memory(kernel)
    if memory:
        lines.append(f"  {MEMORY} memory(sycl::range<1>({memory}), handler);")
    casts = [
        f"({'const ' if p.direction is Direction.READ else ''}{STORED[p.dtype]}*){p.name}"
        if p.dtype in PUBLIC
        else p.name
        for p in kernel.parameters
    ]
    passed = ", ".join(
        (*casts, *(s.name for s in kernel.symbols), "sycl_item", *(["(unsigned char*)&memory[0]"] if memory else []))
    )
    threads = kernel.launch.threads
    lines += [
        f"  handler.parallel_for(sycl::nd_range<1>(sycl::range<1>(blocks * {threads}), sycl::range<1>({threads})),",
        f"                       [=](sycl::nd_item<1> sycl_item) [[sycl::reqd_sub_group_size({kernel.roles[0].lanes})]] {{",
        f"    work_item({passed});",
        "  });",
        "});",
    ]  # fmt: skip
    body = "\n".join(f"  {line}" for line in lines)
    helper = "" if len(given) == len(kernel.symbols) else f"{_RECIPROCAL}\n\n"
    return f"""{helper}// Puts the kernel on a queue, after `after`, and copies nothing: pointers are USM, aligned as said above.
inline sycl::event launch(
    {arguments}) {{
{body}
}}"""


_RECIPROCAL = """// What the kernel multiplies with in place of a division by `divisor`, 1 to 2^31 - 1.
inline i64 reciprocal(i64 divisor) {
  i64 shift = 0;
  while ((i64(1) << shift) < divisor) ++shift;
  const i64 multiplier = i64(((std::uint64_t(1) << (31 + shift)) + divisor - 1) / divisor);
  return shift << 32 | (multiplier - (i64(1) << 31));
}"""
