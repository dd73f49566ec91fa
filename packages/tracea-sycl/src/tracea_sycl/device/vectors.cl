// Functions of vectors, which the language has for scalars alone.
#define OF_VECTORS(type) \
  INLINE type maximum(type x, type y) { return select(y, x, (x > y) | isnan(x)); } \
  INLINE type minimum(type x, type y) { return select(y, x, (x < y) | isnan(x)); }
OF_VECTORS(float4)
OF_VECTORS(float8)
OF_VECTORS(float16)
