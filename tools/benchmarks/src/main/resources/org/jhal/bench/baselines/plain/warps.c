// SPDX-License-Identifier: Apache-2.0
// What the kernels of warps.cu compute, as a C programmer writes it for one thread. A yardstick: do not edit.
#include <math.h>

void rms_norm(const float *restrict x, const float *restrict weight, float *restrict out, int rows, int columns, float eps) {
  for (int row = 0; row < rows; row++, x += columns, out += columns) {
    float sum = 0;
    for (int i = 0; i < columns; i++) sum += x[i] * x[i];
    float scale = 1 / sqrtf(sum / columns + eps);
    for (int i = 0; i < columns; i++) out[i] = scale * x[i] * weight[i];
  }
}

void layer_norm(const float *restrict in, const float *restrict weight, const float *restrict bias, float *restrict out, int rows,
                int columns) {
  for (int row = 0; row < rows; row++) {
    const float *x = in + row * columns;
    float *to = out + row * columns;
    float sum = 0;
    for (int i = 0; i < columns; i++) sum += x[i];
    float mean = sum / columns;
    float squares = 0;
    for (int i = 0; i < columns; i++) squares += (x[i] - mean) * (x[i] - mean);
    float scale = 1 / sqrtf(squares / columns + 1e-5f);
    for (int i = 0; i < columns; i++) to[i] = scale * (x[i] - mean) * weight[i] + bias[i];
  }
}

void softmax_rows(const float *restrict in, float *restrict out, int rows, int columns) {
  for (int row = 0; row < rows; row++) {
    const float *x = in + row * columns;
    float *y = out + row * columns;
    float most = x[0];
    for (int i = 1; i < columns; i++) most = x[i] > most ? x[i] : most;
    float sum = 0;
    for (int i = 0; i < columns; i++) {
      y[i] = expf(x[i] - most);
      sum += y[i];
    }
    for (int i = 0; i < columns; i++) y[i] /= sum;
  }
}

void warp_scan(const int *restrict in, int *restrict out, int n) {
  for (int first = 0; first < n; first += 256) {
    int sum = 0;
    for (int i = first; i < first + 256 && i < n; i++) {
      sum += in[i];
      out[i] = sum;
    }
  }
}

void compact(const int *restrict in, int *restrict out, int n, int limit) {
  for (int first = 0; first < n; first += 256, out += 257) {
    int count = 0;
    for (int i = first; i < first + 256 && i < n; i++) {
      if (in[i] > limit) out[1 + count++] = in[i];
    }
    out[0] = count;
  }
}

void warp_gemv(const float *restrict a, const float *restrict x, float *restrict y, int rows, int columns) {
  for (int i = 0; i < rows; i++) {
    float sum = 0;
    for (int j = 0; j < columns; j++) sum += a[i * columns + j] * x[j];
    y[i] = sum;
  }
}

void warp_product(const float *restrict a, const float *restrict b, float *restrict c, int m, int n, int k) {
  for (int row = 0; row < m; row++) {
    float *to = c + row * n;
    for (int col = 0; col < n; col++) to[col] = 0;
    for (int i = 0; i < k; i++) {
      float factor = a[row * k + i];
      for (int col = 0; col < n; col++) to[col] += factor * b[i * n + col];
    }
  }
}

void warp_votes(const int *restrict in, int *restrict out, int n, int limit) {
  for (int first = 0; first < n; first += 32) {
    int above = 0, negative = 0;
    for (int i = first; i < first + 32; i++) {
      above += in[i] > limit;
      negative |= in[i] < 0;
    }
    out[first / 32] = negative ? -2 : above == 32 ? -1 : above;
  }
}
