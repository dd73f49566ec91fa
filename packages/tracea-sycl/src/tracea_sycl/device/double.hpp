// Double precision, where the device has it.
INLINE double maximum(double x, double y) { return x > y || sycl::isnan(x) ? x : y; }
INLINE double minimum(double x, double y) { return x < y || sycl::isnan(x) ? x : y; }
