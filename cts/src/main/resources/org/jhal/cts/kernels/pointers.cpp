// SPDX-License-Identifier: Apache-2.0
// Pointers to functions. in[i] is i.
typedef int (*op)(int, const int*);
typedef float (*real)(float);
struct choice {
  op whole;
  real part;
};
__device__ int sum(int a, const int* b) { return a + *b; }
__device__ int difference(int a, const int* b) { return a - *b; }
__device__ int product(int a, const int* b) { return a * *b; }
__device__ float half_of(float x) { return x / 2; }
__device__ float squared(float x) { return x * x; }
__device__ op table[3] = {sum, difference, product};
__constant__ choice choices[2] = {{sum, half_of}, {product, squared}};
__device__ int exchanged(int a) { return __shfl_xor_sync(~0ull, a, 1); }
__device__ int rotated(int a) {
  __shared__ int all[64];
  all[threadIdx.x] = a;
  __syncthreads();
  return all[(threadIdx.x + 1) % 64];
}
__device__ int (*meetings[2])(int) = {exchanged, rotated};
struct row {
  int cells[8];
};
__device__ int raised(row r, int at) {
  for (int k = 0; k < 8; k++) r.cells[k] += k + 1;
  return r.cells[at];
}
__device__ int doubled(row r, int at) {
  for (int k = 0; k < 8; k++) r.cells[k] *= 2;
  return r.cells[at];
}
__device__ int (*rows[2])(row, int) = {raised, doubled};
template <op F> __device__ int applied(int a, const int* b) { return F(a, b); }
__device__ int called(op f, int a, const int* b) { return f ? f(a, b) : -1; }
struct shape {
  float size;
  __device__ explicit shape(float size) : size(size) {}
  __device__ virtual ~shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual void grow() { size += 1; }
};
struct square : shape {
  __device__ explicit square(float size) : shape(size) {}
  __device__ float area() const override { return size * size; }
};
struct line : shape {
  __device__ explicit line(float size) : shape(size) {}
  __device__ float area() const override { return 0; }
  __device__ void grow() override { size *= 2; }
};

extern "C" __global__ void chosen(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = table[in[i] % 3](in[i], in + 5);
}

extern "C" __global__ void of_structs(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  const choice* c = choices + in[i] % 2;
  const int own = in[i] + 1;
  out[i] = c->whole(in[i], &own) + (int)c->part(8);
}

// Two functions beside the null pointer are too much for ptxas: findings/ptxas-chosen-function.sh.
extern "C" __global__ void passed(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = applied<product>(in[i], in + 2) + called(in[i] % 4 == 1 ? sum : nullptr, in[i], in + 3);
}

extern "C" __global__ void of_shared(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  __shared__ int numbers[64];
  numbers[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = table[in[i] % 2](in[i], numbers + 63 - threadIdx.x);
}

// The next item's function is taken from memory.
extern "C" __global__ void kept(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  __shared__ op functions[64];
  functions[threadIdx.x] = table[in[i] % 3];
  __syncthreads();
  op f = functions[(threadIdx.x + 1) % 64];
  out[i] = f(in[i], in + 2) + 100 * (f == sum);
}

extern "C" __global__ void of_objects(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  square a((float)(in[i] % 8));
  line b((float)in[i]);
  shape* s = in[i] % 2 ? (shape*)&a : &b;
  s->grow();
  out[i] = (int)(s->area() + s->size);
}

extern "C" __global__ void meeting(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = meetings[in[blockIdx.x] % 2](in[i]);
}

// What a function does with its copy of the row, the caller does not see.
extern "C" __global__ void by_value(const int* in, int* out) {
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  row r;
  for (int k = 0; k < 8; k++) r.cells[k] = in[i] + k;
  const int at = in[i] % 8;
  const int first = rows[in[i] % 2](r, at);
  const int second = rows[1 - in[i] % 2](r, at);
  out[i] = first + 1000 * second + 1000000 * (r.cells[at] - in[i]);
}
