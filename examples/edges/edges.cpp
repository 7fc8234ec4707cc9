// SPDX-License-Identifier: Apache-2.0
// Sobel's edge filter. A picture of 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGBA) channels becomes
// a grey one with dark edges on white. All arithmetic is on integers, so that every device gives the
// same bytes. Each work item computes one pixel.

static __device__ int grey(const unsigned char* image, int width, int height, int channels, int x, int y) {
  x = x < 0 ? 0 : x >= width ? width - 1 : x;
  y = y < 0 ? 0 : y >= height ? height - 1 : y;
  const unsigned char* pixel = image + ((long long)y * width + x) * channels;
  return channels < 3 ? pixel[0] : (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2] + 128) >> 8;
}

extern "C" __global__ void edges(const unsigned char* image, unsigned char* edges, int width, int height,
                                 int channels) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) {
    return;
  }
  int p[3][3];
  for (int dy = 0; dy < 3; dy++) {
    for (int dx = 0; dx < 3; dx++) {
      p[dy][dx] = grey(image, width, height, channels, x + dx - 1, y + dy - 1);
    }
  }
  int gx = (p[0][2] + 2 * p[1][2] + p[2][2]) - (p[0][0] + 2 * p[1][0] + p[2][0]);
  int gy = (p[2][0] + 2 * p[2][1] + p[2][2]) - (p[0][0] + 2 * p[0][1] + p[0][2]);
  int slope = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
  edges[(long long)y * width + x] = (unsigned char)(slope > 255 ? 0 : 255 - slope);
}
