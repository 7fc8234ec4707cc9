// SPDX-License-Identifier: Apache-2.0
// Kernels that read and write bytes at computed addresses, as CUDA programmers write them. They are a yardstick: do not edit them.
#include <cuda_runtime.h>

__device__ int luminance(const unsigned char *image, int width, int height, int x, int y) {
  x = min(max(x, 0), width - 1);
  y = min(max(y, 0), height - 1);
  const unsigned char *p = image + (y * width + x) * 3;
  return (77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8;
}

extern "C" __global__ void sobel(const unsigned char *image, unsigned char *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int gx = 0, gy = 0;
  for (int d = -1; d <= 1; d++) {
    int weight = d == 0 ? 2 : 1;
    gx += weight * (luminance(image, width, height, x + 1, y + d) - luminance(image, width, height, x - 1, y + d));
    gy += weight * (luminance(image, width, height, x + d, y + 1) - luminance(image, width, height, x + d, y - 1));
  }
  int magnitude = abs(gx) + abs(gy);
  out[y * width + x] = magnitude > 255 ? 255 : magnitude;
}

extern "C" __global__ void rgb_to_gray(const unsigned char *rgb, unsigned char *gray, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned char r = rgb[3 * i];
    unsigned char g = rgb[3 * i + 1];
    unsigned char b = rgb[3 * i + 2];
    gray[i] = (r * 306 + g * 601 + b * 117) >> 10;
  }
}

__device__ inline unsigned char clamp_byte(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

// A plane of luma, and one of half the size with pairs of chroma.
extern "C" __global__ void nv12_to_rgb(const unsigned char *luma, const unsigned char *chroma, unsigned char *rgb, int width,
                                       int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    int c = 298 * (luma[y * width + x] - 16);
    int uv = (y / 2) * width + (x & ~1);
    int u = chroma[uv] - 128;
    int v = chroma[uv + 1] - 128;
    unsigned char *out = rgb + 3 * (y * width + x);
    out[0] = clamp_byte((c + 409 * v + 128) >> 8);
    out[1] = clamp_byte((c - 100 * u - 208 * v + 128) >> 8);
    out[2] = clamp_byte((c + 516 * u + 128) >> 8);
  }
}

extern "C" __global__ void histogram(const unsigned char *data, int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1);
}

// Each block has bins of its own first.
extern "C" __global__ void histogram_shared(const unsigned char *buffer, unsigned int *histo, long long size) {
  __shared__ unsigned int temp[256];
  temp[threadIdx.x] = 0;
  __syncthreads();
  long long i = threadIdx.x + (long long)blockIdx.x * blockDim.x;
  int offset = blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&temp[buffer[i]], 1);
    i += offset;
  }
  __syncthreads();
  atomicAdd(&histo[threadIdx.x], temp[threadIdx.x]);
}

// With coordinates and weights of 16 and 8 bits behind the point.
extern "C" __global__ void resize_bilinear(const unsigned char *src, unsigned char *dst, int src_w, int src_h, int dst_w, int dst_h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= dst_w || y >= dst_h) return;
  int fx = x * ((src_w << 16) / dst_w);
  int fy = y * ((src_h << 16) / dst_h);
  int x0 = fx >> 16, y0 = fy >> 16;
  int x1 = min(x0 + 1, src_w - 1), y1 = min(y0 + 1, src_h - 1);
  int wx = (fx >> 8) & 255, wy = (fy >> 8) & 255;
  int top = src[y0 * src_w + x0] * (256 - wx) + src[y0 * src_w + x1] * wx;
  int bottom = src[y1 * src_w + x0] * (256 - wx) + src[y1 * src_w + x1] * wx;
  dst[y * dst_w + x] = (top * (256 - wy) + bottom * wy + 32768) >> 16;
}
