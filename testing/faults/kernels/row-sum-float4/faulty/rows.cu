// SPDX-License-Identifier: Apache-2.0
// The sum of each row of width numbers; a row begins every pitch numbers.
extern "C" __global__ void row_sum(const float* x, int width, int pitch, float* sums) {
  __shared__ float part[64];
  const float* row = x + blockIdx.x * width;
  const float4* row4 = reinterpret_cast<const float4*>(row);

  float sum = 0;
  for (int i = threadIdx.x; i < width / 4; i += blockDim.x) {
    float4 v = row4[i];
    sum += v.x + v.y + v.z + v.w;
  }
  for (int i = width / 4 * 4 + threadIdx.x; i < width; i += blockDim.x) sum += row[i];

  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 32; half > 0; half >>= 1) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
