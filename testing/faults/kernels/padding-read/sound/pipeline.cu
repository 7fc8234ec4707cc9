// SPDX-License-Identifier: Apache-2.0
// Rows of bytes become rows of floats that begin every pitch elements.
extern "C" __global__ void unpack(const unsigned char* bytes, int width, int height, int pitch,
                                  float* rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) rows[y * pitch + x] = bytes[y * width + x] / 255.0f;
}

extern "C" __global__ void row_sums(const float* rows, int width, int height, int pitch, float* sums) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= height) return;
  float sum = 0;
  for (int x = 0; x < width; x++) {
    sum += rows[y * pitch + x];
  }
  sums[y] = sum;
}
