// SPDX-License-Identifier: Apache-2.0
// What the kernels of uneven.cu compute, as a C programmer writes it for one thread. A yardstick: do not edit.
#include <math.h>

void mandelbrot(int *restrict iterations, int width, int height, float x0, float y0, float scale, int most) {
  for (int py = 0; py < height; py++) {
    for (int px = 0; px < width; px++) {
      float cx = x0 + px * scale, cy = y0 + py * scale;
      float x = 0, y = 0;
      int i = 0;
      while (x * x + y * y <= 4.0f && i < most) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        i++;
      }
      iterations[py * width + px] = i;
    }
  }
}

void julia_set(int *restrict steps, int dim, float re, float im) {
  for (int y = 0; y < dim; y++) {
    for (int x = 0; x < dim; x++) {
      float a = 1.5f * (float)(dim / 2 - x) / (dim / 2), b = 1.5f * (float)(dim / 2 - y) / (dim / 2);
      int i = 0;
      for (; i < 200; i++) {
        float r = a * a - b * b + re;
        b = b * a + a * b + im;
        a = r;
        if (a * a + b * b > 1000) break;
      }
      steps[y * dim + x] = i;
    }
  }
}

void collatz(unsigned first, int *restrict steps, int n) {
  for (int i = 0; i < n; i++) {
    unsigned value = first + i;
    int count = 0;
    while (value != 1) {
      value = value % 2 == 0 ? value / 2 : 3 * value + 1;
      count++;
    }
    steps[i] = count;
  }
}

void random_walk(unsigned seed, int *restrict out, int walkers, int bound, int most) {
  for (int i = 0; i < walkers; i++) {
    unsigned state = seed + 2654435761u * (i + 1);
    int x = 0, y = 0, step = 0;
    for (; step < most; step++) {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      switch (state >> 30) {
        case 0: x++; break;
        case 1: x--; break;
        case 2: y++; break;
        default: y--; break;
      }
      if (x > bound || x < -bound || y > bound || y < -bound) break;
    }
    out[i] = step;
  }
}

void first_below(const int *restrict changes, int *restrict day, int accounts, int days) {
  for (int a = 0; a < accounts; a++) {
    int balance = 20, found = -1;
    for (int d = 0; d < days; d++) {
      balance += changes[d * accounts + a];
      if (balance < 0) {
        found = d;
        break;
      }
    }
    day[a] = found;
  }
}

void binary_search(const int *restrict table, int n, const int *restrict queries, int *restrict results, int count) {
  for (int i = 0; i < count; i++) {
    int low = 0, high = n;
    while (low < high) {
      int middle = (low + high) / 2;
      if (table[middle] < queries[i]) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    results[i] = low;
  }
}

void kepler(const float *restrict anomaly, const float *restrict eccentricity, const int *restrict mask, float *restrict result, int n) {
  for (int i = 0; i < n; i++) {
    if (mask[i] == 0) continue;
    float m = anomaly[i], e = eccentricity[i], x = m, dx = 1;
    for (int step = 0; fabsf(dx) > 1e-5f && step < 30; step++) {
      dx = (x - e * sinf(x) - m) / (1.0f - e * cosf(x));
      x -= dx;
    }
    result[i] = x;
  }
}
