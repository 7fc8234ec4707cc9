// SPDX-License-Identifier: Apache-2.0
// What the kernels of items.cu compute, as a C programmer writes it for one thread. A yardstick: do not edit.
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

void scale_add(int n, float a, const float *restrict x, const float *restrict y, float *restrict out) {
  for (int i = 0; i < n; i++) out[i] = a * x[i] + y[i];
}

void blend(const float *restrict x, const float *restrict y, float *restrict out, float t, unsigned n) {
  for (unsigned i = 0; i < n; i++) out[i] = x[i] + t * (y[i] - x[i]);
}

void polynomial(const float *restrict x, const float *restrict coefficients, float *restrict y, int degree, size_t n) {
  for (size_t i = 0; i < n; i++) {
    float value = coefficients[degree];
    for (int k = degree - 1; k >= 0; k--) value = value * x[i] + coefficients[k];
    y[i] = value;
  }
}

void magnitude(const float *restrict re, const float *restrict im, float *restrict out, int n) {
  for (int i = 0; i < n; i++) out[i] = sqrtf(re[i] * re[i] + im[i] * im[i]);
}

void matrix_add(const float *restrict a, const float *restrict b, float *restrict c, int width, int height) {
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) c[y * width + x] = a[y * width + x] + b[y * width + x];
  }
}

void jacobi(int nx, int ny, const float *restrict in, float *restrict out) {
  for (int y = 0; y < ny; y++) {
    const float *row = in + y * nx;
    float *to = out + y * nx;
    if (y == 0 || y == ny - 1) {
      memcpy(to, row, nx * sizeof *to);
      continue;
    }
    to[0] = row[0];
    for (int x = 1; x < nx - 1; x++) to[x] = 0.25f * (row[x - 1] + row[x + 1] + row[x - nx] + row[x + nx]);
    to[nx - 1] = row[nx - 1];
  }
}

static float sum3(const float *a, const float *b, const float *c, int x) { return a[x] + b[x] + c[x]; }

void blur(const float *restrict src, float *restrict dst, int width, int height) {
  for (int y = 0; y < height; y++) {
    const float *b = src + y * width;
    const float *a = y > 0 ? b - width : b;
    const float *c = y < height - 1 ? b + width : b;
    float *to = dst + y * width;
    to[0] = (2 * sum3(a, b, c, 0) + sum3(a, b, c, 1)) / 9.0f;
    for (int x = 1; x < width - 1; x++) {
      to[x] = (sum3(a, b, c, x - 1) + sum3(a, b, c, x) + sum3(a, b, c, x + 1)) / 9.0f;
    }
    to[width - 1] = (sum3(a, b, c, width - 2) + 2 * sum3(a, b, c, width - 1)) / 9.0f;
  }
}

void convolution(const float *restrict image, const float *restrict mask, float *restrict result, int width, int height, int radius) {
  int side = 2 * radius + 1;
  for (int row = 0; row < height; row++) {
    float *to = result + row * width;
    for (int col = 0; col < width; col++) to[col] = 0;
    for (int i = -radius; i <= radius; i++) {
      if (row + i < 0 || row + i >= height) continue;
      const float *from = image + (row + i) * width;
      for (int j = -radius; j <= radius; j++) {
        float m = mask[(i + radius) * side + j + radius];
        int first = j < 0 ? -j : 0, end = j > 0 ? width - j : width;
        for (int col = first; col < end; col++) to[col] += from[col + j] * m;
      }
    }
  }
}

void laplace3d(const float *restrict u, float *restrict v, int nx, int ny, int nz) {
  for (int k = 1; k < nz - 1; k++) {
    for (int j = 1; j < ny - 1; j++) {
      for (int i = 1; i < nx - 1; i++) {
        int at = (k * ny + j) * nx + i;
        v[at] = u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] + u[at - nx * ny] + u[at + nx * ny] - 6.0f * u[at];
      }
    }
  }
}

void sgemm_naive(int m, int n, int k, float alpha, const float *restrict a, const float *restrict b, float *restrict c) {
  for (int row = 0; row < m; row++) {
    float *to = c + row * n;
    for (int col = 0; col < n; col++) to[col] = 0;
    for (int i = 0; i < k; i++) {
      float factor = alpha * a[row * k + i];
      for (int col = 0; col < n; col++) to[col] += factor * b[i * n + col];
    }
  }
}

void row_product(const float *restrict a, const float *restrict x, float *restrict y, int rows, int cols) {
  for (int i = 0; i < rows; i++) {
    float sum = 0;
    for (int j = 0; j < cols; j++) sum += a[i * cols + j] * x[j];
    y[i] = sum;
  }
}

void column_product(const float *restrict a, const float *restrict x, float *restrict y, int rows, int cols) {
  for (int j = 0; j < cols; j++) y[j] = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) y[j] += a[i * cols + j] * x[i];
  }
}

typedef struct {
  float lat, lng;
} place;

void distances(const place *restrict places, float *restrict out, int count, float lat, float lng) {
  for (int i = 0; i < count; i++) {
    float dy = lat - places[i].lat, dx = lng - places[i].lng;
    out[i] = sqrtf(dy * dy + dx * dx);
  }
}

void nearest_center(const float *restrict features, const float *restrict centers, int *restrict membership, int points, int count,
                    int dimensions) {
  for (int i = 0; i < points; i++) {
    int index = -1;
    float best = FLT_MAX;
    for (int c = 0; c < count; c++) {
      float distance = 0;
      for (int f = 0; f < dimensions; f++) {
        float d = features[f * points + i] - centers[c * dimensions + f];
        distance += d * d;
      }
      if (distance < best) {
        best = distance;
        index = c;
      }
    }
    membership[i] = index;
  }
}

void argmax_rows(const float *restrict scores, int *restrict labels, int rows, int classes) {
  for (int i = 0; i < rows; i++) {
    const float *row = scores + i * classes;
    int best = 0;
    for (int c = 1; c < classes; c++) {
      if (row[c] > row[best]) best = c;
    }
    labels[i] = best;
  }
}
