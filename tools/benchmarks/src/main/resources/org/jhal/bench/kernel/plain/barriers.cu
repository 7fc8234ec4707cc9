// SPDX-License-Identifier: Apache-2.0
// Kernels whose work items meet at barriers, as CUDA programmers write them. They are a yardstick: do not edit them.
#include <cuda_runtime.h>

#define BLOCK_SIZE 256

// The cheapest path down a grid of costs: several rows at once, so each block computes columns of its neighbours as well.
extern "C" __global__ void cheapest_path(int cols, int steps, const int *wall, const int *src, int *dst) {
  __shared__ int prev[BLOCK_SIZE];
  __shared__ int result[BLOCK_SIZE];

  int tx = threadIdx.x;
  int own = BLOCK_SIZE - 2 * steps;
  int first = own * blockIdx.x - steps;  // the column of the first thread
  int col = first + tx;

  int validMin = first < 0 ? -first : 0;
  int validMax = first + BLOCK_SIZE > cols ? cols - 1 - first : BLOCK_SIZE - 1;
  bool isValid = tx >= validMin && tx <= validMax;

  if (isValid) prev[tx] = src[col];
  __syncthreads();

  bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (tx >= i + 1 && tx <= BLOCK_SIZE - 2 - i && isValid) {
      computed = true;
      int left = prev[max(tx - 1, validMin)];
      int up = prev[tx];
      int right = prev[min(tx + 1, validMax)];
      int shortest = min(min(left, up), right);
      result[tx] = shortest + wall[cols * i + col];
    }
    __syncthreads();
    if (computed) prev[tx] = result[tx];
    __syncthreads();
  }

  if (computed) dst[col] = result[tx];
}

#define TILE 16
#define HEAT_STEPS 2

// Two steps of heat that spreads, in a tile with a border that shrinks by one in each step.
extern "C" __global__ void heat(const float *power, const float *tempIn, float *tempOut, int cols, int rows, float k, float cap) {
  __shared__ float temp[TILE][TILE];
  __shared__ float powerTile[TILE][TILE];
  __shared__ float next[TILE][TILE];

  int tx = threadIdx.x, ty = threadIdx.y;
  int inner = TILE - 2 * HEAT_STEPS;
  int x0 = blockIdx.x * inner - HEAT_STEPS, y0 = blockIdx.y * inner - HEAT_STEPS;
  int x = x0 + tx, y = y0 + ty;

  int xMin = x0 < 0 ? -x0 : 0, xMax = x0 + TILE > cols ? cols - 1 - x0 : TILE - 1;
  int yMin = y0 < 0 ? -y0 : 0, yMax = y0 + TILE > rows ? rows - 1 - y0 : TILE - 1;
  bool inside = tx >= xMin && tx <= xMax && ty >= yMin && ty <= yMax;

  if (inside) {
    temp[ty][tx] = tempIn[y * cols + x];
    powerTile[ty][tx] = power[y * cols + x];
  }
  __syncthreads();

  int west = max(tx - 1, xMin), east = min(tx + 1, xMax);
  int north = max(ty - 1, yMin), south = min(ty + 1, yMax);

  bool computed = false;
  for (int step = 0; step < HEAT_STEPS; step++) {
    computed = false;
    if (tx > step && tx < TILE - 1 - step && ty > step && ty < TILE - 1 - step && inside) {
      computed = true;
      float center = temp[ty][tx];
      next[ty][tx] = center + cap * (powerTile[ty][tx] + k * (temp[north][tx] + temp[south][tx] - 2.0f * center) +
                                     k * (temp[ty][west] + temp[ty][east] - 2.0f * center));
    }
    __syncthreads();
    if (step == HEAT_STEPS - 1) break;
    if (computed) temp[ty][tx] = next[ty][tx];
    __syncthreads();
  }

  if (computed) tempOut[y * cols + x] = next[ty][tx];
}

// The sum of each 512 elements.
extern "C" __global__ void block_sums(const float *in, float *out, unsigned int n) {
  __shared__ float sdata[BLOCK_SIZE];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;

  float mySum = (i < n) ? in[i] : 0;
  if (i + blockDim.x < n) mySum += in[i + blockDim.x];
  sdata[tid] = mySum;
  __syncthreads();

  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) {
      sdata[tid] += sdata[tid + s];
    }
    __syncthreads();
  }

  if (tid == 0) out[blockIdx.x] = sdata[0];
}

// The largest element of each block and where it is, with a stride that grows.
extern "C" __global__ void block_argmax(const float *values, int *where, int n) {
  __shared__ float best[BLOCK_SIZE];
  __shared__ int index[BLOCK_SIZE];
  int tid = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tid;
  best[tid] = i < n ? values[i] : -FLT_MAX;
  index[tid] = i;
  __syncthreads();
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0) {
      if (best[tid + stride] > best[tid]) {
        best[tid] = best[tid + stride];
        index[tid] = index[tid + stride];
      }
    }
    __syncthreads();
  }
  if (tid == 0) where[blockIdx.x] = index[0];
}

extern "C" __global__ void sgemm_tiled(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < (K + TILE - 1) / TILE; t++) {
    As[ty][tx] = row < M && t * TILE + tx < K ? A[row * K + t * TILE + tx] : 0.0f;
    Bs[ty][tx] = col < N && t * TILE + ty < K ? B[(t * TILE + ty) * N + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; k++) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

// The sums up to each element, in each block, with two buffers.
extern "C" __global__ void block_scan(const int *in, int *out, int n) {
  __shared__ int temp[2][BLOCK_SIZE];
  int tid = threadIdx.x;
  int gid = blockIdx.x * blockDim.x + threadIdx.x;
  int pout = 0, pin = 1;
  temp[pout][tid] = gid < n ? in[gid] : 0;
  __syncthreads();
  for (int offset = 1; offset < blockDim.x; offset *= 2) {
    pout = 1 - pout;
    pin = 1 - pout;
    if (tid >= offset) {
      temp[pout][tid] = temp[pin][tid] + temp[pin][tid - offset];
    } else {
      temp[pout][tid] = temp[pin][tid];
    }
    __syncthreads();
  }
  if (gid < n) out[gid] = temp[pout][tid];
}

// The sums before each element, in each 512, up and down a tree.
extern "C" __global__ void tree_scan(const int *g_idata, int *g_odata, int length) {
  __shared__ int temp[2 * BLOCK_SIZE];
  int thid = threadIdx.x;
  int n = 2 * blockDim.x;
  int base = blockIdx.x * n;
  int offset = 1;
  temp[2 * thid] = base + 2 * thid < length ? g_idata[base + 2 * thid] : 0;
  temp[2 * thid + 1] = base + 2 * thid + 1 < length ? g_idata[base + 2 * thid + 1] : 0;
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      temp[bi] += temp[ai];
    }
    offset *= 2;
  }
  if (thid == 0) temp[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int ai = offset * (2 * thid + 1) - 1;
      int bi = offset * (2 * thid + 2) - 1;
      int t = temp[ai];
      temp[ai] = temp[bi];
      temp[bi] += t;
    }
  }
  __syncthreads();
  if (base + 2 * thid < length) g_odata[base + 2 * thid] = temp[2 * thid];
  if (base + 2 * thid + 1 < length) g_odata[base + 2 * thid + 1] = temp[2 * thid + 1];
}

#define TILE_DIM 32
#define BLOCK_ROWS 8

extern "C" __global__ void transpose(float *odata, const float *idata, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x;
  int y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

#define RADIUS 3

// The input has RADIUS more elements at each end.
extern "C" __global__ void stencil_1d(const int *in, int *out, int n) {
  __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * blockDim.x + RADIUS;
  int lindex = threadIdx.x + RADIUS;
  temp[lindex] = in[gindex];
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = in[gindex - RADIUS];
    temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE];
  }
  __syncthreads();
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[lindex + offset];
  if (gindex - RADIUS < n) out[gindex - RADIUS] = result;
}
