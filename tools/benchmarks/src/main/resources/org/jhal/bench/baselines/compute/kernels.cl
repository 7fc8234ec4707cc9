// SPDX-License-Identifier: Apache-2.0
// The kernels of the examples in OpenCL C, with the same workgroups.
#pragma OPENCL FP_CONTRACT OFF

__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void saxpy(uint n, float a, __global const float *x, __global float *y) {
  size_t i = get_global_id(0);
  if (i < n) y[i] = fma(a, x[i], y[i]);
}

#define TILE 16
__attribute__((reqd_work_group_size(TILE, TILE, 1)))
__kernel void matmul(uint rows, uint inner, uint columns, __global const float *a, __global const float *b,
                     __global float *c) {
  __local float tile_a[TILE][TILE];
  __local float tile_b[TILE][TILE];
  size_t x = get_local_id(0), y = get_local_id(1);
  size_t row = get_global_id(1), column = get_global_id(0);
  float sum = 0;
  for (size_t first = 0; first < inner; first += TILE) {
    tile_a[y][x] = row < rows && first + x < inner ? a[row * inner + first + x] : 0;
    tile_b[y][x] = first + y < inner && column < columns ? b[(first + y) * columns + column] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; k++) sum = fma(tile_a[y][k], tile_b[k][x], sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void reduction(uint n, uint groups, __global const float *values, __global float *sums) {
  __local float partial[256];
  uint item = get_local_id(0);
  float sum = 0;
  for (size_t i = get_global_id(0); i < n; i += (size_t)groups * 256) sum += values[i];
  partial[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint by = 128; by > 0; by /= 2) {
    if (item < by) partial[item] += partial[item + by];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) sums[get_group_id(0)] = partial[0];
}

__attribute__((reqd_work_group_size(32, 8, 1)))
__kernel void julia(uint width, uint height, float re, float im, __global uint *pixels) {
  uint x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  float zx = 3.0f * x / width - 1.5f, zy = 2.0f * y / height - 1.0f;
  uint step = 0;
  while (step < 255 && zx * zx + zy * zy < 4.0f) {
    float next = zx * zx - zy * zy + re;
    zy = 2.0f * zx * zy + im;
    zx = next;
    step++;
  }
  pixels[y * width + x] = step * 0x010204u & 0xFFFFFFu;
}

static int grey(__global const uchar *image, int width, int height, int channels, int x, int y) {
  x = clamp(x, 0, width - 1);
  y = clamp(y, 0, height - 1);
  __global const uchar *pixel = image + ((long)y * width + x) * channels;
  return channels < 3 ? pixel[0] : (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2] + 128) >> 8;
}

__attribute__((reqd_work_group_size(16, 16, 1)))
__kernel void edges(__global const uchar *image, __global uchar *edges, int width, int height, int channels) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y >= height) return;
  int p[3][3];
  for (int dy = 0; dy < 3; dy++) {
    for (int dx = 0; dx < 3; dx++) p[dy][dx] = grey(image, width, height, channels, x + dx - 1, y + dy - 1);
  }
  int gx = (p[0][2] + 2 * p[1][2] + p[2][2]) - (p[0][0] + 2 * p[1][0] + p[2][0]);
  int gy = (p[2][0] + 2 * p[2][1] + p[2][2]) - (p[0][0] + 2 * p[0][1] + p[0][2]);
  int slope = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
  edges[(long)y * width + x] = (uchar)(slope > 255 ? 0 : 255 - slope);
}
