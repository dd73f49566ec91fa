// Functions that the compiler has no instructions for. Minimax polynomials in single precision:
// tanh x = x + x^3 P(x^2) below 0.625, 1 - 2 / (e^(2x) + 1) above; erf x = x + x (P(x^2) - 1) below 1, 1 - e^L(x) above.
INLINE float exp_of(float x) { return __builtin_expf(x); }
INLINE float tanh_of(float x) {
  const float s = x * x, magnitude = __builtin_fabsf(x);
  const float p = (((-0.006104948011f * s + 0.02100364122f) * s - 0.05385249747f) * s + 0.1333278226f) * s - 0.333333291f;
  const float far = 1.0f - 2.0f / (exp_of(2.0f * (magnitude > 9.1f ? 9.1f : magnitude)) + 1.0f);
  return x != x ? x : __builtin_copysignf(magnitude < 0.625f ? magnitude + magnitude * s * p : far, x);
}
INLINE float erf_of(float x) {
  const float s = x * x, magnitude = __builtin_fabsf(x), inside = magnitude > 3.93f ? 3.93f : magnitude;
  const float p = (((((7.88249711e-05f * s - 0.0008018854993f) * s + 0.005189311943f) * s - 0.0268543288f) * s + 0.1128359746f) * s
      - 0.376126269f) * s + 0.128379166f;
  const float l = (((((0.0001864092576f * inside - 0.002947597957f) * inside + 0.02183650298f) * inside - 0.1031009567f) * inside
      - 0.6381541729f) * inside - 1.127082114f) * inside - 0.0003435867878f;
  return x != x ? x : __builtin_copysignf(magnitude < 1.0f ? magnitude + magnitude * p : 1.0f - exp_of(l), x);
}
