// SPDX-License-Identifier: Apache-2.0
// Kernels over pictures, whose items call functions with coordinates beside their own, or seem to. Each is a part of its own;
// what they write is compared with what items with stacks of their own write.
#define KERNEL(name) __global__ void name(const unsigned char* in, int* out, int width, int height)
#define PLACE                                      \
  int x = blockIdx.x * blockDim.x + threadIdx.x;   \
  int y = blockIdx.y * blockDim.y + threadIdx.y;
#define AT out[y * width + x]

//@ edges shared
static __device__ int gray(const unsigned char* p, int w, int h, int x, int y) {
  x = min(max(x, 0), w - 1);
  y = min(max(y, 0), h - 1);
  const unsigned char* at = p + (y * w + x);
  return (77 * at[0] + 3 * at[x < w - 1 ? 1 : 0]) >> 3;
}
KERNEL(edges) {
  PLACE
  if (x >= width || y >= height) return;
  int a = 0, b = 0;
  for (int d = -1; d <= 1; d++) {
    int weight = d == 0 ? 2 : 1;
    a += weight * (gray(in, width, height, x + 1, y + d) - gray(in, width, height, x - 1, y + d));
    b += weight * (gray(in, width, height, x + d, y + 1) - gray(in, width, height, x + d, y - 1));
  }
  AT = abs(a) + abs(b); }

//@ choices shared
static __device__ int gray(const unsigned char* p, int w, int h, int channels, int x, int y) {
  x = x < 0 ? 0 : x >= w ? w - 1 : x;
  y = y < 0 ? 0 : y >= h ? h - 1 : y;
  const unsigned char* at = p + ((long long)y * w + x) * channels;
  return channels < 3 ? at[0] : 2 * at[1];
}
KERNEL(choices) {
  PLACE
  if (x >= width || y >= height) return;
  int p[3][3];
  for (int i = 0; i < 3; i++) for (int k = 0; k < 3; k++) p[i][k] = gray(in, width, height, 1, x + k - 1, y + i - 1);
  AT = p[0][0] + 3 * p[0][1] - p[0][2] + 5 * p[1][0] + 7 * p[1][1] + 11 * p[1][2] + 13 * p[2][0] - 17 * p[2][1] + p[2][2]; }

//@ zero_outside shared
static __device__ float at(const unsigned char* p, int w, int h, int x, int y) {
  if (x < 0 || x >= w || y < 0 || h <= y) return 0.25f;
  return sqrtf(p[y * w + x]);
}
KERNEL(zero_outside) {
  PLACE
  if (x < width && y < height) {
    float sum = 0;
    for (int i = -2; i <= 2; i++) for (int k = -2; k <= 2; k++) sum += at(in, width, height, x + k, y + i) * (i + 2 * k);
    AT = (int)(sum * 1000);
  } }

//@ assignments_that_clamp shared
static __device__ int at(const unsigned char* p, int w, int h, int x, int y) {
  if (x < 0) x = 0;
  if (x > w - 1) x = w - 1;
  if (y < 0) y = -y - 1;
  if (y >= h) { y = 2 * h - y - 1; if (y < 0) y = 0; }
  if (y >= h) y = h - 1;
  int row = y * w;
  unsigned char v = p[row + x];
  return v > 100 ? v - 100 : v + 3;
}
KERNEL(assignments_that_clamp) {
  PLACE
  if (x >= width || y >= height) return;
  int a = at(in, width, height, x - 3, y - 1), b = at(in, width, height, x, y), c = at(in, width, height, x + 2, y + 2);
  AT = a + 1000 * b + 3 * c; }

//@ argument_that_changes shared
static __device__ int at(const unsigned char* p, int w, int h, int x, int y) {
  x = max(x - 2, 0);
  x = 2 * x + 1;
  x = min(x, w - 1);
  x += 0;
  return p[min(max(y, 0), h - 1) * w + max(min(x, w - 1), 0)];
}
KERNEL(argument_that_changes) {
  PLACE
  if (x >= width || y >= height) return;
  AT = at(in, width, height, x - 1, y) + 7 * at(in, width, height, x, y) - at(in, width, height, x + 1, y + 1); }

//@ indexes_that_wrap shared
static __device__ int at(const unsigned char* p, int w, int x) {
  int c = max(x, 5);
  return p[0] + (c & 7) + (x > w - 3 ? 1 : 0) + min(x, w);
}
KERNEL(indexes_that_wrap) {
  PLACE
  if (x >= width || y >= height) return;
  int far = x + 2147483647 - width + 20;
  AT = at(in, width, far) + at(in, width, far + 1) + at(in, width, x - 2147483647 + 3 - y) + at(in, width, far - 1); }

//@ far_apart shared
static __device__ int at(const unsigned char* p, int w, int h, int x, int y) {
  return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
}
KERNEL(far_apart) {
  PLACE
  if (x >= width || y >= height) return;
  AT = at(in, width, height, x - 3000, y) + 3 * at(in, width, height, x + 3000, y) + 5 * at(in, width, height, x, y) +
       7 * at(in, width, height, x + 40, y) + 11 * at(in, width, height, x - 60, y); }

//@ many_rows shared
static __device__ int at(const unsigned char* p, int w, int h, int x, int y) {
  return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
}
KERNEL(many_rows) {
  PLACE
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int i = 0; i < 11; i++) sum = 3 * sum + at(in, width, height, x + i, y - 2 * i);
  AT = sum; }

//@ several_functions shared
static __device__ int one(const unsigned char* p, int w, int h, int x, int y) {
  return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
}
static __device__ float two(const unsigned char* p, float (*unused)(float), int x, int y) { return p[x]; }
static __device__ int column(const unsigned char* p, int w, int h, int y, int x) {
  x = min(max(x, 0), w - 1);
  return p[min(max(y, 0), h - 1) * w + x] - p[x];
}
KERNEL(several_functions) {
  PLACE
  if (x >= width || y >= height) return;
  int sum = one(in, width, height, x, y) + one(in, width, height, x - 1, y) * one(in, width, height, x + 1, y);
  sum += column(in, width, height, y + 1, x) + column(in, width, height, y - 1, x) + column(in, width, height, y, x);
  sum -= one(in, width, height, y, x);
  AT = sum; }

//@ narrow_arguments shared
static __device__ unsigned char at(const unsigned char* const p, unsigned w, unsigned char h, int x, short y, int add) {
  const int c = min(max(x, 0), (int)w - 1);
  if (add) return p[c] + 200; else { if (y > 3) return (unsigned char)(h + c); }
  return p[c] + y;
}
KERNEL(narrow_arguments) {
  PLACE
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int k = 0; k < 4; ++k) sum = 5 * sum + at(in, width, height * 37, x - k, y * 20000 + k, 0);
  AT = sum + at(in, width, 300, x, 70000, 1) + at(in, width, 3, x, y, x > 40); }

//@ guard_of_the_item plain
static __device__ int at(const unsigned char* p, int w, int x) { return p[min(max(x, 0), w - 1)]; }
KERNEL(guard_of_the_item) {
  PLACE
  if (x >= width || y >= height || (x ^ y) == 3) return;
  AT = at(in, width, x) + 3 * at(in, width, x - 1) + at(in, width, x + 1); }

//@ writes_before plain
static __device__ int at(const int* p, int w, int h, int x, int y) { return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)]; }
KERNEL(writes_before) {
  PLACE
  if (x >= width || y >= height) return;
  out[y * width + x] = 3 * x + y;
  int sum = at(out, width, height, x, y) + 5 * at(out, width, height, x, y) + 7 * at(out, width, height, x, y);
  out[y * width + x] = sum; }

//@ writes_between shared
static __device__ int at(const int* p, int w, int h, int x, int y) { return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)]; }
KERNEL(writes_between) {
  PLACE
  if (x >= width || y >= height) return;
  int sum = at(out, width, height, x, y) + 5 * at(out, width, height, x, y) + 7 * at(out, width, height, x, y);
  out[y * width + x] = sum;
  sum += at(out, width, height, x, y) + 5 * at(out, width, height, x, y) + 7 * at(out, width, height, x, y);
  out[y * width + x] += sum; }

//@ writes_in_a_loop plain
static __device__ int at(const int* p, int w, int h, int x, int y) { return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)]; }
KERNEL(writes_in_a_loop) {
  PLACE
  if (x >= width || y >= height) return;
  for (int k = 0; k < 4; k++) {
    int sum = at(out, width, height, x, y) + 5 * at(out, width, height, x, y);
    out[y * width + x] = sum + k;
  } }

//@ writes_through_a_reference plain
static __device__ int at(const int* p, int w, int h, int x, int y) { return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)]; }
KERNEL(writes_through_a_reference) {
  PLACE
  if (x >= width || y >= height) return;
  int& own = out[y * width + x];
  own = 7;
  int sum = at(out, width, height, x, y) + 5 * at(out, width, height, x, y) + 2 * at(out, width, height, x, y);
  own = sum; }

//@ writes_through_a_pointer plain
static __device__ int at(const int* p, int w, int h, int x, int y) { return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)]; }
KERNEL(writes_through_a_pointer) {
  PLACE
  if (x >= width || y >= height) return;
  int* own = out + y * width + x;
  *own = x;
  int sum = at(out, width, height, x, y) + 5 * at(out, width, height, x, y) + 2 * at(out, width, height, x, y);
  *own = sum; }

//@ function_that_writes plain
static __device__ int at(int* p, int w, int h, int x, int y) {
  x = min(max(x, 0), w - 1);
  p[y * w + x] = p[y * w + x] + 1;
  return p[y * w + x];
}
KERNEL(function_that_writes) {
  PLACE
  if (x >= width || y >= height) return;
  int a = at(out, width, height, x, y);
  int b = at(out, width, height, x, y);
  int c = at(out, width, height, x, y);
  AT = a + 10 * b + 100 * c; }

//@ other_function_that_writes plain
static __device__ int set(int* p, int v) { *p = v; return 0; }
static __device__ int at(const int* p, int w, int h, int x, int y) { return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)]; }
KERNEL(other_function_that_writes) {
  PLACE
  if (x >= width || y >= height) return;
  int zero = set(out + y * width + x, 2 * x);
  AT = zero + at(out, width, height, x, y) + 10 * at(out, width, height, x, y) + 100 * at(out, width, height, x, y); }

//@ not_by_all plain
static __device__ int at(const unsigned char* p, int w, int x) { return p[min(max(x, 0), w - 1)]; }
KERNEL(not_by_all) {
  PLACE
  if (x >= width || y >= height) return;
  int sum = 0;
  if (x % 3 == 1) sum = at(in, width, x) + at(in, width, x + 1) + at(in, width, x + 2);
  sum += x > 5 ? at(in, width, x) + at(in, width, x - 1) + at(in, width, x - 4) : 2;
  AT = sum; }

//@ beyond_the_picture plain
static __device__ int at(const unsigned char* p, int w, int x) { return p[max(x, 0)] + p[0]; }
KERNEL(beyond_the_picture) {
  PLACE
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int k = 0; k < 4; k++) {
    if (x + k * 100000 > width) break;
    sum += at(in, width, x + k * 100000);
  }
  for (int k = 0; k < 4; k++) sum += x + k < width && at(in, width, x + k * 3);
  AT = sum; }

//@ counter_that_jumps plain
static __device__ int at(const unsigned char* p, int w, int x) { return p[min(max(x, 0), w - 1)]; }
KERNEL(counter_that_jumps) {
  PLACE
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int k = 0; k < 9; k++) {
    sum += at(in, width, x + k);
    if (k == 3) k += 2;
  }
  AT = sum; }

//@ name_of_the_item plain
static __device__ int at(const unsigned char* p, int w, int x) { return p[min(max(x, 0), w - 1)]; }
KERNEL(name_of_the_item) {
  PLACE
  if (x >= width || y >= height) return;
  auto at = [](const unsigned char* p, int w, int x) { return 3 * w + x; };
  AT = at(in, width, x) + at(in, width, x - 1) + at(in, width, x + 1); }

//@ overloaded plain
static __device__ int at(const unsigned char* p, int w, int x) { return p[min(max(x, 0), w - 1)]; }
static __device__ int at(const unsigned char* p, int w, long x) { return p[min(max((int)x, 0), w - 1)] + 1; }
KERNEL(overloaded) {
  PLACE
  if (x >= width || y >= height) return;
  AT = at(in, width, x) + at(in, width, x - 1) + at(in, width, (long)x + 1) + at(in, width, x + 1); }

//@ function_with_a_state plain
static __device__ int at(const unsigned char* p, int w, int x) {
  static int seen = 0;
  seen = max(seen, 0);
  return p[min(max(x, 0), w - 1)] + seen;
}
KERNEL(function_with_a_state) {
  PLACE
  if (x >= width || y >= height) return;
  AT = at(in, width, x) + at(in, width, x - 1) + at(in, width, x + 1); }

//@ recursive plain
static __device__ int at(const unsigned char* p, int w, int x) { return x > w - 1 ? at(p, w, x - 1) : p[max(x, 0)] + p[0]; }
KERNEL(recursive) {
  PLACE
  if (x >= width || y >= height) return;
  AT = at(in, width, x) + at(in, width, x - 1) + at(in, width, x + 1); }

//@ asks_for_the_item plain
static __device__ int at(const unsigned char* p, int w, int x) { return p[min(max(x, 0), w - 1)] + threadIdx.x % 2; }
KERNEL(asks_for_the_item) {
  PLACE
  if (x >= width || y >= height) return;
  AT = at(in, width, x) + at(in, width, x - 1) + at(in, width, x + 1); }

//@ rows_of_three_axes shared
static __device__ int at(const unsigned char* p, int w, int h, int x, int y) {
  return p[min(max(y, 0), h - 1) * w + min(max(x, 0), w - 1)];
}
KERNEL(rows_of_three_axes) {
  int x = threadIdx.x + blockDim.x * blockIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y + blockIdx.z + threadIdx.z;
  if (y >= height || x >= width) return;
  int sum = 0;
  for (int i = 0; i <= 2; i++) sum = 7 * sum + at(in, width, height, x - i, y) + at(in, width, height, x, y + i);
  AT = sum; }

//@ divisions_that_no_item_makes plain
static __device__ int at(const unsigned char* p, int w, int x) { return 1000 / x + p[min(max(x, 0), w - 1)] + p[0]; }
KERNEL(divisions_that_no_item_makes) {
  PLACE
  if (x >= width || y >= height) return;
  int sum = 0;
  for (int k = -2; k < 3; k++) if (x + k != 0) sum += at(in, width, x + k);
  AT = sum; }

//@ columns shared
static __device__ int at(const unsigned char* p, int w, int h, int x, int y) {
  y = min(max(y, 0), h - 1);
  x = x < 0 ? -x : x;
  x = x > w - 1 ? 2 * (w - 1) - x : x;
  x = max(min(x, w - 1), 0);
  return p[y * w + x];
}
KERNEL(columns) {
  PLACE
  if (x >= width || y >= height) return;
  AT = at(in, width, height, x, y - 2) + 3 * at(in, width, height, x, y) + 5 * at(in, width, height, x, y + 2); }

//@ name_of_a_pointer plain
static __device__ int at(const unsigned char* p, int w, int x) { return p[min(max(x, 0), w - 1)]; }
static __device__ int one(const unsigned char* p, int w, int x) { return w - x; }
KERNEL(name_of_a_pointer) {
  PLACE
  if (x >= width || y >= height) return;
  int (*at)(const unsigned char*, int, int) = one;
  AT = at(in, width, x) + 3 * at(in, width, x - 1) + at(in, width, x + 1); }

//@ floating_arguments plain
static __device__ float at(const unsigned char* p, int w, float by, int x) { return p[min(max(x, 0), w - 1)] * by; }
KERNEL(floating_arguments) {
  PLACE
  if (x >= width || y >= height) return;
  AT = at(in, width, 0.25f, x) + 3 * at(in, width, 0.75f, x) + at(in, width, 0.5f, x); }

//@ no_memory plain
static __device__ int at(int x) { return x < 3 ? 3 : x > 20 ? 20 : x; }
KERNEL(no_memory) {
  PLACE
  if (x >= width || y >= height) return;
  AT = at(x - 1) + 3 * at(x) + 5 * at(x + 1); }

//@ tiles plain
KERNEL(tiles) {
  PLACE
  __shared__ int tile[4][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  bool inside = x < width && y < height, odd = (tx & 1) != 0;
  tile[ty][tx] = 0;
  if (inside) tile[ty][tx] = in[y * width + x];
  __syncthreads();
  int sum = 0;
  for (int step = 0; step < 3; step++) {
    bool computed = tx > step && tx < 15 - step && inside && !odd;
    if (tx > step && tx < 15 - step && ty > 0 && ty < 3 && inside && !(x == width - 1) && true) {
      sum += tile[ty - 1][tx] + tile[ty + 1][tx] + 2 * tile[ty][tx - 1] + 3 * tile[ty][tx + 1];
    }
    if (computed && (int)tx * 2 < x + 40) sum += 7;
    if (inside && tile[ty][tx] > 100) sum += 11;
    if (width > tx && height / (ty + 1) > 2 && inside) sum += 13;
    if ((tx > 3 && ty > 1) && (tx < 9 && (!inside || ty > 2))) sum += 17;
    if (tx >= min(step, 3) && tx <= max(width - x, 2) && inside) sum += 19;
    __syncthreads();
    if (inside) tile[ty][tx] = (sum & 255) + tx;
    __syncthreads();
  }
  if (inside) AT = sum; }

//@ tiles_with_guards plain
static __device__ int one(int* at) { return (*at)++; }
KERNEL(tiles_with_guards) {
  PLACE
  __shared__ int tile[4][16];
  int tx = threadIdx.x, ty = threadIdx.y, count = 0, none = height - height, far = tx < 15 ? 0 : 1 << 28;
  tile[ty][tx] = tx + ty;
  __syncthreads();
  for (int step = 0; step < 3; step++) {
    if (tx > step && tx < 15 && one(&count) >= 0) count += 2;
    if (tx < 15 && tx >= step && tile[ty][tx + far] > 3) count += 5;
    if (tx >= 0 && none != 0 && 12 / none > tx) count += 7;
    if (tx > 2 && tx <= 9 && (count += 3) > 0) count++;
    __syncthreads();
  }
  if (x < width && y < height) AT = count; }
