// SPDX-License-Identifier: Apache-2.0
// The kernels of the examples as one writes them in C for one thread, and a loop around each. The loops return how many
// nanoseconds all calls took.
#include <math.h>
#include <string.h>
#include <time.h>

#define KERNEL __attribute__((noinline)) static void

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

KERNEL saxpy(int n, float a, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++) y[i] = fmaf(a, x[i], y[i]);
}

// Four rows of c at a time, which share a row of b.
KERNEL matmul(int rows, int inner, int columns, const float *restrict a, const float *restrict b, float *restrict c) {
  for (int i = 0; i + 3 < rows; i += 4) {
    float *restrict c0 = c + (long)i * columns, *restrict c1 = c0 + columns;
    float *restrict c2 = c1 + columns, *restrict c3 = c2 + columns;
    memset(c0, 0, 4 * (long)columns * sizeof *c);
    for (int k = 0; k < inner; k++) {
      const float *restrict row = b + (long)k * columns;
      const float *at = a + (long)i * inner + k;
      float a0 = at[0], a1 = at[inner], a2 = at[2L * inner], a3 = at[3L * inner];
      for (int j = 0; j < columns; j++) {
        c0[j] = fmaf(a0, row[j], c0[j]);
        c1[j] = fmaf(a1, row[j], c1[j]);
        c2[j] = fmaf(a2, row[j], c2[j]);
        c3[j] = fmaf(a3, row[j], c3[j]);
      }
    }
  }
}

typedef float lanes __attribute__((vector_size(32), aligned(4), may_alias));

// Four vectors of sums hide how long an addition takes.
KERNEL reduction(int n, int groups, const float *restrict values, float *restrict sums) {
  enum { LANES = sizeof(lanes) / sizeof(float), STEP = 4 * LANES };
  lanes s0 = {0}, s1 = s0, s2 = s0, s3 = s0;
  long i = 0;
  for (; i + STEP <= n; i += STEP) {
    const lanes *v = (const lanes *)(values + i);
    s0 += v[0];
    s1 += v[1];
    s2 += v[2];
    s3 += v[3];
  }
  s0 = (s0 + s1) + (s2 + s3);
  float sum = 0;
  for (int j = 0; j < LANES; j++) sum += s0[j];
  for (; i < n; i++) sum += values[i];
  memset(sums, 0, (size_t)groups * sizeof *sums);
  sums[0] = sum;
}

KERNEL julia(int width, int height, float re, float im, unsigned *restrict pixels) {
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
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
  }
}

enum { WIDEST = 4096 };

static void grey(const unsigned char *restrict pixel, short *restrict to, int width, int channels) {
  for (int x = 0; x < width; x++, pixel += channels) {
    to[x + 1] = (short)(channels < 3 ? pixel[0] : (77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2] + 128) >> 8);
  }
  to[0] = to[1];
  to[width + 1] = to[width];
}

// Each row becomes grey once, and three of them are kept.
KERNEL edges(const unsigned char *restrict image, unsigned char *restrict edges, int width, int height, int channels) {
  static short rows[3][WIDEST + 2];
  for (int y = -1; y <= height; y++) {
    int source = y < 0 ? 0 : y >= height ? height - 1 : y;
    const unsigned char *row = image + (long)source * width * channels;
    if (channels == 3) {
      grey(row, rows[(y + 1) % 3], width, 3);
    } else {
      grey(row, rows[(y + 1) % 3], width, channels);
    }
    if (y < 1) continue;
    const short *restrict above = rows[(y - 1) % 3], *restrict middle = rows[y % 3], *restrict below = rows[(y + 1) % 3];
    unsigned char *restrict to = edges + (long)(y - 1) * width;
    for (int x = 0; x < width; x++) {
      int gx = (above[x + 2] + 2 * middle[x + 2] + below[x + 2]) - (above[x] + 2 * middle[x] + below[x]);
      int gy = (below[x] + 2 * below[x + 1] + below[x + 2]) - (above[x] + 2 * above[x + 1] + above[x + 2]);
      int slope = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
      to[x] = (unsigned char)(slope > 255 ? 0 : 255 - slope);
    }
  }
}

#define LOOP(name, parameters, ...)                                     \
  __attribute__((visibility("default"))) long long loop_##name parameters { \
    long long start = now();                                            \
    for (int i = 0; i < count; i++) name(__VA_ARGS__);                  \
    return now() - start;                                               \
  }

LOOP(saxpy, (int count, int n, float a, const float *x, float *y), n, a, x, y)
LOOP(matmul, (int count, int rows, int inner, int columns, const float *a, const float *b, float *c), rows, inner, columns, a, b, c)
LOOP(reduction, (int count, int n, int groups, const float *values, float *sums), n, groups, values, sums)
LOOP(julia, (int count, int width, int height, float re, float im, unsigned *pixels), width, height, re, im, pixels)
LOOP(edges, (int count, const unsigned char *image, unsigned char *to, int width, int height, int channels), image, to, width,
     height, channels)
