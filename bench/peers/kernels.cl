// The kernels of ../hand.h in OpenCL C, as their authors would write them: one work item a result, shared
// tiles, trees over local memory.
__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void mandelbrot(__global uint* restrict out) {
  uint x = get_global_id(0), y = get_global_id(1), n = 0;
  float cr = -2.0f + x * (2.5f / 1024), ci = -1.25f + y * (2.5f / 1024), zr = 0, zi = 0;
  for (; n < 256; n++) {
    float a = zr * zr, b = zi * zi;
    if (a + b > 4.0f) break;
    zi = (zr + zr) * zi + ci;
    zr = a - b + cr;
  }
  out[y * 1024 + x] = n;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void saxpy(__global const float* restrict x,
                                                                     __global float* restrict y) {
  uint i = get_global_id(0);
  y[i] = 1e-3f * x[i] + y[i];
}

__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void matmul(__global const float* restrict a,
                                                                      __global const float* restrict b,
                                                                      __global float* restrict c) {
  __local float tile_a[16][16], tile_b[16][16];
  uint x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
  float sum = 0;
  for (uint t = 0; t < 512; t += 16) {
    tile_a[y][x] = a[row * 512 + t + x];
    tile_b[y][x] = b[(t + y) * 512 + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < 16; k++) sum += tile_a[y][k] * tile_b[k][x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * 512 + column] = sum;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void reduce(__global const uint* restrict in,
                                                                      __global uint* restrict out) {
  __local uint sums[256];
  uint t = get_local_id(0);
  sums[t] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 128; k > 0; k >>= 1) {
    if (t < k) sums[t] += sums[t + k];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = sums[0];
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void scan(__global const uint* restrict in,
                                                                    __global uint* restrict out) {
  __local uint sums[2][256];
  uint t = get_local_id(0), v = in[get_global_id(0)], side = 0;
  sums[0][t] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 1; k < 256; k <<= 1) {
    if (t >= k) v += sums[side][t - k];
    side ^= 1;
    sums[side][t] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = v;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void hash(__global const uint* restrict in,
                                                                    __global uint* restrict out) {
  uint i = get_global_id(0), h = in[i];
  for (uint k = 0; k < 64; k++) {
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    h += k * 0x9e3779b9u;
  }
  out[i] = h;
}
