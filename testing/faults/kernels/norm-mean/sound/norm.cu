// SPDX-License-Identifier: Apache-2.0
// Each workgroup normalizes a row.
extern "C" __global__ void layer_norm(const float* __restrict__ x, const float* __restrict__ gain,
                                      const float* __restrict__ bias, float* __restrict__ y,
                                      int width, float epsilon) {
  __shared__ float sum[64], square[64];
  __shared__ float mean, scale;
  const float* row = x + blockIdx.x * width;
  const int t = threadIdx.x;

  float s = 0.f, q = 0.f;
  for (int i = t; i < width; i += blockDim.x) {
    s += row[i];
    q += row[i] * row[i];
  }
  sum[t] = s;
  square[t] = q;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) {
      sum[t] += sum[t + half];
      square[t] += square[t + half];
    }
    __syncthreads();
  }
  if (t == 0) {
    float m = sum[0] / width;
    mean = m;
    scale = rsqrtf(square[0] / width - m * m + epsilon);
  }
  __syncthreads();
  for (int i = t; i < width; i += blockDim.x) {
    y[blockIdx.x * width + i] = (row[i] - mean) * scale * gain[i] + bias[i];
  }
}
