# SPDX-License-Identifier: MIT
"""CUDA C++ for sm_90a: rings of mbarriers, box copies, warpgroup matrix instructions, clusters.

Parameters come in this order: box descriptors (`tracea_core.emit.source.box_maps`), pointers, integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tracea_core.dtypes import DType
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Packed, SharedPlace
from tracea_core.emit.source import box_key, box_maps
from tracea_core.errors import EmitError
from tracea_core.semantic.kernel import Buffer, Role, SemanticKernel, Space, walk
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.phases import sharers
from tracea_core.semantic.shared_plan import BARRIER_BYTES, plan_of
from tracea_core.semantic.steps import AsyncKind, Barrier, Box, Multicast, Scope, SharedOperand, Side

from tracea_cuda.emit.dialect import PTX, TYPES, CudaDialect

_SWIZZLE = {0: 0, 128: 1, 64: 2, 32: 3}
_WARP = 32
_ARRIVE = """INLINE void named_arrive(int number, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}"""
_LOAD = """INLINE void box_load(unsigned target, const BoxMap* map, unsigned barrier, i64 policy, int x, int y, int z, int w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint"
      " [%0], [%1, {%4, %5, %6, %7}], [%2], %3;"
      ::"r"(target), "l"(map), "r"(barrier), "l"(policy), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
}"""
_SETTLE = """template <int count> INLINE void settle(unsigned (&registers)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) asm volatile("" : "+r"(registers[i])::"memory");
}"""
_FILE = 65536  # 32-bit registers of a multiprocessor (CUDA C++ Programming Guide, compute capability 9.0)


class HopperDialect(CudaDialect):
    """The words that sm_90a adds."""

    idioms = ("common.cuh", "hopper.cuh")

    def __init__(self) -> None:
        super().__init__()
        self.walks = False
        self._barriers: dict[tuple[str, str], int] = {}

    # ---- structure

    def preamble(self) -> str:
        """Return the idioms, those of walks over windows where there are any."""
        self.idioms = (*type(self).idioms, *(("windows.cuh",) if self.walks else ()))
        return super().preamble()

    def leading_parameters(self, kernel: SemanticKernel) -> Iterable[str]:
        """Return the box descriptors."""
        return (f"const __grid_constant__ BoxMap {box.name}" for box in box_maps(kernel))

    def block_lines(self, kernel: SemanticKernel) -> Iterable[str]:
        """Return thread and block numbers, shared memory, and the start of all barriers before any role begins."""
        self.kernel = kernel
        cluster = kernel.launch.cluster
        yield "const int thread = threadIdx.x;"
        yield "const int block = blockIdx.x, blocks = gridDim.x;"
        yield f"const int cluster_rank = {f'block % {cluster}' if cluster > 1 else 0};"
        plan = plan_of(kernel)
        yield "extern __shared__ unsigned char shared_memory[];"
        yield f"const unsigned shared = (shared_address(shared_memory) + {plan.alignment - 1}) & ~{plan.alignment - 1}u;"
        yield "const unsigned " + ", ".join(f"{name} = shared + {place}" for name, place in plan.buffers) + ";"
        for ring in kernel.rings:
            full, empty = dict(plan.full)[ring.name], dict(plan.empty)[ring.name]
            yield f"const unsigned {ring.name}_full = shared + {full}, {ring.name}_empty = shared + {empty};"
        for name, place in plan.meetings:
            yield f"const unsigned {name} = shared + {place};"
        yield "if (thread == 0) {"
        for box in box_maps(kernel):
            yield f"  prefetch_map(&{box.name});"
        for ring in kernel.rings:
            yield f"  for (int slot = 0; slot < {ring.slots}; ++slot) {{"
            yield f"    barrier_init({ring.name}_full + {BARRIER_BYTES} * slot, {ring.full_arrivals});"
            yield f"    barrier_init({ring.name}_empty + {BARRIER_BYTES} * slot, {ring.empty_arrivals});"
            yield "  }"
        for name, _ in plan.meetings:
            yield f"  barrier_init({name}, {cluster * _instances(kernel, _who_meets(kernel, name))});"
        yield "  barrier_init_fence();"
        yield "}"
        yield "cluster_sync();" if cluster > 1 else "__syncthreads();"

    def close_lines(self, kernel: SemanticKernel) -> Iterable[str]:
        """Blocks of a cluster leave together, since each may still be told about a slot of another."""
        return ("cluster_sync();",) if kernel.launch.cluster > 1 else ()

    def role_lines(self, kernel: SemanticKernel, role: Role) -> Iterable[str]:
        """Return the change from the registers the launch gives every thread to the role's own, and its place at meetings."""
        share = _FILE // (kernel.launch.threads * (kernel.launch.together or 1)) // 8 * 8
        if role.registers and role.registers != share:
            yield f"{'lower' if role.registers < share else 'raise'}_registers<{role.registers}>();"
        for name, _ in plan_of(kernel).meetings:
            if _who_meets(kernel, name) == role.name:
                yield f"int {name}_phase = 0;"

    def uniform(self, value: str) -> str:
        """Return what lane 0 of the warp holds, which the compiler keeps in uniform registers, as descriptors want it."""
        return f"__shfl_sync(0xffffffffu, {value}, 0)"

    # ---- shared memory by address

    def _address(self, buffer: Buffer, offset: Term) -> str:
        if buffer.space is not Space.SHARED:
            raise self._none(f"{buffer.space.value} buffers")
        if offset.constant == 0:
            return buffer.name
        bytes_ = buffer.dtype.bytes
        return (
            f"{buffer.name} + {bytes_} * ({offset.text})"
            if offset.constant is None
            else f"{buffer.name} + {bytes_ * offset.constant}"
        )

    def element(self, buffer: Buffer, offset: Term, rank: Term | None = None) -> str:
        """Return a shared element, of this block or of another one of the cluster."""
        kind, address = TYPES[buffer.dtype], self._address(buffer, offset)
        if rank is None:
            return f"at<{kind}>({address})"
        return f"in_block<{kind}>({rank.text}, {address})"

    def matrix_store(
        self, packed: Packed, word: int, matrices: int, buffer: Buffer, offset: Term, transposed: bool
    ) -> str:
        """Return stmatrix."""
        words = ", ".join(f"{packed.name}[{word + i}]" for i in range(matrices))
        name = "store_matrices"
        if transposed:
            name = f"store_matrices{matrices}_transposed"
            self.used.setdefault(name, _stmatrix(name, matrices))
        return f"{name}({self._address(buffer, offset)}, {words});"

    # ---- barriers and rings

    def barrier(self, kernel: SemanticKernel, role: Role, scope: Scope, name: str) -> str:
        """Return a named barrier of a role's instance, or the block's own (number 0)."""
        if scope is Scope.BLOCK:
            return "__syncthreads();"
        if scope is Scope.CLUSTER:
            here = self.barrier(kernel, role, Scope.ROLE, name).split(";")[0]
            return f"{here}; meet({name}, {kernel.launch.cluster}, lane, {name}_phase);"
        if scope is not Scope.ROLE:
            raise self._none(f"barriers of a {scope.value}")
        return f"named_barrier({self._barrier(role, name, role.name)}, {role.lanes});  // {name}"

    def _barrier(self, role: Role, name: str, instance: str) -> str:
        """The number of an instance's barrier; number 0 is the whole block's."""
        assert self.kernel is not None
        after = 1 + sum(_instances(self.kernel, known) for known, _ in self._barriers)
        first = self._barriers.setdefault((role.name, name), after)
        return f"{first} + {instance}" if role.instances > 1 else str(first)

    def await_turn(self, role: Role, token: str, threads: int) -> str:
        """Return the wait at the instance's own barrier."""
        return f"named_barrier({self._barrier(role, token, role.name)}, {threads});  // {token}"

    def signal_turn(self, role: Role, token: str, target: Term, threads: int) -> str:
        """Return the arrival at another instance's barrier."""
        self.used.setdefault("named_arrive", _ARRIVE)
        return f"named_arrive({self._barrier(role, token, target.text)}, {threads});  // {token}"

    def acquire(self, ring: str, side: Side, slot: str, phase: str) -> str:
        """Return the wait for a phase."""
        return f"barrier_wait({ring}_{side.value} + {BARRIER_BYTES} * {slot}, {phase});"

    def expect(self, ring: str, slot: str, bytes_: int) -> str:
        """Return the arrival that announces bytes."""
        return f"barrier_expect({ring}_full + {BARRIER_BYTES} * {slot}, {bytes_});"

    def release(self, kernel: SemanticKernel, role: Role, ring: str, slot: str, by_warps: bool) -> str:
        """Return the arrival by one thread, of the warpgroup or of each warp, for each block that shares loads with this one."""
        barrier = f"{ring}_empty + {BARRIER_BYTES} * {slot}"
        met, lane = ("__syncwarp(); ", "lane % 32") if by_warps else ("", "lane")
        groups = kernel.ring(ring).multicast
        cluster = kernel.launch.cluster
        if cluster == 1 or not groups:
            return f"{met}if ({lane} == 0) barrier_arrive({barrier});"
        if len(sharers(0, groups)) == cluster:
            return f"{met}if ({lane} < {cluster}) barrier_arrive_at({barrier}, {lane});"
        tests = " || ".join(_same_group(group, lane) for group in groups)
        return f"{met}if ({lane} < {cluster} && ({tests})) barrier_arrive_at({barrier}, {lane});"

    # ---- copies

    def _map(self, box: Box) -> str:
        assert self.kernel is not None
        names = {box_key(known): known.name for known in box_maps(self.kernel)}
        return names[box_key(box)]

    def async_load(
        self, box: Box, origin: Sequence[Term], buffer: Buffer, offset: Term, ring: str, share: Multicast | None,
        once: str | None,
    ) -> str:  # fmt: skip
        """Return the box copy, to one block or to a group of the cluster."""
        place = ", ".join(coordinate.text for coordinate in origin)
        if box.pixels is None:
            if len(box.shape) == 4:
                self.used.setdefault("box_load4", _LOAD)
            load, place = "box_load", f"{'keep' if once is None else f'{once} ? leave_first : keep'}, {place}"
        else:
            self.walks, load = True, "windows_load"
        barrier = f"{ring}_full + {BARRIER_BYTES} * {ring}_slot"
        target = self._address(buffer, offset)
        if share is None:
            return f"{load}({target}, &{self._map(box)}, {barrier}, {place});"
        members = sum(1 << (i * share.stride) for i in range(share.count))
        assert self.kernel is not None
        if share.count == self.kernel.launch.cluster:
            mask = f"{members:#x}"
        else:
            mask = f"{members:#x} << (cluster_rank - cluster_rank / {share.stride} % {share.count} * {share.stride})"
        return f"{load}_shared({target}, &{self._map(box)}, {barrier}, {mask}, {place});"

    def async_store(self, box: Box, origin: Sequence[Term], buffer: Buffer, offset: Term) -> str:
        """Return the box copy to global memory."""
        place = ", ".join(coordinate.text for coordinate in origin)
        return f"box_store(&{self._map(box)}, {self._address(buffer, offset)}, {place});"

    def fetch(self, box: Box, origin: Sequence[Term]) -> str:
        """Return the request for a box."""
        dimensions = len(box.shape)
        self.used.setdefault(f"box_fetch{dimensions}", _fetch(dimensions))
        return f"box_fetch(&{self._map(box)}, {', '.join(coordinate.text for coordinate in origin)});"

    def commit(self, kind: AsyncKind) -> str:
        """Return the end of a group."""
        return {AsyncKind.MMA: "mma_commit();", AsyncKind.STORE: "store_commit();"}[kind]

    def wait(self, kind: AsyncKind, pending: int) -> str:
        """Return the wait for all but `pending` groups."""
        return {AsyncKind.MMA: f"mma_wait<{pending}>();", AsyncKind.STORE: f"store_wait<{pending}>();"}[kind]

    def proxy_fence(self) -> str:
        """Return the fence between ordinary writes and the copy engine."""
        return "proxy_fence();"

    # ---- matrix instructions

    def accumulator_fence(self, packed: Packed) -> str:
        """Return the order between register accesses and wgmma."""
        if packed.per_word > 1:
            self.used.setdefault("settle_words", _SETTLE)
        return f"settle({packed.name}); mma_fence();"

    def async_mma(
        self, lanes: InstructionLanes, c: Packed, a: SharedPlace | tuple[str, ...], b: SharedPlace, accumulate: str
    ) -> str:
        """Return wgmma with the right operand in shared memory, the left one there or in registers."""
        if lanes.a_from_shared:
            assert isinstance(a[0], SharedOperand)
            along_m, left = a[0].transposed, self._matrix(*a)
        else:
            along_m, left = False, ", ".join(map(str, a))
        transposed = (along_m, b[0].transposed)
        name = lanes.name + "_ta" * transposed[0] + "_tb" * transposed[1]
        self.used.setdefault(name, _wgmma(name, lanes, transposed))
        return f"{name}({c.name}, {left}, {self._matrix(*b)}, {accumulate});"

    def _matrix(self, operand: SharedOperand, buffer: Buffer, offset: Term) -> str:
        if operand.swizzle_bytes not in _SWIZZLE:
            raise EmitError(f"descriptors know no swizzle of {operand.swizzle_bytes} bytes", buffer=operand.buffer)
        fields = f"{operand.leading_bytes}, {operand.stride_bytes}, {_SWIZZLE[operand.swizzle_bytes]}"
        return f"matrix<{fields}>({self._address(buffer, offset)})"


def _instances(kernel: SemanticKernel, role: str) -> int:
    return next(known.instances for known in kernel.roles if known.name == role)


def _who_meets(kernel: SemanticKernel, name: str) -> str:
    """Return the role whose instances meet at a barrier of the cluster."""
    for role in kernel.roles:
        for node in walk(role.body):
            if isinstance(node, Barrier) and node.scope is Scope.CLUSTER and node.name == name:
                return role.name
    raise AssertionError(name)


def _same_group(group: Multicast, lane: str) -> str:
    """Whether the block numbered by `lane` is in this block's group: all digits but the group's own agree."""
    span = group.stride * group.count
    return (
        f"({lane} / {span} == cluster_rank / {span} && {lane} % {group.stride} == cluster_rank % {group.stride})"
        if group.stride > 1
        else f"{lane} / {span} == cluster_rank / {span}"
    )


def _stmatrix(name: str, matrices: int) -> str:
    """Return the wrapper of a store that transposes 8×8 matrices of 16-bit elements."""
    words = "abcd"[:matrices]
    places, values = ", ".join(f"%{i + 1}" for i in range(matrices)), ", ".join(f'"r"({word})' for word in words)
    return (
        f"INLINE void {name}(unsigned address, {', '.join(f'unsigned {word}' for word in words)}) {{\n"
        f'  asm volatile("stmatrix.sync.aligned.m8n8.x{matrices}.trans.shared.b16 [%0], {{{places}}};" '
        f'::"r"(address), {values} : "memory");\n'
        f"}}"
    )


def _fetch(dimensions: int) -> str:
    """Return the wrapper of a request for a box."""
    names = "xyz"[:dimensions]
    places, values = (", ".join(f"%{i + 1}" for i in range(dimensions)), ", ".join(f'"r"({name})' for name in names))
    return (
        f"INLINE void box_fetch(const BoxMap* map, {', '.join(f'int {name}' for name in names)}) {{\n"
        f'  asm volatile("cp.async.bulk.prefetch.tensor.{dimensions}d.L2.global [%0, {{{places}}}];" ::"l"(map), {values} : "memory");\n'
        f"}}"
    )


def _wgmma(name: str, lanes: InstructionLanes, transposed: tuple[bool, bool]) -> str:
    """Return the wrapper of one shape: the accumulator's registers are operands, so it cannot be a loop."""
    count = lanes.c.registers
    kind = PTX[lanes.operand]
    registers = ", ".join(f"%{i}" for i in range(count))
    letter = "f" if lanes.accumulator is DType.FP32 else "r"
    outputs = ", ".join(f'"+{letter}"(c[{i}])' for i in range(count))
    scales = ", 1, 1" if lanes.operand.is_float else ""
    directions = f", {int(transposed[0])}, {int(transposed[1])}" if lanes.operand.bytes == 2 else ""
    shape = f"m{lanes.m}n{lanes.n}k{lanes.k}"
    sums = PTX[lanes.accumulator]
    held = 0 if lanes.a is None else lanes.a.registers * lanes.operand.bytes // 4  # words of the left operand
    words = [f"a{i}" for i in range(held)]
    single = lanes.operand is DType.TF32
    given = ", ".join(f"{'float' if single else 'unsigned'} {word}" for word in words) or "unsigned long long a"
    left = f"{{{', '.join(f'%{count + i}' for i in range(held))}}}" if held else f"%{count}"
    bits = [f"__float_as_uint({word})" if single else word for word in words]
    inputs = ", ".join(f'"r"({word})' for word in bits) or '"l"(a)'
    right = count + max(held, 1)
    if held and directions:  # only the right operand's direction is free
        directions = f", {int(transposed[1])}"
    return (
        f"INLINE void {name}({TYPES[lanes.accumulator]} (&c)[{count}], {given}, unsigned long long b, int accumulate) {{\n"
        f'  asm volatile("{{\\n.reg .pred p;\\nsetp.ne.b32 p, %{right + 1}, 0;\\n"\n'
        f'      "wgmma.mma_async.sync.aligned.{shape}.{sums}.{kind}.{kind} {{{registers}}}, '
        f'{left}, %{right}, p{scales}{directions};\\n}}"\n'
        f"      : {outputs}\n"
        f'      : {inputs}, "l"(b), "r"(accumulate));\n'
        f"}}"
    )
