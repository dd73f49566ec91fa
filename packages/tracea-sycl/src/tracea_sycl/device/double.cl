// Double precision, where the device has it.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
INLINE double maximum(double x, double y) { return x > y || isnan(x) ? x : y; }
INLINE double minimum(double x, double y) { return x < y || isnan(x) ? x : y; }
