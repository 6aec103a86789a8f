#version 450
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer In { uint values[]; };
layout(std430, binding = 1) writeonly buffer Out { uint result[]; };
void main() {
  uint i = gl_GlobalInvocationID.x, h = values[i];
  for (uint k = 0u; k < 64u; k++) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    h += k * 0x9e3779b9u;
  }
  result[i] = h;
}
