// SPDX-License-Identifier: Apache-2.0
// Kernels whose work items take different numbers of steps, as CUDA programmers write them. They are a yardstick: do not edit them.
#include <cuda_runtime.h>

extern "C" __global__ void mandelbrot(int *iterations, int width, int height, float x0, float y0, float scale, int maxIter) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = x0 + px * scale;
  float cy = y0 + py * scale;
  float x = 0.0f, y = 0.0f;
  int i = 0;
  while (x * x + y * y <= 4.0f && i < maxIter) {
    float t = x * x - y * y + cx;
    y = 2.0f * x * y + cy;
    x = t;
    i++;
  }
  iterations[py * width + px] = i;
}

struct Complex {
  float r, i;
  __device__ Complex(float a, float b) : r(a), i(b) {}
  __device__ float magnitude2() const { return r * r + i * i; }
  __device__ Complex operator*(const Complex &a) const { return Complex(r * a.r - i * a.i, i * a.r + r * a.i); }
  __device__ Complex operator+(const Complex &a) const { return Complex(r + a.r, i + a.i); }
};

__device__ int julia_steps(int x, int y, int dim, Complex c) {
  float jx = 1.5f * (float)(dim / 2 - x) / (dim / 2);
  float jy = 1.5f * (float)(dim / 2 - y) / (dim / 2);
  Complex a(jx, jy);
  for (int i = 0; i < 200; i++) {
    a = a * a + c;
    if (a.magnitude2() > 1000) return i;
  }
  return 200;
}

extern "C" __global__ void julia_set(int *steps, int dim, float re, float im) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  int offset = x + y * blockDim.x * gridDim.x;
  if (x < dim && y < dim) steps[offset] = julia_steps(x, y, dim, Complex(re, im));
}

extern "C" __global__ void collatz(unsigned int first, int *steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned int value = first + i;
  int count = 0;
  while (value != 1) {
    if (value % 2 == 0) {
      value = value / 2;
    } else {
      value = 3 * value + 1;
    }
    count++;
  }
  steps[i] = count;
}

__device__ unsigned int next_random(unsigned int &state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

// How many steps it takes to leave a square.
extern "C" __global__ void random_walk(unsigned int seed, int *out, int walkers, int bound, int most) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= walkers) return;
  unsigned int state = seed + 2654435761u * (id + 1);
  int x = 0, y = 0;
  int step = 0;
  for (; step < most; step++) {
    switch (next_random(state) >> 30) {
      case 0: x++; break;
      case 1: x--; break;
      case 2: y++; break;
      default: y--; break;
    }
    if (x > bound || x < -bound || y > bound || y < -bound) break;
  }
  out[id] = step;
}

// The first day on which the balance is below zero; most accounts never get there.
extern "C" __global__ void first_below(const int *changes, int *day, int accounts, int days) {
  int a = blockIdx.x * blockDim.x + threadIdx.x;
  if (a < accounts) {
    int balance = 20;
    int found = -1;
    for (int d = 0; d < days; d++) {
      balance += changes[d * accounts + a];
      if (balance < 0) {
        found = d;
        break;
      }
    }
    day[a] = found;
  }
}

__device__ int lower_bound(const int *sorted, int n, int key) {
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (sorted[mid] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

extern "C" __global__ void binary_search(const int *table, int n, const int *queries, int *results, int q) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid < q) results[tid] = lower_bound(table, n, queries[tid]);
}

// Kepler's equation by Newton's method; elements with a mask of zero are skipped.
extern "C" __global__ void kepler(const float *anomaly, const float *eccentricity, const int *mask, float *result, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || mask[i] == 0) return;
  float m = anomaly[i], e = eccentricity[i];
  float x = m;
  float dx = 1.0f;
  int iteration = 0;
  while (fabsf(dx) > 1e-5f && iteration < 30) {
    dx = (x - e * sinf(x) - m) / (1.0f - e * cosf(x));
    x -= dx;
    iteration++;
  }
  result[i] = x;
}
