// SPDX-License-Identifier: Apache-2.0
// Kernels whose work items never meet, as CUDA programmers write them. They are a yardstick: do not edit them.
#include <cuda_runtime.h>

extern "C" __global__ void scale_add(int n, float a, const float *x, const float *y, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}

extern "C" __global__ void blend(const float *x, const float *y, float *out, float t, unsigned int n) {
  unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
  if (tid >= n) return;
  out[tid] = x[tid] + t * (y[tid] - x[tid]);
}

// Horner's rule, with the coefficients in memory.
extern "C" __global__ void polynomial(const float *__restrict__ x, const float *__restrict__ coefficients,
                                      float *__restrict__ y, int degree, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float value = coefficients[degree];
    for (int k = degree - 1; k >= 0; k--) {
      value = value * x[i] + coefficients[k];
    }
    y[i] = value;
  }
}

// A loop over the grid.
extern "C" __global__ void magnitude(const float *re, const float *im, float *out, int n) {
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    out[i] = sqrtf(re[i] * re[i] + im[i] * im[i]);
  }
}

extern "C" __global__ void matrix_add(const float *a, const float *b, float *c, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    c[y * width + x] = a[y * width + x] + b[y * width + x];
  }
}

// One step of Jacobi's method; the border keeps its values.
extern "C" __global__ void jacobi(int nx, int ny, const float *in, float *out) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= nx || row >= ny) return;
  const int idx = row * nx + col;
  if (col > 0 && col < nx - 1 && row > 0 && row < ny - 1) {
    out[idx] = 0.25f * (in[idx - 1] + in[idx + 1] + in[idx - nx] + in[idx + nx]);
  } else {
    out[idx] = in[idx];
  }
}

// The mean of nine pixels; those outside are the nearest ones inside.
extern "C" __global__ void blur(const float *src, float *dst, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
  for (int dy = -1; dy <= 1; dy++) {
    for (int dx = -1; dx <= 1; dx++) {
      int sx = min(max(x + dx, 0), width - 1);
      int sy = min(max(y + dy, 0), height - 1);
      sum += src[sy * width + sx];
    }
  }
  dst[y * width + x] = sum / 9.0f;
}

// Pixels outside are zero.
extern "C" __global__ void convolution(const float *image, const float *mask, float *result, int width, int height, int radius) {
  int col = threadIdx.x + blockIdx.x * blockDim.x;
  int row = threadIdx.y + blockIdx.y * blockDim.y;
  if (row < height && col < width) {
    float acc = 0;
    for (int i = -radius; i <= radius; i++) {
      for (int j = -radius; j <= radius; j++) {
        int r = row + i, c = col + j;
        if (r >= 0 && r < height && c >= 0 && c < width) {
          acc += image[r * width + c] * mask[(i + radius) * (2 * radius + 1) + j + radius];
        }
      }
    }
    result[row * width + col] = acc;
  }
}

extern "C" __global__ void laplace3d(const float *u, float *v, int nx, int ny, int nz) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || i >= nx - 1 || j < 1 || j >= ny - 1) return;
  for (int k = 1; k < nz - 1; k++) {
    int at = (k * ny + j) * nx + i;
    v[at] = u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] + u[at - nx * ny] + u[at + nx * ny] - 6.0f * u[at];
  }
}

extern "C" __global__ void sgemm_naive(int M, int N, int K, float alpha, const float *A, const float *B, float *C) {
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < M && col < N) {
    float sum = 0.0f;
    for (int k = 0; k < K; ++k) {
      sum += A[row * K + k] * B[k * N + col];
    }
    C[row * N + col] = alpha * sum;
  }
}

// A product with a vector: each work item has a row.
extern "C" __global__ void row_product(const float *A, const float *x, float *y, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    y[i] = 0;
    for (int j = 0; j < cols; j++) {
      y[i] += A[i * cols + j] * x[j];
    }
  }
}

// With the transposed matrix: each work item has a column.
extern "C" __global__ void column_product(const float *A, const float *x, float *y, int rows, int cols) {
  int j = blockDim.x * blockIdx.x + threadIdx.x;
  if (j < cols) {
    float sum = 0.f;
    for (int i = 0; i < rows; i++) {
      sum += A[i * cols + j] * x[i];
    }
    y[j] = sum;
  }
}

struct Place {
  float lat;
  float lng;
};

extern "C" __global__ void distances(const Place *places, float *out, int count, float lat, float lng) {
  int id = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
  if (id < count) {
    const Place *place = &places[id];
    out[id] = sqrtf((lat - place->lat) * (lat - place->lat) + (lng - place->lng) * (lng - place->lng));
  }
}

// The step of k-means that assigns points to centers; features[f][point], centers[center][f].
extern "C" __global__ void nearest_center(const float *features, const float *centers, int *membership, int npoints, int ncenters,
                                          int nfeatures) {
  unsigned int point = blockIdx.x * blockDim.x + threadIdx.x;
  if (point < npoints) {
    int index = -1;
    float best = FLT_MAX;
    for (int c = 0; c < ncenters; c++) {
      float dist = 0.0f;
      for (int f = 0; f < nfeatures; f++) {
        float d = features[f * npoints + point] - centers[c * nfeatures + f];
        dist += d * d;
      }
      if (dist < best) {
        best = dist;
        index = c;
      }
    }
    membership[point] = index;
  }
}

extern "C" __global__ void argmax_rows(const float *scores, int *labels, int rows, int classes) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int best = 0;
  float most = scores[row * classes];
  for (int c = 1; c < classes; c++) {
    float s = scores[row * classes + c];
    if (s > most) {
      most = s;
      best = c;
    }
  }
  labels[row] = best;
}
