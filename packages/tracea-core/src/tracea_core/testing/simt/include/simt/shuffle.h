// SPDX-License-Identifier: MIT
// Lanes of a warp that exchange what they hold: what every language's shuffles are made of.
#pragma once
#include <simt/simt.h>

namespace simt {

// `source` is the lane whose value is wanted; a lane that takes no part leaves the asking lane its own value.
template <class T>
struct Shuffle {
    T value, result;
    int source;
};

template <class T>
void exchange(void* const* given, unsigned lanes) {
    for (unsigned i = 0; i < lanes; ++i) {
        if (!given[i]) continue;
        auto& mine = *static_cast<Shuffle<T>*>(given[i]);
        const bool present = mine.source >= 0 && unsigned(mine.source) < lanes && given[mine.source];
        mine.result = present ? static_cast<Shuffle<T>*>(given[mine.source])->value : mine.value;
    }
}

template <class T>
SIMT_PLAIN __attribute__((always_inline)) inline T shuffle(T value, int source, uint64_t mask, const void* site) {
    Shuffle<T> mine{value, value, source};
    collective("shuffle", exchange<T>, &mine, mask, site);
    return mine.result;
}

}  // namespace simt
