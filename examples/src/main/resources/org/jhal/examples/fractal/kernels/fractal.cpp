// SPDX-License-Identifier: Apache-2.0
// Some rows of a part of the Mandelbrot set; FractalKernels.java is their twin.

// The colour `tint` for points that leave the circle slowly, black for those that stay.
static __device__ unsigned shade(unsigned step, unsigned limit, unsigned tint) {
  unsigned light = step == limit ? 0 : 70 + step * 3 % 186;
  unsigned red = (tint >> 16 & 255) * light / 255;
  unsigned green = (tint >> 8 & 255) * light / 255;
  unsigned blue = (tint & 255) * light / 255;
  return red << 16 | green << 8 | blue;
}

extern "C" __global__ void band(
    unsigned width, unsigned height, unsigned first, unsigned rows, unsigned tint, unsigned* pixels) {
  const unsigned limit = 2000;
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= rows) return;
  float re = 0.016f * x / width - 0.7525f;
  float im = 0.012f * (first + y) / height + 0.1258f;
  float zx = 0;
  float zy = 0;
  unsigned step = 0;
  while (step < limit && zx * zx + zy * zy < 4.0f) {
    float next = zx * zx - zy * zy + re;
    zy = 2.0f * zx * zy + im;
    zx = next;
    step++;
  }
  pixels[y * width + x] = shade(step, limit, tint);
}
