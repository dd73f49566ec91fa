// SPDX-License-Identifier: MIT
// Matrix instructions of four warps. Shared memory is being read until the group is waited for, and the sums are NaN until then.
//
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions": the fragment figures of m64nNk8, k16 and
// k32 (lane 4 * group + thread of warp w: row 16 * w + group + 8 * (i / 2 % 2), column 8 * (i / 4) + 2 * thread + i % 2; A in
// registers as in mma.sync), "Matrix descriptor format", and "Strides" with the canonical layouts of K-major and MN-major matrices.
#include <simt/async.h>
#include <simt/numbers.h>

#include "state.h"

namespace simt {

constexpr unsigned kLanes = 128, kRows = 64;

// Byte addresses of element (i, k) of an operand; i runs along M or N.
struct Descriptor {
    unsigned start, leading, stride, row_bytes;

    explicit Descriptor(uint64_t word)
        : start(unsigned(word & 0x3fff) << 4), leading(unsigned(word >> 16 & 0x3fff) << 4), stride(unsigned(word >> 32 & 0x3fff) << 4) {
        const unsigned mode = unsigned(word >> 62);
        row_bytes = mode ? 256u >> mode : 16;
    }

    unsigned address(unsigned i, unsigned k, unsigned bytes, bool transposed) const {
        const unsigned row = transposed ? k : i, column = (transposed ? i : k) * bytes;
        const bool traded = transposed && row_bytes == 16;  // without a swizzle the fields of an MN-major operand trade places
        const unsigned plain = start + row / 8 * (traded ? leading : stride) + row % 8 * row_bytes
            + column / row_bytes * (traded ? stride : leading) + column % row_bytes;
        return plain ^ (plain >> 7 & (row_bytes / 16 - 1)) << 4;
    }
};

static double value_at(const char* place, Kind kind) {
    uint32_t word = 0;
    memcpy(&word, place, size_t(kind_bytes(kind)));
    _Float16 half;
    memcpy(&half, &word, 2);
    switch (kind) {
        case Kind::tf32: return tf32_to_float(word);
        case Kind::f16: return float(half);
        case Kind::bf16: return bf16_to_float(uint16_t(word));
        case Kind::e4m3: return fp8_to_float(uint8_t(word), Fp8::e4m3);
        case Kind::e5m2: return fp8_to_float(uint8_t(word), Fp8::e5m2);
        case Kind::s8: return int8_t(word);
        default: return uint8_t(word);
    }
}

// The registers that a chain of instructions adds to: taken away (NaN) when the first starts, given back when the last is done. Chains
// of several accumulators may alternate.
struct Accumulator {
    std::vector<void*> places;  // registers of lane 0, of lane 1, …
    std::vector<uint32_t> words;
    unsigned users = 0;
};

struct Multiply : Pending {
    WarpgroupMultiply shape;
    unsigned rank;
    std::shared_ptr<Accumulator> accumulator;
    std::vector<uint32_t> a_registers;

    bool integer() const { return shape.kind_a == Kind::s8 || shape.kind_a == Kind::u8; }

    void operand(uint64_t descriptor, unsigned outer, Kind kind, bool transposed, std::vector<float>& values) const {
        const Descriptor place(descriptor);
        const unsigned bytes = unsigned(kind_bytes(kind));
        for (unsigned i = 0; i < outer; ++i)
            for (unsigned k = 0; k < shape.depth; ++k)
                values.push_back(float(value_at(launch.blocks[rank].shared + place.address(i, k, bytes, transposed), kind)));
    }

    void fragment(std::vector<float>& values) const {
        values.resize(kRows * shape.depth);
        const unsigned bytes = unsigned(kind_bytes(shape.kind_a)), per_word = 4 / bytes;
        for (unsigned lane = 0; lane < kLanes; ++lane)
            for (unsigned i = 0; i < 4 * per_word; ++i) {
                const unsigned word = i / per_word, row = lane / 32 * 16 + lane % 32 / 4 + 8 * (word % 2);
                const unsigned k = per_word * (lane % 4) + i % per_word + 4 * per_word * (word / 2);
                const char* place = reinterpret_cast<const char*>(&a_registers[4 * lane]) + bytes * i;
                values[row * shape.depth + k] = float(value_at(place, shape.kind_a));
            }
    }

    void finish() override {
        std::vector<float> a, b;
        if (shape.a_in_registers) fragment(a);
        else operand(shape.descriptor_a, kRows, shape.kind_a, shape.transposed_a, a);
        operand(shape.descriptor_b, shape.columns, shape.kind_b, shape.transposed_b, b);
        const float scale = float(shape.scale_a * shape.scale_b);
        for (unsigned lane = 0; lane < kLanes; ++lane)
            for (unsigned i = 0; i < shape.registers; ++i) {
                const unsigned row = lane / 32 * 16 + lane % 32 / 4 + 8 * (i / 2 % 2), column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
                const unsigned at = lane * shape.registers + i;
                const float *left = &a[row * shape.depth], *right = &b[column * shape.depth];
                float sum = 0;
                for (unsigned k = 0; k < shape.depth; ++k) sum += left[k] * right[k];  // below 2^24 for integers: exact
                uint32_t& word = accumulator->words[at];
                if (integer()) word = (shape.accumulate ? word : 0) + uint32_t(int32_t(sum));
                else word = to_bits((shape.accumulate ? from_bits(word) : 0.0f) + scale * sum);
            }
        if (--accumulator->users == 0)
            for (size_t at = 0; at < accumulator->places.size(); ++at) memcpy(accumulator->places[at], &accumulator->words[at], 4);
        settle_operands();
    }

    template <class F>
    void each_chunk(F f) const {
        const auto walk = [&](uint64_t descriptor, unsigned outer, Kind kind, bool transposed) {
            const Descriptor place(descriptor);
            const unsigned bytes = unsigned(kind_bytes(kind)), per_chunk = 16 / bytes;
            for (unsigned i = 0; i < outer; i += transposed ? per_chunk : 1)
                for (unsigned k = 0; k < shape.depth; k += transposed ? 1 : per_chunk) f(place.address(i, k, bytes, transposed));
        };
        if (!shape.a_in_registers) walk(shape.descriptor_a, kRows, shape.kind_a, shape.transposed_a);
        walk(shape.descriptor_b, shape.columns, shape.kind_b, shape.transposed_b);
    }

    void settle_operands() {
        each_chunk([&](unsigned offset) { settle(launch.blocks[rank], offset, 16, time.actor, Access::read, time); });
    }
};

static Warpgroup& mine() { return block_of(*current).warpgroups[current->warp / 4]; }

// Wait for all 128 lanes; true for the last one, which acts for all of them.
static bool meet(const char* name, const void* site) {
    Warpgroup& group = mine();
    if (group.present.empty()) {
        group.site = site;
        group.name = name;
    } else if (group.site != site) {
        report("divergence", site, std::string("a lane comes to ") + name + " while others of its warpgroup wait in " + group.name, group.site);
        fatal("divergence", site, "the lanes of a warpgroup cannot meet");
    }
    group.present.push_back(current->actor);
    return group.present.size() == kLanes;
}

static void part(Warpgroup& group) {
    for (unsigned actor : group.present)
        if (actor != current->actor) resume(actor);
    group.present.clear();
}

static bool same_for_all(const WarpgroupMultiply& a, const WarpgroupMultiply& b) {
    return a.descriptor_a == b.descriptor_a && a.descriptor_b == b.descriptor_b && a.accumulate == b.accumulate;
}

static std::shared_ptr<Accumulator> take_registers(Warpgroup& group) {
    auto taken = std::make_shared<Accumulator>();
    for (const WarpgroupMultiply& lane : group.lanes)
        taken->places.insert(taken->places.end(), lane.sums, lane.sums + lane.registers);
    std::erase_if(group.taken, [](const auto& known) { return !known->users; });
    for (const auto& known : group.taken)
        if (known->places == taken->places) {
            ++known->users;
            return known;
        }
    const uint32_t nan = 0x7fc00000;
    for (void* place : taken->places) {
        uint32_t word;
        memcpy(&word, place, 4);
        taken->words.push_back(word);
        memcpy(place, &nan, 4);
    }
    taken->users = 1;
    group.taken.push_back(taken);
    return taken;
}

static void start_multiply(Warpgroup& group, const void* site) {
    auto work = std::make_shared<Multiply>();
    work->shape = group.lanes[0];
    work->rank = current->rank;
    work->time = next_engine_time();
    for (const WarpgroupMultiply& lane : group.lanes) {
        if (!same_for_all(lane, work->shape)) report("divergence", site, "lanes of a warpgroup pass different descriptors");
        work->a_registers.insert(work->a_registers.end(), lane.a, lane.a + 4);
    }
    work->accumulator = take_registers(group);
    work->each_chunk([&](unsigned offset) {
        if (offset + 16 > launch.shared_bytes) fatal("out-of-bounds", site, "a matrix descriptor leads outside shared memory");
        record(block_of(*current), offset, 16, Entry{site, kInFlight, work->time.actor, 0, Access::read, true});
    });
    group.open.push_back(work);
}

void warpgroup_multiply(const WarpgroupMultiply& lane, const void* site) {
    Warpgroup& group = mine();
    if (group.lanes.empty()) group.lanes.resize(kLanes);
    group.lanes[current->linear % kLanes] = lane;
    if (!meet("wgmma", site)) return wait("wgmma", site);
    count("wgmma");
    start_multiply(group, site);
    part(group);
}

void warpgroup_commit(const void* site) {
    if (!meet("wgmma.commit_group", site)) return wait("wgmma.commit_group", site);
    Warpgroup& group = mine();
    group.groups.push_back(std::move(group.open));
    group.open.clear();
    part(group);
}

void warpgroup_wait(unsigned pending, const void* site) {
    if (!meet("wgmma.wait_group", site)) return wait("wgmma.wait_group", site);
    Warpgroup& group = mine();
    while (group.groups.size() > pending) {
        for (const std::shared_ptr<Pending>& work : group.groups.front()) {
            work->finish();
            for (unsigned actor : group.present) learn(launch.threads[actor], work->time);
        }
        group.groups.erase(group.groups.begin());
    }
    part(group);
}

}  // namespace simt
