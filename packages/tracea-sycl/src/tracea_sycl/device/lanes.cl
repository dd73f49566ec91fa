// What the lane holds whose number differs in the bit `distance`; every lane of the sub-group takes part.
#if defined(cl_khr_subgroup_shuffle)
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
INLINE float of_lane(float x, uint distance) { return sub_group_shuffle_xor(x, distance); }
#elif defined(cl_intel_subgroups)
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
INLINE float of_lane(float x, uint distance) { return intel_sub_group_shuffle_xor(x, distance); }
#else
INLINE float of_lane(float x, uint distance) {  // NVIDIA's compiler takes the instructions of its GPUs
  uint found;
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(found) : "r"(as_uint(x)), "r"(distance));
  return as_float(found);
}
#endif
