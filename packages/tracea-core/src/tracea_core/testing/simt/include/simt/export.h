// SPDX-License-Identifier: MIT
// Included after the kernel's text: exports the kernel named by SIMT_ENTRY.
#pragma once
#include <simt/entry.h>

namespace simt {

template <class T>
constexpr bool is_pointer = false;
template <class T>
constexpr bool is_pointer<T*> = true;

template <class T>
struct Plain {
    using Type = T;
};
template <class T>
struct Plain<T&> : Plain<T> {};
template <class T>
struct Plain<const T> : Plain<T> {};

template <class T>
constexpr Parameter describe() {
    using Value = typename Plain<T>::Type;
    if constexpr (is_pointer<Value>) return {sizeof(Value), 'p'};
    else if constexpr (requires(Value v) { v % 2; }) return {sizeof(Value), 'i'};
    else if constexpr (requires(Value v, float f) { f = static_cast<float>(v); v * v; }) return {sizeof(Value), 'f'};
    else return {sizeof(Value), 's'};
}

template <size_t... I>
struct Numbers {};

template <class, size_t... I>
using NumbersOf = Numbers<I...>;

template <class F>
struct Kernel;

template <class... P>
struct Kernel<void (*)(P...)> {
    static constexpr unsigned count = sizeof...(P);
    static constexpr Parameter table[sizeof...(P) + 1] = {describe<P>()..., {0, 0}};

    template <size_t... I>
    __attribute__((no_sanitize("kernel-address"))) static void call(void (*entry)(P...), void** arguments, Numbers<I...>) {
        entry(*reinterpret_cast<typename Plain<P>::Type*>(arguments[I])...);
    }

    __attribute__((no_sanitize("kernel-address"))) static void run(void (*entry)(P...), void** arguments) {
        call(entry, arguments, __make_integer_seq<NumbersOf, size_t, sizeof...(P)>{});
    }
};

}  // namespace simt

extern "C" unsigned simt_entry_parameters() { return simt::Kernel<decltype(&SIMT_ENTRY)>::count; }
extern "C" const simt::Parameter* simt_entry_table() { return simt::Kernel<decltype(&SIMT_ENTRY)>::table; }
extern "C" __attribute__((no_sanitize("kernel-address"))) void simt_entry_call(void** arguments) {
    simt::Kernel<decltype(&SIMT_ENTRY)>::run(&SIMT_ENTRY, arguments);
}
