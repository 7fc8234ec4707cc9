// SPDX-License-Identifier: Apache-2.0
// What the kernels of barriers.cu compute, as a C programmer writes it for one thread. A yardstick: do not edit.
#include <stdlib.h>
#include <string.h>

static int least(int a, int b) { return a < b ? a : b; }

void cheapest_path(int cols, int steps, const int *restrict wall, const int *restrict src, int *restrict dst) {
  int *above = malloc(cols * sizeof *above), *row = malloc(cols * sizeof *row);
  memcpy(above, src, cols * sizeof *above);
  for (int i = 0; i < steps; i++) {
    const int *cost = wall + i * cols;
    row[0] = least(above[0], above[1]) + cost[0];
    for (int x = 1; x < cols - 1; x++) row[x] = least(least(above[x - 1], above[x]), above[x + 1]) + cost[x];
    row[cols - 1] = least(above[cols - 2], above[cols - 1]) + cost[cols - 1];
    int *swap = above;
    above = row;
    row = swap;
  }
  memcpy(dst, above, cols * sizeof *dst);
  free(above);
  free(row);
}

static void heat_step(const float *restrict power, const float *restrict from, float *restrict to, int cols, int rows, float k, float cap) {
  for (int y = 0; y < rows; y++) {
    const float *center = from + y * cols;
    const float *north = y > 0 ? center - cols : center;
    const float *south = y < rows - 1 ? center + cols : center;
    for (int x = 0; x < cols; x++) {
      float c = center[x];
      float west = x > 0 ? center[x - 1] : c, east = x < cols - 1 ? center[x + 1] : c;
      to[y * cols + x] =
          c + cap * (power[y * cols + x] + k * (north[x] + south[x] - 2.0f * c) + k * (west + east - 2.0f * c));
    }
  }
}

void heat(const float *restrict power, const float *restrict in, float *restrict out, int cols, int rows, float k, float cap) {
  float *between = malloc((size_t)cols * rows * sizeof *between);
  heat_step(power, in, between, cols, rows, k, cap);
  heat_step(power, between, out, cols, rows, k, cap);
  free(between);
}

void block_sums(const float *restrict in, float *restrict out, unsigned n) {
  for (unsigned first = 0; first < n; first += 512) {
    float sum = 0;
    for (unsigned i = first; i < first + 512 && i < n; i++) sum += in[i];
    out[first / 512] = sum;
  }
}

void block_argmax(const float *restrict values, int *restrict where, int n) {
  for (int first = 0; first < n; first += 256) {
    int best = first;
    for (int i = first + 1; i < first + 256 && i < n; i++) {
      if (values[i] > values[best]) best = i;
    }
    where[first / 256] = best;
  }
}

void sgemm_tiled(const float *restrict a, const float *restrict b, float *restrict c, int m, int n, int k) {
  for (int row = 0; row < m; row++) {
    float *to = c + row * n;
    for (int col = 0; col < n; col++) to[col] = 0;
    for (int i = 0; i < k; i++) {
      float factor = a[row * k + i];
      for (int col = 0; col < n; col++) to[col] += factor * b[i * n + col];
    }
  }
}

void block_scan(const int *restrict in, int *restrict out, int n) {
  for (int first = 0; first < n; first += 256) {
    int sum = 0;
    for (int i = first; i < first + 256 && i < n; i++) {
      sum += in[i];
      out[i] = sum;
    }
  }
}

void tree_scan(const int *restrict in, int *restrict out, int n) {
  for (int first = 0; first < n; first += 512) {
    int sum = 0;
    for (int i = first; i < first + 512; i++) {
      out[i] = sum;
      sum += in[i];
    }
  }
}

void transpose(float *restrict to, const float *restrict from, int width, int height) {
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) to[x * height + y] = from[y * width + x];
  }
}

void stencil_1d(const int *restrict in, int *restrict out, int n) {
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int j = 0; j < 7; j++) sum += in[i + j];
    out[i] = sum;
  }
}
