// SPDX-License-Identifier: MIT
// tracea's interface for C++17, over tracea.h: views own their extents, failures are exceptions on this side of the boundary.
#ifndef TRACEA_HPP
#define TRACEA_HPP

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tracea.h"

namespace tracea {

enum class DType {
    Float64 = TRACEA_FLOAT64,
    Float32 = TRACEA_FLOAT32,
    BFloat16 = TRACEA_BFLOAT16,
    Float16 = TRACEA_FLOAT16,
    Float8E4M3 = TRACEA_FLOAT8_E4M3,
    Float8E5M2 = TRACEA_FLOAT8_E5M2,
    Int8 = TRACEA_INT8,
    UInt8 = TRACEA_UINT8,
    Int32 = TRACEA_INT32,
    TFloat32 = TRACEA_TFLOAT32
};

inline std::string get_last_error() {
    std::vector<char> text(static_cast<std::size_t>(tracea_get_last_error(nullptr, 0)) + 1);
    tracea_get_last_error(reinterpret_cast<std::uint8_t *>(text.data()), text.size());
    return text.data();
}

inline void clear_error() { tracea_clear_error(); }
inline std::string version() { return tracea_version(); }

// A call that failed: `what()` is the library's message.
class Error : public std::runtime_error {
public:
    explicit Error(TraceaStatus status) : std::runtime_error(get_last_error()), status_(status) {}
    TraceaStatus status() const noexcept { return status_; }

private:
    TraceaStatus status_;
};

inline void require(TraceaStatus status) {
    if (status != TRACEA_SUCCESS) throw Error(status);
}

// A tensor in memory of somebody else's. Without strides its elements lie row by row.
class TensorView {
public:
    TensorView(const void *pointer, std::vector<std::uint64_t> shape, DType dtype = DType::Float32, std::int32_t device_id = -1,
               std::vector<std::int64_t> stride = {})
        : pointer_(const_cast<void *>(pointer)), shape_(std::move(shape)), stride_(std::move(stride)), dtype_(dtype), device_(device_id) {
        if (!stride_.empty() && stride_.size() != shape_.size()) throw std::invalid_argument("a tensor has one stride for each axis");
    }

    // The same memory as (rows, columns) with its axes in the other order: a weight that is stored by row, as products take it.
    TensorView transposed() const {
        if (shape_.size() != 2) throw std::invalid_argument("only matrices are transposed");
        const auto old = stride_.empty() ? std::vector<std::int64_t>{static_cast<std::int64_t>(shape_[1]), 1} : stride_;
        return TensorView(pointer_, {shape_[1], shape_[0]}, dtype_, device_, {old[1], old[0]});
    }

    // For as long as this object lives and is not moved.
    TraceaTensorView view() const noexcept {
        return {pointer_, static_cast<std::uint32_t>(shape_.size()), shape_.data(), stride_.empty() ? nullptr : stride_.data(),
                static_cast<TraceaDType>(dtype_), device_};
    }

private:
    void *pointer_;
    std::vector<std::uint64_t> shape_;
    std::vector<std::int64_t> stride_;
    DType dtype_;
    std::int32_t device_;
};

// A stage of an epilogue with its operands, by the name that tracea's command line knows.
class Epilogue {
public:
    explicit Epilogue(std::string name, std::vector<TensorView> operands = {}) : name_(std::move(name)), operands_(std::move(operands)) {}

    static Epilogue BiasAdd(TensorView bias) { return Epilogue("bias", {std::move(bias)}); }
    static Epilogue Residual(TensorView x) { return Epilogue("residual", {std::move(x)}); }
    static Epilogue BatchNorm(TensorView mean, TensorView var, TensorView gamma, TensorView beta) {
        return Epilogue("batch_norm", {std::move(mean), std::move(var), std::move(gamma), std::move(beta)});
    }
    static Epilogue ReLU() { return Epilogue("relu"); }
    static Epilogue Gelu() { return Epilogue("gelu"); }
    static Epilogue GeluTanh() { return Epilogue("gelu_tanh"); }
    static Epilogue SiLU() { return Epilogue("silu"); }
    static Epilogue Sigmoid() { return Epilogue("sigmoid"); }
    static Epilogue Tanh() { return Epilogue("tanh"); }

    const std::string &name() const noexcept { return name_; }
    const std::vector<TensorView> &operands() const noexcept { return operands_; }

private:
    std::string name_;
    std::vector<TensorView> operands_;
};

namespace detail {

// Epilogues as C takes them; what it points at lives as long as this object and the epilogues.
class Stages {
public:
    explicit Stages(const std::vector<Epilogue> &epilogues) {
        views_.reserve(epilogues.size());
        for (const auto &one : epilogues) {
            auto &views = views_.emplace_back();
            for (const auto &operand : one.operands()) views.push_back(operand.view());
            stages_.push_back({one.name().c_str(), views.data(), static_cast<std::uint32_t>(views.size())});
        }
    }
    const TraceaEpilogue *data() const noexcept { return stages_.data(); }
    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(stages_.size()); }

private:
    std::vector<std::vector<TraceaTensorView>> views_;
    std::vector<TraceaEpilogue> stages_;
};

}  // namespace detail

struct Conv2dParams {
    std::uint32_t stride_h = 1, stride_w = 1, padding_h = 0, padding_w = 0, dilation_h = 1, dilation_w = 1, groups = 1;
    std::vector<Epilogue> epilogues = {};
    void *stream = nullptr;
};

// out = epilogues(a * b)
inline void gemm(const TensorView &a, const TensorView &b, const TensorView &out, const std::vector<Epilogue> &epilogues = {},
                 void *stream = nullptr) {
    const detail::Stages stages(epilogues);
    auto written = out.view();
    require(tracea_gemm(a.view(), b.view(), &written, {stages.data(), stages.size(), stream}));
}

// out = epilogues(x convolved with w, plus b unless it is nullptr)
inline void conv2d(const TensorView &x, const TensorView &w, const TensorView *b, const TensorView &out, const Conv2dParams &params = {}) {
    const detail::Stages stages(params.epilogues);
    auto written = out.view();
    TraceaTensorView bias{};
    if (b != nullptr) bias = b->view();
    const TraceaConv2dParams given{params.stride_h,   params.stride_w, params.padding_h, params.padding_w, params.dilation_h,
                                   params.dilation_w, params.groups,   stages.data(),    stages.size(),    params.stream};
    require(tracea_conv2d(x.view(), w.view(), b != nullptr ? &bias : nullptr, &written, given));
}

// Products on one device, on row-major buffers, by their extents alone.
class Context {
public:
    // "cpu", "cuda" or "cuda:N"
    explicit Context(const std::string &device = "cpu") {
        if (device == "cpu") return;
        const std::string digits = device == "cuda" ? "0" : device.rfind("cuda:", 0) == 0 ? device.substr(5) : "";
        if (digits.empty() || digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos)
            throw std::invalid_argument("no device is called " + device + "; they are like cpu and cuda:0");
        device_ = std::stoi(digits);
    }

    void execute(const void *a, const void *b, void *c, std::uint64_t m, std::uint64_t n, std::uint64_t k,
                 const std::vector<Epilogue> &epilogues = {}, DType dtype = DType::Float32, void *stream = nullptr) const {
        gemm(TensorView(a, {m, k}, dtype, device_), TensorView(b, {k, n}, dtype, device_), TensorView(c, {m, n}, dtype, device_), epilogues,
             stream);
    }

private:
    std::int32_t device_ = -1;
};

}  // namespace tracea
#endif
