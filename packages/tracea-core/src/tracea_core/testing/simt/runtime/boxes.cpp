// SPDX-License-Identifier: MIT
// The copy engine: boxes of a tensor to and from shared memory, packed densely with the first dimension fastest, zeros outside.
//
// A box must begin a whole number of 16-byte chunks along its first dimension: a device faults on others.
//
// Source: CUDA driver API, cuTensorMapEncodeTiled (alignment and limits); PTX ISA, "Tensors" and "Swizzling modes": the number of a
// 16-byte chunk is XORed with the low 3, 2 or 1 bits of the number of its 128-byte line, for rows of 128, 64 and 32 bytes.
#include <simt/async.h>

#include "state.h"

namespace simt {

void land_bytes(char* barrier, unsigned bytes, EngineTime time);

constexpr uint64_t kMagic = 0x74656e736f726d70;

static TensorMap map_at(const void* pointer, const void* site) {
    TensorMap map;
    memcpy(&map, pointer, sizeof(map));
    if (map.magic != kMagic) fatal("box", site, "the descriptor is no tensor map");
    return map;
}

static const unsigned kEngineChunk = 16;  // bytes that the copy engine moves as one

static unsigned box_bytes(const TensorMap& map) {
    unsigned bytes = map.element_bytes;
    for (unsigned d = 0; d < (map.walk ? 2 : map.rank); ++d) bytes *= map.box[d];
    return bytes;
}

static size_t swizzled(size_t offset, unsigned row_bytes) {
    return row_bytes ? offset ^ ((offset >> 7 & (row_bytes / 16 - 1)) << 4) : offset;
}

// Call f(offset in shared memory, address in global memory or 0, bytes) for each element of the box; rows have `row_elements`.
template <class F>
static void each_chunk(const TensorMap& map, const int* place, size_t start, uint64_t row_elements, F f) {
    const unsigned chunk = map.element_bytes;
    const unsigned total = box_bytes(map) / chunk;
    for (unsigned i = 0; i < total; ++i) {
        unsigned rest = i;
        bool inside = true;
        uint64_t address = map.address;
        for (unsigned d = 0; d < map.rank; ++d) {
            const int64_t at = int64_t(place[d]) + rest % map.box[d];
            rest /= map.box[d];
            inside &= at >= 0 && at < int64_t(d ? map.extent[d] : row_elements);
            address += uint64_t(at) * (d ? map.stride[d - 1] : chunk);
        }
        f(swizzled(start + size_t(i) * chunk, map.swizzle_bytes), inside ? address : 0, chunk);
    }
}

// The same for a walk over windows: columns before rows before images, from the window at `place` on.
template <class F>
static void each_window(const TensorMap& map, const int* place, const int* offset, size_t start, F f) {
    const unsigned chunk = map.element_bytes;
    int64_t at[4] = {place[0], place[1], place[2], place[3]};
    for (unsigned i = 0; i < map.box[1]; ++i) {
        for (unsigned c = 0; c < map.box[0]; ++c) {
            const int64_t element[4] = {at[0] + c, at[1] + offset[0], at[2] + offset[1], at[3]};
            bool inside = true;
            uint64_t address = map.address;
            for (unsigned d = 0; d < 4; ++d) {
                inside &= element[d] >= 0 && element[d] < int64_t(map.extent[d]);
                address += uint64_t(element[d]) * (d ? map.stride[d - 1] : chunk);
            }
            f(swizzled(start + (size_t(i) * map.box[0] + c) * chunk, map.swizzle_bytes), inside ? address : 0, chunk);
        }
        at[1] += map.step[0];
        if (at[1] < int64_t(map.extent[1]) + map.upper[0]) continue;
        at[1] = map.lower[0];
        at[2] += map.step[1];
        if (at[2] < int64_t(map.extent[2]) + map.upper[1]) continue;
        at[2] = map.lower[1];
        ++at[3];
    }
}

struct BoxLoad : Pending {
    TensorMap map;
    int place[5];
    int element[2] = {0, 0};  // of each window
    std::vector<unsigned> ranks;
    size_t offset, barrier;

    void finish() override {
        for (unsigned rank : ranks) {
            Block& block = launch.blocks[rank];
            const auto land = [&](size_t to, uint64_t from, unsigned bytes) {
                if (from) memcpy(block.shared + to, reinterpret_cast<const void*>(from), bytes);
                else memset(block.shared + to, 0, bytes);
            };
            if (map.walk) each_window(map, place, element, offset, land);
            else each_chunk(map, place, offset, map.extent[0], land);
            settle(block, offset, box_bytes(map), time.actor, Access::write, time);
            land_bytes(block.shared + barrier, box_bytes(map), time);
        }
    }
};

struct BoxStore : Pending {
    TensorMap map;
    int place[5];
    unsigned rank;
    size_t offset;

    void finish() override {
        Block& block = launch.blocks[rank];
        const uint64_t whole = kEngineChunk / map.element_bytes;  // the engine writes all of a chunk in which a row ends
        each_chunk(map, place, offset, (map.extent[0] + whole - 1) / whole * whole, [&](size_t from, uint64_t to, unsigned bytes) {
            if (to) memcpy(reinterpret_cast<void*>(to), block.shared + from, bytes);
        });
        settle(block, offset, box_bytes(map), time.actor, Access::read, time);
    }
};

static size_t box_offset(const TensorMap& map, const void* shared, const int* place, unsigned rank, const void* site) {
    const size_t offset = shared_offset(shared);
    if (rank != map.rank) fatal("box", site, "the copy has another rank than its tensor map");
    const int64_t first = int64_t(place[0]) * map.element_bytes;
    if (first % 16) report("box", site, "a box begins " + std::to_string(first) + " bytes along its rows, no multiple of 16");
    if (offset == kNowhere || offset + box_bytes(map) > launch.shared_bytes) fatal("out-of-bounds", site, "a box does not fit into shared memory");
    const size_t alignment = map.swizzle_bytes ? 8 * size_t(map.swizzle_bytes) : 128;
    if (offset % alignment) report("misaligned", site, "a box lies at offset " + std::to_string(offset) + ", no multiple of " + std::to_string(alignment));
    return offset;
}

static void load_into(
    void* to, const void* pointer, void* barrier, const int* place, const int* element, unsigned rank, unsigned blocks, const void* site) {
    count(blocks ? "box_load.multicast" : "box_load");
    auto load = std::make_shared<BoxLoad>();
    load->map = map_at(pointer, site);
    if ((element != nullptr) != (load->map.walk != 0)) fatal("box", site, "the copy and its tensor map do not agree on a walk over windows");
    if (element) memcpy(load->element, element, sizeof(load->element));
    load->offset = box_offset(load->map, to, place, rank, site);
    load->barrier = shared_offset(barrier);
    load->time = next_engine_time();
    memcpy(load->place, place, sizeof(load->place));
    for (unsigned r = 0; r < launch.settings.cluster; ++r)
        if (blocks ? blocks >> r & 1 : r == current->rank) load->ranks.push_back(r);
    if (load->barrier == kNowhere || launch.counters.find(uintptr_t(barrier)) == launch.counters.end())
        fatal("barrier", site, "a copy announces itself at no barrier");
    if (blocks >> launch.settings.cluster) fatal("box", site, "a copy goes to a block that the cluster does not have");
    for (unsigned r : load->ranks) {
        record(launch.blocks[r], load->offset, box_bytes(load->map), Entry{site, kInFlight, load->time.actor, 0, Access::write, true});
        memset(launch.blocks[r].shared + load->offset, 0xff, box_bytes(load->map));
    }
    launch.engine.push_back(load);
}

void box_load(void* to, const void* pointer, void* barrier, const int* place, unsigned rank, unsigned blocks, const void* site) {
    load_into(to, pointer, barrier, place, nullptr, rank, blocks, site);
}

void windows_load(void* to, const void* pointer, void* barrier, const int* place, const int* offset, unsigned blocks, const void* site) {
    for (int d = 0; d < 2; ++d)
        if (offset[d] < 0 || offset[d] > 255) fatal("box", site, "an element of a window lies outside 0 to 255");
    load_into(to, pointer, barrier, place, offset, 4, blocks, site);
}

void box_store(const void* pointer, const void* from, const int* place, unsigned rank, const void* site) {
    count("box_store");
    auto store = std::make_shared<BoxStore>();
    store->map = map_at(pointer, site);
    if (!store->map.writable) return report("read-only", site, "a box is stored to an array that is read-only");
    const uint64_t row = store->map.extent[0] * store->map.element_bytes;
    if (row % kEngineChunk) report("box", site, "rows of " + std::to_string(row) + " bytes end within a chunk of 16, all of which is stored");
    store->offset = box_offset(store->map, from, place, rank, site);
    store->time = next_engine_time();
    store->rank = current->rank;
    memcpy(store->place, place, sizeof(store->place));
    record(block_of(*current), store->offset, box_bytes(store->map), Entry{site, kInFlight, store->time.actor, 0, Access::read, true});
    current->stores.push_back(store);
    launch.engine.push_back(store);
}

void box_commit() {
    current->store_groups.push_back(std::move(current->stores));
    current->stores.clear();
}

void box_wait(unsigned pending) {
    count("box_wait");
    while (current->store_groups.size() > pending) {
        for (const std::shared_ptr<Pending>& store : current->store_groups.front()) {
            if (!store->done) store->finish();
            store->done = true;
            learn(*current, store->time);
        }
        current->store_groups.erase(current->store_groups.begin());
    }
}

}  // namespace simt
