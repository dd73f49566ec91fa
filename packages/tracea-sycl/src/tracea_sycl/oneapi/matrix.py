# SPDX-License-Identifier: MIT
"""Joint matrices: what a matrix is called, filled, loaded, multiplied and stored by. Source: SYCL extension sycl_ext_oneapi_matrix."""

from __future__ import annotations

from tracea_core.dtypes import DType
from tracea_core.emit.c.dialect import Packed
from tracea_core.errors import EmitError

ELEMENTS = {
    DType.BF16: "sycl::ext::oneapi::bfloat16", DType.FP16: "sycl::half", DType.INT8: "std::int8_t", DType.UINT8: "std::uint8_t",
    DType.FP32: "float", DType.INT32: "int",
}  # fmt: skip
"""What the extension calls the types of elements."""
WORDS = """// Whole matrices of a sub-group: which work-item holds which element is the device's own business.
namespace matrix = sycl::ext::oneapi::experimental::matrix;
template <class T>
INLINE auto local_tile(void* first) {
  return sycl::address_space_cast<sycl::access::address_space::local_space, sycl::access::decorated::no>((T*)first);
}"""


def element(packed: Packed) -> str:
    """Return the type of a matrix's elements.

    Raises
    ------
    EmitError
        If joint matrices do not hold it.
    """
    if packed.dtype not in ELEMENTS:
        raise EmitError(f"joint matrices do not hold {packed.dtype.value}")
    return ELEMENTS[packed.dtype]


def declaration(packed: Packed) -> str:
    """Return the declaration of a matrix; of operands it says how they lie in memory, of sums each load and store does."""
    assert packed.opaque is not None
    rows, columns = packed.layout.shape
    use = packed.opaque.use.value
    order = "" if use == "accumulator" else f", {layout(packed)}"
    return f"matrix::joint_matrix<sycl::sub_group, {element(packed)}, matrix::use::{use}, {rows}, {columns}{order}> {packed.name}"


def layout(packed: Packed) -> str:
    """Return the word for the way in which a matrix lies in memory."""
    assert packed.opaque is not None
    return f"matrix::layout::{'row_major' if packed.opaque.by_rows else 'col_major'}"


def move(what: str, packed: Packed, address: str, stride: int) -> str:
    """Return the statement that loads or stores a matrix."""
    assert packed.opaque is not None
    order = f", {layout(packed)}" if packed.opaque.use.value == "accumulator" else ""
    return f"matrix::joint_matrix_{what}(sycl_group, {packed.name}, local_tile<{element(packed)}>(&{address}), {stride}{order});"
