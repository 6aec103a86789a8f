#version 450
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer In { uint values[]; };
layout(std430, binding = 1) writeonly buffer Out { uint result[]; };
shared uint sums[2][256];
void main() {
  uint t = gl_LocalInvocationID.x, v = values[gl_GlobalInvocationID.x], side = 0u;
  sums[0][t] = v;
  barrier();
  for (uint k = 1u; k < 256u; k <<= 1) {
    if (t >= k) v += sums[side][t - k];
    side ^= 1u;
    sums[side][t] = v;
    barrier();
  }
  result[gl_GlobalInvocationID.x] = v;
}
