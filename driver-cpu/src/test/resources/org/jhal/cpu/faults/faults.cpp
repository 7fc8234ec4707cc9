// SPDX-License-Identifier: Apache-2.0
// Kernels that fail, each without and with a barrier. Items count up `out`, and the one that `in` names does something that
// it must not.
#define AT (blockIdx.x * 64 + threadIdx.x)

__device__ int recurse(int n, const int* in) {
  volatile char frame[256];
  frame[n & 255] = (char)n;
  return n == in[0] ? 0 : recurse(n + 1, in) + frame[n & 255];
}

// A frame larger than the guard below a stack.
__device__ int stride(int n, const int* in) {
  volatile char frame[200000];
  frame[n] = (char)n;
  return n == in[0] ? 0 : stride(n + 1, in) + frame[n];
}

__device__ void illegal() {
#if defined(__x86_64__)
  asm volatile("ud2");
#elif defined(__aarch64__)
  asm volatile("udf #0");
#endif
}

// Memory of its own, which the compiler cannot leave out.
template <class T> __device__ T* make(long count) {
  T* volatile made = new T[count];
  return made;
}
struct alignas(64) Wide {
  int value = 1;
};

__device__ void raise_trap() { __trap(); }

#define KERNELS(name, ...)                                        \
  extern "C" __global__ void name(const int* in, int* out) {      \
    if (AT == 70) {                                               \
      __VA_ARGS__;                                                \
    }                                                             \
    out[AT] = out[AT] + 1;                                        \
  }                                                               \
  extern "C" __global__ void name##_met(const int* in, int* out) { \
    __shared__ int values[64];                                    \
    values[threadIdx.x] = out[AT];                                \
    __syncthreads();                                              \
    if (AT == 70) {                                               \
      __VA_ARGS__;                                                \
    }                                                             \
    __syncthreads();                                              \
    out[AT] = values[threadIdx.x] + 1;                            \
  }

KERNELS(fine, out[AT] = out[AT])
KERNELS(traps, __trap())
KERNELS(traps_within, raise_trap())
KERNELS(asserts, assert(in[0] > 100000))
KERNELS(strays, out[-(1l << 40) - in[0]] = 1)
KERNELS(strays_far, out[(1l << 60) + in[0]] = 1)
KERNELS(follows_null, *(int*)(4l * in[0] - 4) = 1)
KERNELS(points_nowhere, *(int*)(0x10l + 4 * in[0]) = 1)
KERNELS(divides, out[0] = 7 / (in[0] - 1))
KERNELS(overflows, out[0] = (in[0] - 2147483647 - 2) / -in[0])
KERNELS(recurses, out[0] = recurse(2, in))
KERNELS(strides, out[0] = stride(2, in))
KERNELS(executes_illegal, illegal())
KERNELS(allocates, make<int>((1l << 50) * in[0]))
KERNELS(allocates_less_than_none, make<int>(-in[0]))
KERNELS(allocates_wide, make<Wide>((1l << 57) * in[0]))
KERNELS(frees, Wide* wide = make<Wide>(9 * in[0]); int* some = make<int>(9 * in[0]); some[8] = wide[8].value;
        out[AT] += some[8] - 1; delete[] some; delete[] wide; delete new int(in[0]))

extern "C" __global__ void all_trap(const int* in, int* out) {
  if (in[0] == 1) __trap();
  out[AT] = 5;
}
