// Metal has no erf. Minimax polynomials in single precision: erf x = x + x P(x^2) below 1, 1 - e^L(x) above.
inline float erf_of(float x) {
  const float s = x * x, magnitude = fabs(x), inside = magnitude > 3.93f ? 3.93f : magnitude;
  const float p = (((((7.88249711e-05f * s - 0.0008018854993f) * s + 0.005189311943f) * s - 0.0268543288f) * s + 0.1128359746f) * s
      - 0.376126269f) * s + 0.128379166f;
  const float l = (((((0.0001864092576f * inside - 0.002947597957f) * inside + 0.02183650298f) * inside - 0.1031009567f) * inside
      - 0.6381541729f) * inside - 1.127082114f) * inside - 0.0003435867878f;
  return isnan(x) ? x : copysign(magnitude < 1.0f ? magnitude + magnitude * p : 1.0f - precise::exp(l), x);
}
