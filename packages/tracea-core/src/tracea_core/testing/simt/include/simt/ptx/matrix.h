// SPDX-License-Identifier: MIT
// mma.sync, ldmatrix and stmatrix. Maps: PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions", the sections "Matrix Fragments
// for mma.m8n8k4 with .f64", "mma.m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32" and "m8n8k16", all with groupID = lane / 4 and
// threadID_in_group = lane % 4; "ldmatrix" and "stmatrix": thread l gives the address of row l % 8 of matrix l / 8, and holds
// elements 2 * (l % 4) and the next of row l / 4 of each matrix (with .trans: of each transposed matrix).
#pragma once
#include <simt/async.h>
#include <simt/numbers.h>
#include <simt/ptx/arithmetic.h>
#include <simt/ptx/operands.h>

namespace simt::ptx {

// Never defined: reaching them while a kernel is compiled is the error message.
void no_twin_of_a_matrix_instruction_on_this_type();
void an_instruction_name_without_a_shape();

template <Name op>
consteval Kind kind_at(unsigned part) {
    if (op.part_is(part, "f64")) return Kind::f64;
    if (op.part_is(part, "tf32")) return Kind::tf32;
    if (op.part_is(part, "f16")) return Kind::f16;
    if (op.part_is(part, "bf16")) return Kind::bf16;
    if (op.part_is(part, "e4m3")) return Kind::e4m3;
    if (op.part_is(part, "e5m2")) return Kind::e5m2;
    if (op.part_is(part, "s8")) return Kind::s8;
    if (op.part_is(part, "u8")) return Kind::u8;
    no_twin_of_a_matrix_instruction_on_this_type();
    return Kind::f64;
}

// Element `i` of what starts at `place`, as the type it is summed in.
template <Kind kind, class Sum>
SIMT_PLAIN inline Sum element(const void* place, int i) {
    const auto get = [&](auto value) SIMT_PLAIN {
        memcpy(&value, static_cast<const char*>(place) + size_t(i) * sizeof(value), sizeof(value));
        return value;
    };
    if constexpr (kind == Kind::f64) return Sum(get(double()));
    else if constexpr (kind == Kind::tf32) return Sum(tf32_to_float(get(uint32_t())));
    else if constexpr (kind == Kind::f16) return Sum(get(_Float16()));
    else if constexpr (kind == Kind::bf16) return Sum(bf16_to_float(get(uint16_t())));
    else if constexpr (kind == Kind::e4m3) return Sum(fp8_to_float(get(uint8_t()), Fp8::e4m3));
    else if constexpr (kind == Kind::e5m2) return Sum(fp8_to_float(get(uint8_t()), Fp8::e5m2));
    else if constexpr (kind == Kind::s8) return Sum(get(int8_t()));
    else return Sum(get(uint8_t()));
}

template <Name op>
consteval int extent(char letter) {  // of a shape like m16n8k16, the part that begins with m and a digit
    for (size_t at = 1; op.text[at]; ++at) {
        if (op.text[at - 1] != '.' || op.text[at] != 'm' || op.text[at + 1] < '0' || op.text[at + 1] > '9') continue;
        for (; op.text[at] && op.text[at] != '.'; ++at) {
            if (op.text[at] != letter) continue;
            int value = 0;
            for (++at; op.text[at] >= '0' && op.text[at] <= '9'; ++at) value = 10 * value + op.text[at] - '0';
            return value;
        }
    }
    an_instruction_name_without_a_shape();
    return 0;
}

struct MmaLane {
    void* d;
    const void *a, *b, *c;
};

template <int M, int K, Kind KA, Kind KB, class Sum, class Scalar>
struct Mma {
    static constexpr int per_word = KA == Kind::f64 ? 1 : 4 / kind_bytes(KA);
    static constexpr int a_count = M * K / 32, b_count = K * 8 / 32, c_count = M * 8 / 32;

    SIMT_PLAIN static void multiply(void* const* given, unsigned) {
        Sum a[M][K], b[K][8];
        for (int lane = 0; lane < 32; ++lane) {
            const MmaLane& mine = *static_cast<MmaLane*>(given[lane]);
            const int group = lane / 4, thread = lane % 4;
            for (int i = 0; i < a_count; ++i) {
                const int word = i / per_word, rows = M / 8;
                a[group + 8 * (word % rows)][per_word * thread + i % per_word + 4 * per_word * (word / rows)] = element<KA, Sum>(mine.a, i);
            }
            for (int i = 0; i < b_count; ++i)
                b[per_word * thread + i % per_word + 4 * per_word * (i / per_word)][group] = element<KB, Sum>(mine.b, i);
        }
        for (int lane = 0; lane < 32; ++lane) {
            const MmaLane& mine = *static_cast<MmaLane*>(given[lane]);
            Scalar result[c_count];
            for (int i = 0; i < c_count; ++i) {
                const int row = lane / 4 + 8 * (i / 2), column = 2 * (lane % 4) + i % 2;
                Sum sum = Sum(static_cast<const Scalar*>(mine.c)[i]);
                for (int k = 0; k < K; ++k) sum += a[row][k] * b[k][column];
                result[i] = Scalar(sum);
            }
            memcpy(mine.d, result, sizeof(result));
        }
    }
};

// Names the shape and all four types: mma.sync.aligned.<shape>.row.col[.satfinite].<D>.<A>.<B>.<C>
template <class Sum, Operation operation>
SIMT_TWIN void mma_lane(void* d, const void* a, const void* b, const void* c) {
    MmaLane mine{d, a, b, c};
    collective("mma.sync", operation, &mine, 0xffffffffu, SIMT_SITE);
}

template <Name op, class D, class A, class B, class C>
__attribute__((always_inline)) inline void mma(D d, A a, B b, C c) {
    constexpr unsigned last = op.parts() - 1;
    constexpr Kind kind_a = kind_at<op>(last - 2), kind_b = kind_at<op>(last - 1);
    constexpr bool integer = op.part_is(last, "s32"), doubles = op.part_is(last, "f64"), halves = op.part_is(last, "f16");
    constexpr int rows = extent<op>('m'), depth = extent<op>('k');
    static_assert(extent<op>('n') == 8, "no twin of this shape");
    if constexpr (integer) {
        int result[rows / 4];
        mma_lane<int, Mma<rows, depth, kind_a, kind_b, int, int>::multiply>(result, a.values, b.values, c.values);
        for (int i = 0; i < rows / 4; ++i) *d.places[i] = decltype(+*d.places[i])(result[i]);
    } else if constexpr (doubles) {
        double result[rows / 4];
        mma_lane<double, Mma<rows, depth, kind_a, kind_b, double, double>::multiply>(result, a.values, b.values, c.values);
        for (int i = 0; i < rows / 4; ++i) *d.places[i] = result[i];
    } else if constexpr (halves) {
        _Float16 result[rows / 4];
        mma_lane<float, Mma<rows, depth, kind_a, kind_b, float, _Float16>::multiply>(result, a.values, b.values, c.values);
        for (int i = 0; i < rows / 8; ++i) memcpy(d.places[i], result + 2 * i, 4);
    } else {
        float result[rows / 4];
        mma_lane<float, Mma<rows, depth, kind_a, kind_b, float, float>::multiply>(result, a.values, b.values, c.values);
        for (int i = 0; i < rows / 4; ++i) *d.places[i] = result[i];
    }
}

// ---- 8x8 matrices of 16-bit elements

struct MatrixLane {
    unsigned address;
    uint32_t words[4];
    const void* site;
};

template <int count, bool transposed, bool store>
SIMT_PLAIN void move_matrices(void* const* given, unsigned) {
    for (int matrix = 0; matrix < count; ++matrix) {
        uint16_t tile[8][8];
        const auto word_of = [&](int lane, int half) SIMT_PLAIN -> uint16_t& {
            auto* halves = reinterpret_cast<uint16_t*>(static_cast<MatrixLane*>(given[lane])->words + matrix);
            return halves[half];
        };
        const auto exchange_words = [&](bool out) SIMT_PLAIN {
            for (int lane = 0; lane < 32; ++lane)
                for (int half = 0; half < 2; ++half) {
                    const int row = lane / 4, column = 2 * (lane % 4) + half;
                    uint16_t& cell = transposed ? tile[column][row] : tile[row][column];
                    if (out) word_of(lane, half) = cell;
                    else cell = word_of(lane, half);
                }
        };
        if (store) exchange_words(false);
        for (int row = 0; row < 8; ++row) {
            const MatrixLane& giver = *static_cast<MatrixLane*>(given[8 * matrix + row]);
            const As lane(unsigned(8 * matrix + row));
            char* place = pointer_of(giver.address);
            const bool inside = touch(place, 16, store, giver.site);
            if (!inside) memset(tile[row], 0xff, 16);
            else if (store) memcpy(place, tile[row], 16);
            else memcpy(tile[row], place, 16);
        }
        if (!store) exchange_words(true);
    }
}

template <int count, bool transposed, bool store>
SIMT_TWIN void matrices(uint32_t* words, unsigned address) {
    MatrixLane mine{address, {}, SIMT_SITE};
    memcpy(mine.words, words, sizeof(uint32_t) * count);
    collective(store ? "stmatrix" : "ldmatrix", move_matrices<count, transposed, store>, &mine, 0xffffffffu, SIMT_SITE);
    memcpy(words, mine.words, sizeof(uint32_t) * count);
}

template <class T>
constexpr int count_of = 1;
template <class T, size_t N>
constexpr int count_of<Outputs<T, N>> = int(N);
template <class T, size_t N>
constexpr int count_of<Inputs<T, N>> = int(N);

template <Name op, class D, class A>
__attribute__((always_inline)) inline void ldmatrix(D d, A address) {
    uint32_t words[count_of<D>];
    matrices<count_of<D>, op.has("trans"), false>(words, unsigned(address.base));
    for (int i = 0; i < count_of<D>; ++i) *d.places[i] = words[i];
}

template <Name op, class A, class S>
__attribute__((always_inline)) inline void stmatrix(A address, S s) {
    matrices<count_of<S>, op.has("trans"), true>(reinterpret_cast<uint32_t*>(s.values), unsigned(address.base));
}

}  // namespace simt::ptx
