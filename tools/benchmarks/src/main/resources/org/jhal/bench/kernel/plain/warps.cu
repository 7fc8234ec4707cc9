// SPDX-License-Identifier: Apache-2.0
// Kernels whose work items exchange values within a warp, as CUDA programmers write them. They are a yardstick: do not edit them.
#include <cuda_runtime.h>

#define FULL_MASK 0xffffffff

struct WarpSum {
  static __device__ float all(float v) {
    for (int offset = 16; offset > 0; offset /= 2) v += __shfl_xor_sync(FULL_MASK, v, offset);
    return v;
  }
};

// All threads get the sum of the block.
template <int BLOCK>
__device__ float block_sum(float v, float *shared) {
  v = WarpSum::all(v);
  if (BLOCK > 32) {
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) shared[warp] = v;
    __syncthreads();
    v = lane < BLOCK / 32 ? shared[lane] : 0.0f;
    return WarpSum::all(v);
  }
  return v;
}

// A block for each row.
extern "C" __global__ void rms_norm(const float *x, const float *weight, float *dst, int nrows, int ncols, float eps) {
  __shared__ float shared[32];
  const int row = blockIdx.x;
  const int tid = threadIdx.x;
  if (row >= nrows) return;
  x += row * ncols;
  dst += row * ncols;
  float tmp = 0.0f;
  for (int col = tid; col < ncols; col += 256) {
    const float xi = x[col];
    tmp += xi * xi;
  }
  tmp = block_sum<256>(tmp, shared);
  const float scale = rsqrtf(tmp / ncols + eps);
  for (int col = tid; col < ncols; col += 256) dst[col] = scale * x[col] * weight[col];
}

__device__ __forceinline__ float warpReduceSum(float val) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) val += __shfl_down_sync(FULL_MASK, val, offset);
  return __shfl_sync(FULL_MASK, val, 0);
}

// A warp for each row.
extern "C" __global__ void layer_norm(const float *inp, const float *weight, const float *bias, float *out, int N, int C) {
  int lane = threadIdx.x & 31;
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= N) return;
  const float *x = inp + row * C;
  float sum = 0.0f;
  for (int i = lane; i < C; i += 32) sum += x[i];
  float mean = warpReduceSum(sum) / C;
  float squares = 0.0f;
  for (int i = lane; i < C; i += 32) {
    float diff = x[i] - mean;
    squares += diff * diff;
  }
  float rstd = rsqrtf(warpReduceSum(squares) / C + 1e-5f);
  float *o = out + row * C;
  for (int c = lane; c < C; c += 32) o[c] = rstd * (x[c] - mean) * weight[c] + bias[c];
}

struct MaxOp {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct SumOp {
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename Op>
struct BlockReduce {
  float *partial;
  Op op;

  __device__ float warp(float v) {
    for (int delta = 16; delta > 0; delta >>= 1) v = op(v, __shfl_xor_sync(FULL_MASK, v, delta));
    return v;
  }

  __device__ float operator()(float v, float identity) {
    int lane = threadIdx.x % warpSize;
    int id = threadIdx.x / warpSize;
    v = warp(v);
    __syncthreads();
    if (lane == 0) partial[id] = v;
    __syncthreads();
    return warp(lane < blockDim.x / warpSize ? partial[lane] : identity);
  }
};

// A block for each row.
extern "C" __global__ void softmax_rows(const float *in, float *out, int rows, int cols) {
  __shared__ float partial[32];
  if (blockIdx.x >= rows) return;
  const float *x = in + blockIdx.x * cols;
  float *y = out + blockIdx.x * cols;
  BlockReduce<MaxOp> maximum{partial, MaxOp()};
  BlockReduce<SumOp> total{partial, SumOp()};
  float most = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) most = fmaxf(most, x[i]);
  most = maximum(most, -INFINITY);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    float e = expf(x[i] - most);
    y[i] = e;
    sum += e;
  }
  sum = total(sum, 0.0f);
  for (int i = threadIdx.x; i < cols; i += blockDim.x) y[i] /= sum;
}

__device__ int warp_inclusive_scan(int value) {
  int lane = threadIdx.x & 31;
  for (int d = 1; d < 32; d <<= 1) {
    int other = __shfl_up_sync(FULL_MASK, value, d);
    if (lane >= d) value += other;
  }
  return value;
}

// The sums up to each element, in each block.
extern "C" __global__ void warp_scan(const int *in, int *out, int n) {
  __shared__ int warp_sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x & 31;
  int warp = threadIdx.x >> 5;
  int value = warp_inclusive_scan(i < n ? in[i] : 0);
  if (lane == 31) warp_sums[warp] = value;
  __syncthreads();
  if (warp == 0) {
    int sum = lane < blockDim.x / 32 ? warp_sums[lane] : 0;
    warp_sums[lane] = warp_inclusive_scan(sum);
  }
  __syncthreads();
  if (warp > 0) value += warp_sums[warp - 1];
  if (i < n) out[i] = value;
}

// Each block keeps the elements above the limit, in their order, behind their number.
extern "C" __global__ void compact(const int *in, int *out, int n, int limit) {
  __shared__ int counts[8];
  int i = blockIdx.x * 256 + threadIdx.x;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int value = i < n ? in[i] : 0;
  bool keep = i < n && value > limit;
  unsigned ballot = __ballot_sync(FULL_MASK, keep);
  if (lane == 0) counts[warp] = __popc(ballot);
  __syncthreads();
  int before = 0, all = 0;
  for (int w = 0; w < 8; w++) {
    if (w < warp) before += counts[w];
    all += counts[w];
  }
  int *own = out + blockIdx.x * 257;
  if (keep) own[1 + before + __popc(ballot & ((1u << lane) - 1))] = value;
  if (threadIdx.x == 0) own[0] = all;
}

// A product with a vector: each warp has a row.
extern "C" __global__ void warp_gemv(const float *A, const float *x, float *y, int rows, int cols) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int j = lane; j < cols; j += 32) sum += A[row * cols + j] * x[j];
  sum = WarpSum::all(sum);
  if (lane == 0) y[row] = sum;
}

// Each warp computes 32 columns of a row, and its lanes pass the elements of the row around.
extern "C" __global__ void warp_product(const float *A, const float *B, float *C, int M, int N, int K) {
  int lane = threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * 32 + lane;
  if (row >= M) return;
  float acc = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    float a = A[row * K + k0 + lane];
    for (int k = 0; k < 32; k++) acc += __shfl_sync(FULL_MASK, a, k) * B[(k0 + k) * N + col];
  }
  C[row * N + col] = acc;
}

// Of each 32 elements: how many are above the limit, or -1 if all are, or -2 if one is negative.
extern "C" __global__ void warp_votes(const int *in, int *out, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[min(i, n - 1)];
  int above = v > limit;
  int result = __popc(__ballot_sync(FULL_MASK, above));
  if (__all_sync(FULL_MASK, above)) result = -1;
  if (__any_sync(FULL_MASK, v < 0)) result = -2;
  if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = result;
}
