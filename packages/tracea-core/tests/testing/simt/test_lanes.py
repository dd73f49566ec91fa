# SPDX-License-Identifier: MIT
"""Twins of matrix instructions, written from the vendors' documents, agree with core's lane maps, which were written on their own."""

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.dtypes import DType
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.hardware import box_addresses, operand_addresses
from tracea_core.semantic.index import Const
from tracea_core.semantic.lanes import InstructionLanes, instruction, matrix_move
from tracea_core.semantic.steps import SharedOperand
from tracea_core.testing.needs import has_emulator
from tracea_core.testing.simt import SimtProgram, TensorMap

Array = npt.NDArray[np.generic]
Matrix = npt.NDArray[np.float64]


pytestmark = [pytest.mark.toolchain, pytest.mark.skipif(not has_emulator(), reason="no clang++ 16 or newer")]

_VECTOR = "typedef {type} {name} __attribute__((ext_vector_type({count})));"
_HIP = """
{vectors}
extern "C" __global__ void once(const a_t* a, const a_t* b, const c_t* c, c_t* d) {{
    const int lane = threadIdx.x;
    d[lane] = {call};
}}
"""
_MFMA = {
    "mfma_32x32x8_fp16": ("f32_32x32x8f16", "_Float16"),
    "mfma_16x16x16_fp16": ("f32_16x16x16f16", "_Float16"),
    "mfma_32x32x8_bf16": ("f32_32x32x8bf16_1k", "short"),
    "mfma_16x16x16_bf16": ("f32_16x16x16bf16_1k", "short"),
    "mfma_32x32x16_fp16": ("f32_32x32x16_f16", "_Float16"),
    "mfma_16x16x32_bf16": ("f32_16x16x32_bf16", "__bf16"),
    "mfma_32x32x2_fp32": ("f32_32x32x2f32", "float"),
    "mfma_16x16x4_fp32": ("f32_16x16x4f32", "float"),
    "mfma_16x16x8_tf32": ("f32_16x16x8_xf32", "float"),
    "mfma_16x16x4_fp64": ("f64_16x16x4f64", "double"),
    "mfma_32x32x16_int8": ("i32_32x32x16_i8", "char"),
    "mfma_16x16x32_int8": ("i32_16x16x32_i8", "char"),
    "mfma_16x16x64_int8": ("i32_16x16x64_i8", "char"),
    "mfma_32x32x16_fp8_e4m3": ("f32_32x32x16_fp8_fp8", "char"),
    "mfma_16x16x32_fp8_e5m2": ("f32_16x16x32_bf8_bf8", "char"),
}
_WMMA = {
    "wmma_gfx11_16x16x16_fp16": ("f32_16x16x16_f16_w32", "_Float16"),
    "wmma_gfx11_16x16x16_bf16": ("f32_16x16x16_bf16_w32", "short"),
    "wmma_gfx11_16x16x16_int8": ("i32_16x16x16_iu8_w32", "char"),
    "wmma_gfx12_16x16x16_fp16": ("f32_16x16x16_f16_w32_gfx12", "_Float16"),
    "wmma_gfx12_16x16x16_uint8": ("i32_16x16x16_iu8_w32_gfx12", "char"),
    "wmma_gfx12_16x16x16_fp8_e4m3": ("f32_16x16x16_fp8_fp8_w32_gfx12", "char"),
}
_MMA = {
    "mma_m16n8k16_fp16": "m16n8k16.row.col.f32.f16.f16.f32",
    "mma_m16n8k8_bf16": "m16n8k8.row.col.f32.bf16.bf16.f32",
    "mma_m16n8k16_bf16": "m16n8k16.row.col.f32.bf16.bf16.f32",
    "mma_m16n8k8_tf32": "m16n8k8.row.col.f32.tf32.tf32.f32",
    "mma_m16n8k4_tf32": "m16n8k4.row.col.f32.tf32.tf32.f32",
    "mma_m16n8k32_int8": "m16n8k32.row.col.s32.s8.s8.s32",
    "mma_m16n8k16_uint8": "m16n8k16.row.col.s32.u8.u8.s32",
    "mma_m16n8k32_fp8_e4m3": "m16n8k32.row.col.f32.e4m3.e4m3.f32",
    "mma_m16n8k32_fp8_e5m2": "m16n8k32.row.col.f32.e5m2.e5m2.f32",
}


def numbers(random: np.random.Generator, shape: tuple[int, int], dtype: DType) -> Matrix:
    """Values that every type holds exactly, and whose sums are exact in fp32."""
    low = 0 if dtype is DType.UINT8 else -4
    return random.integers(low, 5, shape).astype(np.float64)


def spread(layout: FragmentLayout, matrix: Matrix, dtype: DType) -> Array:
    """The registers of all lanes, as bytes lane by lane."""
    rows, columns = layout.elements()
    return np.ascontiguousarray(dtype.encode(matrix[rows, columns]))


def gathered(layout: FragmentLayout, registers: Array, dtype: DType) -> Matrix:
    rows, columns = layout.elements()
    matrix = np.full(layout.shape, np.nan)
    matrix[rows, columns] = dtype.decode(registers).reshape(rows.shape)
    return matrix


def check(program: SimtProgram, lanes: InstructionLanes) -> None:
    random = np.random.default_rng(lanes.k)
    assert lanes.a is not None and lanes.b is not None
    a, b = numbers(random, (lanes.m, lanes.k), lanes.operand), numbers(random, (lanes.k, lanes.n), lanes.operand)
    c = numbers(random, (lanes.m, lanes.n), lanes.accumulator)
    sums = spread(lanes.c, c, lanes.accumulator)
    result = np.zeros_like(sums)
    arguments = [spread(lanes.a, a, lanes.operand), spread(lanes.b, b, lanes.operand), sums, result]
    program.run((1,), (lanes.lanes,), arguments).require_clean()
    assert np.array_equal(gathered(lanes.c, result, lanes.accumulator), c + a @ b)


def hip_program(lanes: InstructionLanes, builtin: str, element: str, target: str) -> SimtProgram:
    assert lanes.a is not None
    scalar = {DType.FP64: "double", DType.INT32: "int"}.get(lanes.accumulator, "float")
    count = lanes.a.registers
    vectors = [_VECTOR.format(type=scalar, name="c_t", count=lanes.c.registers)]
    if element == "char":  # bytes are passed as words
        words = count // 4
        kinds = {1: "typedef int a_t;", 2: "typedef long a_t;", 4: _VECTOR.format(type="int", name="a_t", count=4)}
        wide = builtin.startswith("f32") and "gfx12" in builtin
        pairs = _VECTOR.format(type="int", name="a_t", count=words)
        vectors.append(pairs if wide or ("iu8" in builtin and words > 1) else kinds[words])
    else:
        vectors.append(
            _VECTOR.format(type=element, name="a_t", count=count) if count > 1 else f"typedef {element} a_t;"
        )
    if "iu8" in builtin:
        sign = "true" if lanes.operand is DType.INT8 else "false"
        call = f"__builtin_amdgcn_wmma_{builtin}({sign}, a[lane], {sign}, b[lane], c[lane], false)"
    elif lanes.name.startswith("wmma"):
        call = f"__builtin_amdgcn_wmma_{builtin}(a[lane], b[lane], c[lane])"
    else:
        call = f"__builtin_amdgcn_mfma_{builtin}(a[lane], b[lane], c[lane], 0, 0, 0)"
    return SimtProgram(_HIP.format(vectors="\n".join(vectors), call=call), language="hip", target=target)


@pytest.mark.parametrize("name", _MFMA)
def test_mfma(name: str) -> None:
    check(hip_program(instruction(name), *_MFMA[name], "gfx950"), instruction(name))


@pytest.mark.parametrize("name", _WMMA)
def test_wmma(name: str) -> None:
    check(hip_program(instruction(name), *_WMMA[name], "gfx1100" if "gfx11" in name else "gfx1201"), instruction(name))


def mma_text(lanes: InstructionLanes, suffix: str) -> str:
    assert lanes.a is not None and lanes.b is not None
    words = [part.registers * lanes.operand.bytes // 4 for part in (lanes.a, lanes.b)]
    count = lanes.c.registers
    kind, letter = ("int", "r") if lanes.accumulator is DType.INT32 else ("float", "f")
    places = iter(range(count + sum(words)))
    d, a, b = (", ".join(f"%{next(places)}" for _ in range(size)) for size in (count, *words))
    outputs = ", ".join(f'"+{letter}"(sums[{i}])' for i in range(count))
    inputs = ", ".join(
        f'"r"({name}[{size} * lane + {i}])' for name, size in zip("ab", words, strict=True) for i in range(size)
    )
    return (
        f'extern "C" __global__ void once(const unsigned* a, const unsigned* b, const {kind}* c, {kind}* d) {{\n'
        f"    const int lane = threadIdx.x;\n    {kind} sums[{count}];\n"
        f"    for (int i = 0; i < {count}; ++i) sums[i] = c[{count} * lane + i];\n"
        f'    asm volatile("mma.sync.aligned.{suffix} {{{d}}}, {{{a}}}, {{{b}}}, {{{d}}};" : {outputs} : {inputs});\n'
        f"    for (int i = 0; i < {count}; ++i) d[{count} * lane + i] = sums[i];\n}}\n"
    )


@pytest.mark.parametrize("name", _MMA)
def test_mma(name: str) -> None:
    lanes = instruction(name)
    check(SimtProgram(mma_text(lanes, _MMA[name]), language="cuda", target="h100"), lanes)


@pytest.mark.parametrize("transposed", [False, True])
def test_ldmatrix(transposed: bool) -> None:
    move = matrix_move(4, transposed)
    trans = ".trans" if transposed else ""
    text = f"""
extern "C" __global__ void once(const unsigned short* from, unsigned* to) {{
    __shared__ __align__(16) unsigned short tile[32 * 8];
    const int lane = threadIdx.x;
    for (int i = 0; i < 8; ++i) tile[8 * lane + i] = from[8 * lane + i];
    __syncthreads();
    unsigned w[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%0, %1, %2, %3}}, [%4];"
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "r"((unsigned)__cvta_generic_to_shared(tile + 8 * lane)));
    for (int i = 0; i < 4; ++i) to[4 * lane + i] = w[i];
}}
"""
    tile = np.arange(256, dtype=np.uint16).reshape(32, 8)
    words = np.zeros((32, 4), np.uint32)
    SimtProgram(text, language="cuda", target="a100").run((1,), (32,), [tile, words]).require_clean()
    rows, columns = move.fragment.elements()
    assert np.array_equal(words.view(np.uint16), tile[rows, columns])


@pytest.mark.parametrize("dtype", [DType.FP32, DType.FP16])
def test_simdgroup_matrix(dtype: DType) -> None:
    lanes = instruction(f"simdgroup_8x8x8_{dtype.value}")
    kind = {DType.FP32: "float", DType.FP16: "half"}[dtype]
    text = f"""
#include <metal_simdgroup_matrix>
using namespace metal;
kernel void once(device const {kind}2* a [[buffer(0)]], device const {kind}2* b [[buffer(1)]], device const float2* c [[buffer(2)]],
                 device float2* d [[buffer(3)]], uint lane [[thread_index_in_simdgroup]]) {{
    simdgroup_matrix<{kind}, 8, 8> left, right;
    simdgroup_float8x8 sums;
    left.thread_elements() = a[lane];
    right.thread_elements() = b[lane];
    sums.thread_elements() = c[lane];
    simdgroup_multiply_accumulate(sums, left, right, sums);
    d[lane] = sums.thread_elements();
}}
"""
    check(SimtProgram(text, language="metal", target="m1"), lanes)


# ---- what the copy engine and descriptors do to shared memory


def wgmma_text(columns: int, fields: str, transposed: tuple[int, int]) -> str:
    count = columns // 2
    registers = ", ".join(f"%{i}" for i in range(count))
    outputs = ", ".join(f'"+f"(sums[{i}])' for i in range(count))
    return f"""
extern "C" __global__ void once(const unsigned char* from, int bytes, int b_at, float* d) {{
    extern __shared__ __align__(1024) unsigned char tile[];
    for (int i = threadIdx.x; i < bytes; i += 128) tile[i] = from[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    const unsigned long long fields = {fields};
    const unsigned start = (unsigned)__cvta_generic_to_shared(tile);
    float sums[{count}];
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile("wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.bf16.bf16 {{{registers}}}, %{count}, %{count + 1}, 0, 1, 1, "
                 "{transposed[0]}, {transposed[1]};"
                 : {outputs} : "l"(fields | start >> 4), "l"(fields | (start + b_at) >> 4));
    asm volatile("wgmma.commit_group.sync.aligned;");
    asm volatile("wgmma.wait_group.sync.aligned 0;");
    for (int i = 0; i < {count}; ++i) d[{count} * threadIdx.x + i] = sums[i];
}}
"""


@pytest.mark.parametrize("columns", [8, 64, 96])
@pytest.mark.parametrize(
    ("swizzle", "leading", "stride", "transposed"),
    [
        (128, 0, 1024, False),
        (64, 0, 512, False),
        (32, 0, 256, False),
        (0, 128, 256, False),
        (128, 8192, 1024, True),
        (0, 2048, 128, True),
    ],
)
def test_wgmma_reads_what_the_descriptor_says(
    columns: int, swizzle: int, leading: int, stride: int, transposed: bool
) -> None:
    if transposed and columns % 64 and swizzle == 128:
        pytest.skip("a row of the swizzle holds 64 columns")
    operand = SharedOperand(
        "tile", (), Const(0), swizzle_bytes=swizzle, leading_bytes=leading, stride_bytes=stride, transposed=transposed
    )
    lanes = instruction(f"wgmma_m64n{columns}k16_bf16")
    random = np.random.default_rng(columns)
    a, b = numbers(random, (64, 16), DType.BF16), numbers(random, (16, columns), DType.BF16)
    b_at = 16384
    memory = np.zeros(2 * b_at, np.uint8)
    for matrix, start in ((a, 0), (b.T, b_at)):
        places = operand_addresses(operand, matrix.shape[0], 16, 2, start)
        values = DType.BF16.encode(matrix).view(np.uint16)
        memory[places], memory[places + 1] = values & 0xFF, values >> 8
    mode = {0: 0, 128: 1, 64: 2, 32: 3}[swizzle]
    fields = f"{leading // 16}ull << 16 | {stride // 16}ull << 32 | {mode}ull << 62"
    program = SimtProgram(
        wgmma_text(columns, fields, (int(transposed), int(transposed))), language="cuda", target="h100"
    )
    result = np.zeros((128, columns // 2), np.float32)
    program.run((1,), (128,), [memory, memory.size, b_at, result], shared_bytes=memory.size).require_clean()
    assert np.array_equal(gathered(lanes.c, result, DType.FP32), a @ b)


_BOX = """
struct alignas(64) BoxMap { unsigned char bytes[128]; };
extern "C" __global__ void once(const __grid_constant__ BoxMap map, int x, int y, unsigned char* to, int bytes) {
    extern __shared__ __align__(1024) unsigned char tile[];
    __shared__ unsigned long long barrier;
    const unsigned target = (unsigned)__cvta_generic_to_shared(tile), flag = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(flag));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(flag), "r"(bytes));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
                     ::"r"(target), "l"(&map), "r"(flag), "r"(x), "r"(y));
    }
    __syncthreads();
    asm volatile("{\\n.reg .pred done;\\nagain:\\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\\n@!done bra again;\\n}" ::"r"(flag));
    for (int i = threadIdx.x; i < bytes; i += 32) to[i] = tile[i];
}
"""


@pytest.mark.parametrize(("swizzle", "width"), [(0, 16), (32, 16), (64, 32), (128, 64)])
@pytest.mark.parametrize("origin", [(0, 0), (-8, 3), (40, 30)])
def test_a_box_lands_where_the_engine_puts_it(swizzle: int, width: int, origin: tuple[int, int]) -> None:
    random = np.random.default_rng(width)
    array = random.integers(1, 60000, (33, 72)).astype(np.uint16)
    box = (width, 16)
    landed = np.zeros(width * 16 * 2, np.uint8)
    program = SimtProgram(_BOX, language="cuda", target="h100")
    arguments = [TensorMap(array, box, swizzle), *origin, landed, landed.size]
    program.run((1,), (32,), arguments, shared_bytes=landed.size).require_clean()
    expected = np.zeros((16, width), np.uint16)
    for row in range(16):
        for column in range(width):
            y, x = origin[1] + row, origin[0] + column
            if 0 <= y < 33 and 0 <= x < 72:
                expected[row, column] = array[y, x]
    places = box_addresses(box, swizzle, 2, 0)
    seen = landed.view(np.uint16)[places // 2]
    assert np.array_equal(seen, expected)


@pytest.mark.parametrize(
    ("name", "target", "types"),
    [
        ("dpas_sg16_8x16x16_bf16", "pvc", ("bf16_bf16", "short8", "int8", "float8")),
        ("dpas_sg8_8x8x16_fp16", "dg2", ("f16_f16", "int8", "int8", "float8")),
        ("dpas_sg16_8x16x32_uint8", "pvc", ("u8_u8", "ushort8", "uint8", "int8")),
        ("dpas_sg8_8x8x32_int8", "dg2", ("i8_i8", "int8", "int8", "int8")),
    ],
)
def test_dpas(name: str, target: str, types: tuple[str, ...]) -> None:
    lanes, (kind, a, b, c) = instruction(name), types
    check(
        SimtProgram(
            f"__kernel void product(__global const {a}* a, __global const {b}* b, __global const {c}* sums, __global {c}* out) {{\n"
            "  const int lane = get_local_id(0);\n"
            f"  out[lane] = intel_sub_group_{kind}_matrix_mad_k{lanes.k}(a[lane], b[lane], sums[lane]);\n}}\n",
            language="opencl",
            target=target,
        ),
        lanes,
    )
