#version 450
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer In { uint values[]; };
layout(std430, binding = 1) writeonly buffer Out { uint result[]; };
shared uint sums[256];
void main() {
  uint t = gl_LocalInvocationID.x;
  sums[t] = values[gl_GlobalInvocationID.x];
  barrier();
  for (uint k = 128u; k > 0u; k >>= 1) {
    if (t < k) sums[t] += sums[t + k];
    barrier();
  }
  if (t == 0u) result[gl_WorkGroupID.x] = sums[0];
}
