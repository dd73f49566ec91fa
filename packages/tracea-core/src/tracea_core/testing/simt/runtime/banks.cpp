// SPDX-License-Identifier: MIT
// Bank conflicts: the k-th time that lanes of a warp come to one place counts as one instruction, served in phases of as many lanes
// as fill the banks once; a phase takes as many cycles as its busiest bank has different words.
#include "state.h"

#include <algorithm>

namespace simt {

static void log_piece(const Thread& thread, SiteLog& log, size_t offset) {
    const uint32_t execution = log.executed[thread.lane]++;
    if (execution >= log.occurrences.size()) log.occurrences.resize(execution + 1);
    Occurrence& occurrence = log.occurrences[execution];
    occurrence.present |= uint64_t(1) << thread.lane;
    occurrence.offset[thread.lane] = uint32_t(offset);
}

void log_banks(const Thread& thread, size_t offset, size_t bytes, bool write, const void* site) {
    SiteLog& log = block_of(thread).warps[thread.warp].log[site];
    log.width = uint8_t(std::min<size_t>(bytes, 16));
    log.write |= write;
    for (size_t done = 0; done < bytes; done += 16) log_piece(thread, log, offset + done);  // wider accesses are several instructions
}

static unsigned degree(const Occurrence& occurrence, const unsigned* lanes, unsigned count, unsigned width) {
    uint32_t words[64 * 4];
    unsigned total = 0;
    const Settings& settings = launch.settings;
    for (unsigned i = 0; i < count; ++i) {
        if (!(occurrence.present >> lanes[i] & 1)) continue;
        const uint32_t first = occurrence.offset[lanes[i]] / settings.bank_bytes;
        const uint32_t last = (occurrence.offset[lanes[i]] + width - 1) / settings.bank_bytes;
        for (uint32_t word = first; word <= last; ++word) words[total++] = word;
    }
    std::sort(words, words + total);
    unsigned busy[64] = {}, worst = 0;
    for (unsigned i = 0; i < total; ++i)
        if (!i || words[i] != words[i - 1]) worst = std::max(worst, ++busy[words[i] % settings.banks]);
    return worst;
}

static unsigned log2_of(unsigned width) { return width <= 1 ? 0 : 32 - unsigned(__builtin_clz(width - 1)); }

static void count_occurrence(BankSite& site, const Occurrence& occurrence, unsigned width) {
    const Settings& settings = launch.settings;
    const uint8_t* phase_of = settings.phase_of_lane[log2_of(width)];
    unsigned members[64][64], sizes[64] = {};
    for (unsigned lane = 0; lane < settings.warp_lanes; ++lane) members[phase_of[lane]][sizes[phase_of[lane]]++] = lane;
    ++site.accesses;
    for (unsigned phase = 0; phase < 64 && sizes[phase]; ++phase) {
        const unsigned cycles = degree(occurrence, members[phase], sizes[phase], width);
        if (!cycles) continue;  // nobody of this phase is active
        ++site.phases;
        site.cycles += cycles;
        site.worst = std::max(site.worst, cycles);
    }
}

void flush_banks(Warp& warp) {
    for (auto& [address, log] : warp.log) {
        if (log.occurrences.empty()) continue;
        BankSite& site = launch.banks[address];
        site.width = log.width;
        site.write |= log.write;
        for (const Occurrence& occurrence : log.occurrences) count_occurrence(site, occurrence, log.width);
        log.occurrences.clear();
        std::fill(log.executed, log.executed + 64, 0u);
    }
}

}  // namespace simt
