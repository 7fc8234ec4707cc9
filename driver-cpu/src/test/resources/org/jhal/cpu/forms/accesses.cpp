// SPDX-License-Identifier: Apache-2.0
// Kernels in which an item accesses memory that it has written before, by another expression, which no other item accesses.
// As in meanings.cpp, each is a part of its own, and all items write 1 if they see what they must.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define AT (blockIdx.x * 64 + threadIdx.x)
#define ITEM (int)threadIdx.x
#define WRITE(condition) __syncthreads(); out[AT] = (condition) ? 1 : 0
#define NONE (int)(gridDim.x - 8)

//@ element_at_a_distance 1
KERNEL(element_at_a_distance) { __shared__ int s[128]; int t = ITEM; s[2 * t] = t; int x = s[2 * t + NONE]; s[2 * t + 1] = x + 1; WRITE(s[2 * t + 1] == t + 1); }

//@ element_by_another_index 1
KERNEL(element_by_another_index) { __shared__ int s[128]; int t = ITEM, j = t + NONE; s[2 * t] = t; s[2 * t + 1] = 0; int x = s[2 * j]; s[2 * t] = x + 1; s[2 * t + 1] = s[2 * j] * 3; WRITE(s[2 * t + 1] == 3 * t + 3); }

//@ element_by_another_pointer 1
KERNEL(element_by_another_pointer) { __shared__ int s[128]; int t = ITEM; int* a = s + 2 * t; int* b = s + NONE + 2 * t; a[0] = t; int x = b[0]; a[1] = x + 1; WRITE(a[1] == t + 1); }

//@ element_by_a_pointer_to_it 1
KERNEL(element_by_a_pointer_to_it) { __shared__ int s[128]; int t = ITEM; int* b = s + NONE + 2 * t; s[2 * t] = t; int x = *b; s[2 * t + 1] = x + 1; WRITE(s[2 * t + 1] == t + 1); }

//@ element_by_a_reference 1
KERNEL(element_by_a_reference) { __shared__ int s[128]; int t = ITEM; int& b = s[2 * t + NONE]; s[2 * t] = t; int x = b; s[2 * t + 1] = x + 1; WRITE(s[2 * t + 1] == t + 1); }

//@ element_by_a_function 1
__device__ int read(const int* p, int at) { return p[at]; }
KERNEL(element_by_a_function) { __shared__ int s[128]; int t = ITEM; s[2 * t] = t; int x = read(s, 2 * t + NONE); s[2 * t + 1] = x + 1; WRITE(s[2 * t + 1] == t + 1); }

//@ element_by_a_lambda 1
KERNEL(element_by_a_lambda) { __shared__ int s[128]; int t = ITEM; auto read = [&](int at) { return s[at]; }; s[2 * t] = t; int x = read(2 * t + NONE); s[2 * t + 1] = x + 1; WRITE(s[2 * t + 1] == t + 1); }

//@ element_by_an_operator 1
struct Row { int* s; __device__ int& operator[](int at) const { return s[at]; } __device__ int operator()(int at) const { return s[at]; } };
KERNEL(element_by_an_operator) { __shared__ int s[128]; int t = ITEM; Row r{s}; r[2 * t] = t; int x = r(2 * t + NONE); r[2 * t + 1] = x + 1; WRITE(s[2 * t + 1] == t + 1); }

//@ element_by_a_conversion 1
struct Cell { int* s; int at; __device__ operator int() const { return s[at]; } };
KERNEL(element_by_a_conversion) { __shared__ int s[128]; int t = ITEM; Cell c{s, 2 * t + NONE}; s[2 * t] = t; int x = c; s[2 * t + 1] = x + 1; WRITE(s[2 * t + 1] == t + 1); }

//@ element_by_a_constructor 1
struct Set { __device__ Set(int* s, int at, int x) { s[at] = x; } };
KERNEL(element_by_a_constructor) { __shared__ int s[128]; int t = ITEM; s[2 * t] = 7; Set set(s, 2 * t + NONE, t); (void)set; s[2 * t + 1] = s[2 * t] + 1; WRITE(s[2 * t + 1] == t + 1); }

//@ element_of_another_type 1
KERNEL(element_of_another_type) { __shared__ int s[64]; int t = ITEM; short* h = (short*)s; s[t] = t; h[2 * t] += 3; int v = s[t]; h[2 * t + 1] = h[2 * t]; WRITE(v == t + 3 && s[t] == (t + 3) * 0x10001); }

//@ element_of_the_buffer 1
KERNEL(element_of_the_buffer) { int t = AT / 2 * 2; if (AT == t) { out[t] = t; int x = out[t + NONE]; out[t + 1] = x + 1; x = out[t + 1]; out[t] = x == t + 1; out[t + 1] = x == t + 1; } }

//@ fields_by_two_pointers 1
struct P { int x, y; };
KERNEL(fields_by_two_pointers) { __shared__ P s[64]; int t = ITEM; P* p = s; P* q = s + NONE; p[t].x = t; int v = q[t].x; p[t].y = v * 2; WRITE(s[t].y == 2 * t); }

//@ fields_of_an_array 1
struct P { int x, y; };
KERNEL(fields_of_an_array) { __shared__ P s[64]; int t = ITEM, j = t + NONE; s[t].x = t; int v = s[j].x; s[t].y = v * 2; WRITE(s[t].y == 2 * t); }

//@ array_across_a_barrier 1
KERNEL(array_across_a_barrier) {
  __shared__ int s[64];
  int t = ITEM, a[4];
  s[t] = t;
  __syncthreads();
  a[0] = s[63 - t];
  a[1] = a[NONE & 3] + 1;
  a[2] = a[(NONE + 1) & 3] + 1;
  WRITE(a[2] == 65 - t); }

//@ variable_across_a_barrier 1
struct P { int x, y; };
KERNEL(variable_across_a_barrier) {
  __shared__ int s[64];
  int t = ITEM;
  P a{t, 1}, b{2, 3};
  P* both[2] = {&a, &b};
  s[t] = t;
  __syncthreads();
  a.x = s[63 - t];
  int v = both[NONE & 1]->x;
  a.y = v * 2;
  WRITE(a.y == 2 * (63 - t)); }

//@ rotation_in_place 1
__device__ void rotate(int2* to, const int2* from) { to->x = from->y; to->y = from->x * 3; }
KERNEL(rotation_in_place) { __shared__ int2 s[64]; int t = ITEM; s[t] = make_int2(t, 2); rotate(s + t, s + t + NONE); WRITE(s[t].x == 2 && s[t].y == 6); }

//@ index_that_changes 1
KERNEL(index_that_changes) { __shared__ int s[128]; int t = ITEM, j = 2 * t; s[j] = t; s[j + 1] = 5; j += NONE; int x = s[j]; s[j + 1] = x + 1; WRITE(s[2 * t + 1] == t + 1); }
