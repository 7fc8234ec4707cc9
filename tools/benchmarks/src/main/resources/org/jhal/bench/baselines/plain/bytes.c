// SPDX-License-Identifier: Apache-2.0
// What the kernels of bytes.cu compute, as a C programmer writes it for one thread. A yardstick: do not edit.
#include <stdlib.h>

static int to_gray(const unsigned char *p) { return (77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8; }

// The picture in gray, with a border of one pixel.
void sobel(const unsigned char *restrict image, unsigned char *restrict out, int width, int height) {
  int pitch = width + 2;
  unsigned char *gray = malloc((size_t)pitch * (height + 2));
  for (int y = -1; y <= height; y++) {
    const unsigned char *from = image + 3 * width * (y < 0 ? 0 : y >= height ? height - 1 : y);
    unsigned char *to = gray + (y + 1) * pitch;
    for (int x = 0; x < width; x++) to[x + 1] = to_gray(from + 3 * x);
    to[0] = to[1];
    to[width + 1] = to[width];
  }
  for (int y = 0; y < height; y++) {
    const unsigned char *a = gray + y * pitch, *b = a + pitch, *c = b + pitch;
    for (int x = 0; x < width; x++) {
      int gx = a[x + 2] + 2 * b[x + 2] + c[x + 2] - a[x] - 2 * b[x] - c[x];
      int gy = c[x] + 2 * c[x + 1] + c[x + 2] - a[x] - 2 * a[x + 1] - a[x + 2];
      int magnitude = abs(gx) + abs(gy);
      out[y * width + x] = magnitude > 255 ? 255 : magnitude;
    }
  }
  free(gray);
}

void rgb_to_gray(const unsigned char *restrict rgb, unsigned char *restrict gray, int n) {
  for (int i = 0; i < n; i++) gray[i] = (rgb[3 * i] * 306 + rgb[3 * i + 1] * 601 + rgb[3 * i + 2] * 117) >> 10;
}

static unsigned char clamp_byte(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

void nv12_to_rgb(const unsigned char *restrict luma, const unsigned char *restrict chroma, unsigned char *restrict rgb, int width,
                 int height) {
  for (int y = 0; y < height; y++) {
    const unsigned char *pairs = chroma + y / 2 * width;
    for (int x = 0; x < width; x++) {
      int c = 298 * (luma[y * width + x] - 16), u = pairs[x & ~1] - 128, v = pairs[x | 1] - 128;
      unsigned char *to = rgb + 3 * (y * width + x);
      to[0] = clamp_byte((c + 409 * v + 128) >> 8);
      to[1] = clamp_byte((c - 100 * u - 208 * v + 128) >> 8);
      to[2] = clamp_byte((c + 516 * u + 128) >> 8);
    }
  }
}

void histogram(const unsigned char *restrict data, int *restrict bins, int n) {
  for (int i = 0; i < n; i++) bins[data[i]]++;
}

void histogram_shared(const unsigned char *restrict data, unsigned *restrict bins, long long n) {
  for (long long i = 0; i < n; i++) bins[data[i]]++;
}

void resize_bilinear(const unsigned char *restrict from, unsigned char *restrict to, int from_w, int from_h, int to_w, int to_h) {
  int step_x = (from_w << 16) / to_w, step_y = (from_h << 16) / to_h;
  for (int y = 0; y < to_h; y++) {
    int fy = y * step_y, y0 = fy >> 16, wy = fy >> 8 & 255;
    const unsigned char *a = from + y0 * from_w, *b = y0 + 1 < from_h ? a + from_w : a;
    for (int x = 0; x < to_w; x++) {
      int fx = x * step_x, x0 = fx >> 16, wx = fx >> 8 & 255;
      int x1 = x0 + 1 < from_w ? x0 + 1 : x0;
      int top = a[x0] * (256 - wx) + a[x1] * wx, bottom = b[x0] * (256 - wx) + b[x1] * wx;
      to[y * to_w + x] = (top * (256 - wy) + bottom * wy + 32768) >> 16;
    }
  }
}
