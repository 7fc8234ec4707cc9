// SPDX-License-Identifier: Apache-2.0
// The kernels of the conformance suite; each one means the same as the method of its name in
// CtsKernels.java. One source for the run-time compilers of several vendors, so it includes nothing.

#if defined(__HIP_DEVICE_COMPILE__) || defined(__HIP__) || defined(__HIPCC_RTC__)
#define CTS_TRAP() __builtin_trap()
#else
#define CTS_TRAP() __trap()
#endif

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

static __device__ __forceinline__ u64 linear() {
  return blockIdx.x + (u64)gridDim.x * (blockIdx.y + (u64)gridDim.y * blockIdx.z);
}

extern "C" __global__ void absolute(const float* x, float* y) {
  u64 i = linear();
  y[i] = fabsf(x[i]);
}

extern "C" __global__ void write_constants(u32* out, u32 a, u32 b, u32 c, u32 d) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
}

extern "C" __global__ void scale_and_offset(const i32* x, i32* y, i32 scale, i32 offset) {
  u64 i = linear();
  y[i] = x[i] * scale + offset;
}

extern "C" __global__ void negate(const i32* x, i32* y) {
  u64 i = linear();
  y[i] = -x[i];
}

extern "C" __global__ void twice(const i32* x, i32* y) {
  u64 i = linear();
  y[i] = 2 * x[i];
}

extern "C" __global__ void write_group_ids(u32* ids) {
  u64 i = linear();
  ids[3 * i] = blockIdx.x;
  ids[3 * i + 1] = blockIdx.y;
  ids[3 * i + 2] = blockIdx.z;
}

extern "C" __global__ void write_parameters(u32* out, u32 x, u32 y, u32 z) {
  out[0] = x;
  out[1] = y;
  out[2] = z;
}

extern "C" __global__ void reflected(u32 a, const u8* x, double b, u32* y) {
  u64 i = linear();
  y[i] = a + (u32)b + x[i];
}

extern "C" __global__ void all_constants(u64* out, i8 a, i64 b, u8 c, double d, i16 e, u32 f, u16 g,
                                         float h, u64 i, i32 j) {
  out[0] = (u64)(i64)a;
  out[1] = (u64)b;
  out[2] = c;
  out[3] = (u64)__double_as_longlong(d);
  out[4] = (u64)(i64)e;
  out[5] = f;
  out[6] = g;
  out[7] = (u32)__float_as_int(h);
  out[8] = i;
  out[9] = (u64)(i64)j;
}

struct Mixed {
  u8 tag;
  float3 eye;
  i32 tiles[2];
  double zoom;
  u8 on;
};

extern "C" __global__ void write_structs(u8 first, float4 vector, u16 small, Mixed mixed, float* out,
                                         dim3 size, u8 last) {
  float all[] = {(float)first,          vector.x,
                 vector.y,              vector.z,
                 vector.w,              (float)small,
                 (float)mixed.tag,      mixed.eye.x,
                 mixed.eye.y,           mixed.eye.z,
                 (float)mixed.tiles[0], (float)mixed.tiles[1],
                 (float)mixed.zoom,     (float)mixed.on,
                 (float)size.x,         (float)size.y,
                 (float)size.z,         (float)last};
  for (int i = 0; i < 18; i++) {
    out[i] = all[i];
  }
}

extern "C" __global__ void spin(i32* flags, u64 iterations) {
  volatile i32* seen = flags;
  seen[1] = 1;
  __threadfence_system();
  for (u64 i = 0; i < iterations; i++) {
    if (seen[0] != 0) {
      seen[1] = 2;
      return;
    }
  }
  seen[1] = 3;
}

extern "C" __global__ void reverse(i32* data) {
  extern __shared__ i32 scratch[];
  u64 first = linear() * blockDim.x;
  scratch[threadIdx.x] = data[first + threadIdx.x];
  __syncthreads();
  data[first + threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void append(u32* list, u32 value) {
  u32 length = list[0];
  list[1 + length] = value;
  list[0] = length + 1;
}

extern "C" __global__ void trap(u32 code) {
  if (code != 0xFFFFFFFFu) {
    CTS_TRAP();
  }
}
