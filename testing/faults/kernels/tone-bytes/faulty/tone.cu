// SPDX-License-Identifier: Apache-2.0
__device__ unsigned char to_byte(float v) {
  return (unsigned char)(v * 255.0f + 0.5f);
}

extern "C" __global__ void tone(const float* light, unsigned char* pixels, int n, float exposure) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pixels[i] = to_byte(light[i] * exposure);
}
