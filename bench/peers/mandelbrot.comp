#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) writeonly buffer Out { uint result[]; };
void main() {
  uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y, n = 0u;
  float cr = -2.0 + float(x) * (2.5 / 1024.0), ci = -1.25 + float(y) * (2.5 / 1024.0), zr = 0.0, zi = 0.0;
  for (; n < 256u; n++) {
    float a = zr * zr, b = zi * zi;
    if (a + b > 4.0) break;
    zi = (zr + zr) * zi + ci;
    zr = a - b + cr;
  }
  result[y * 1024u + x] = n;
}
