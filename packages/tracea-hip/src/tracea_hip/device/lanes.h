// What the lane numbered `lane` of this wave holds; every lane of the wave takes part.
INLINE float of_lane(float x, int lane) { return float_of((unsigned)__builtin_amdgcn_ds_bpermute(lane << 2, (int)bits_of(x))); }
