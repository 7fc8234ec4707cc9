// SPDX-License-Identifier: Apache-2.0
// How many steps z = z * z + c takes to leave the circle around 0, as a colour.
extern "C" __global__ void julia(unsigned width, unsigned height, float re, float im, unsigned* pixels) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float zx = 3.0f * x / width - 1.5f;
  float zy = 2.0f * y / height - 1.0f;
  unsigned step = 0;
  while (step < 255 && zx * zx + zy * zy < 4.0f) {
    float next = zx * zx - zy * zy + re;
    zy = 2.0f * zx * zy + im;
    zx = next;
    step++;
  }
  pixels[y * width + x] = step * 0x010204u & 0xFFFFFFu;
}
