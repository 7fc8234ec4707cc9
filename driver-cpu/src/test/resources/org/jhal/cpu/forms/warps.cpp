// SPDX-License-Identifier: Apache-2.0
// Kernels whose lanes exchange values, which write the same in each form and in workgroups of any size.
#define AT (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL(name) extern "C" __global__ void name(const int* in, int* out)

KERNEL(distances) {
  int v = in[AT], sum = 0;
  for (int by = 0; by < 34; by++) {
    sum = sum * 31 + __shfl_down_sync(~0u, v, by);
    sum ^= __shfl_up_sync(~0u, v, by) * 3;
    sum += __shfl_xor_sync(0xffffffffu, v, by & 31) * 7;
    v += sum & 15;
    sum -= __shfl_sync(-1, v, by - 3);
  }
  out[AT] = sum;
}

KERNEL(constants) {
  int v = in[AT];
  v += __shfl_xor_sync(~0u, v, 16);
  v ^= __shfl_down_sync(~0u, v, 8);
  v -= __shfl_up_sync(~0u, v, 4) * 3;
  v += __shfl_xor_sync(~0u, v, 1) ^ __shfl_up_sync(~0u, v * 5, 2) ^ __shfl_down_sync(~0u, v, 1);
  int first = __shfl_sync(~0u, v, 0), last = __shfl_sync(~0u, v, 31);
  out[AT] = v + first * 3 + last;
}

KERNEL(widths) {
  int v = in[AT], sum = 0;
  for (int width = 1; width <= 32; width *= 2) {
    for (int by = 1; by < 9; by += 3) {
      sum = sum * 7 + __shfl_down_sync(~0u, v, by, width) + __shfl_up_sync(~0u, v, by, width) * 3;
      sum ^= __shfl_xor_sync(~0u, v, by, width) + __shfl_sync(~0u, v, by, width) * 5;
    }
  }
  out[AT] = sum;
}

// Only the lanes that a mask names come here; the others have what they had.
KERNEL(masks) {
  int v = in[AT], lane = threadIdx.x % 32;
  const unsigned low = 0xffff;
  unsigned high = 0xffff0000;
  if (lane < 16) v += __shfl_down_sync(low, v, 3, 16) * 3;
  if (lane >= 16) v += __shfl_sync(high, v, 17);
  unsigned mask = lane < 16 ? low : high;
  v ^= __shfl_xor_sync(mask, v, 5);
  if (lane % 2 == 0) v -= __shfl_up_sync(0x55555555, v, 2);
  unsigned odd = 0xaaaaaaaa;
  if (lane % 2 == 1) v += __shfl_down_sync(odd, v, 1);
  out[AT] = v;
}

template <class T> __device__ T turned(T v) {
  for (int by = 16; by > 0; by /= 2) v += __shfl_xor_sync(~0u, v, by) * 3;
  for (int by = 16; by > 0; by /= 2) v -= __shfl_up_sync(~0u, v, by);
  for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(~0u, v, by) * 3;
  v += __shfl_sync(~0u, v, 7);
  return v;
}
struct Pair { short a, b; };
KERNEL(types) {
  int v = in[AT];
  long long all = turned<long long>((long long)v << 20);
  all += turned<signed char>((signed char)v);
  all += turned<unsigned short>((unsigned short)v);
  all += turned<unsigned>((unsigned)v);
  double d = turned<double>(v * 0.5);
  d += turned<float>(v * 0.25f);
  bool is = v % 3 == 0;
  for (int by = 16; by > 0; by /= 2) is = is != __shfl_down_sync(~0u, is, by);
  Pair p{(short)v, (short)(v * 3)};
  out[AT] = (int)(all ^ all >> 32) + (int)d + is * 5 + p.a - p.b;
}

KERNEL(votes) {
  int v = in[AT], lane = threadIdx.x % 32;
  unsigned b = __ballot_sync(~0u, v % 3);
  int sum = __popc(b & ((1u << lane) - 1)) + (b >> lane & 1) * 100;
  sum += __any_sync(~0u, v > 990) * 1000 + __all_sync(~0u, v > 5) * 2000;
  if (lane / 4 % 2 == 1) sum += __any_sync(0xf0f0f0f0, v > 900) * 4000;
  if (v % 2) {
    unsigned odd = __ballot_sync(__activemask(), v & 2);
    sum += __popc(odd) * 7 + __all_sync(__activemask(), v > 100) * 11 + __any_sync(__activemask(), 0.5f > v);
  } else {
    sum -= __popc(__activemask());
  }
  auto any = __any_sync(~0u, v == 7);
  any += 2;
  out[AT] = sum + any;
}

KERNEL(matches) {
  int v = in[AT] % 5;
  unsigned same = __match_any_sync(~0u, v), all = ~0u;
  unsigned floats = __match_any_sync(~0u, v > 2 ? 0.0f : -0.0f), longs = __match_any_sync(~0u, (long long)v << 40);
  int sum = __popc(same) + (int)__reduce_add_sync(same, in[AT]) * 3;
  sum ^= (int)__reduce_max_sync(same, in[AT]) + (int)__reduce_min_sync(all, in[AT]);
  sum += (int)__reduce_xor_sync(floats, (unsigned)in[AT]) + (int)__reduce_and_sync(longs, (unsigned)in[AT]);
  sum += (int)__reduce_or_sync(1u << threadIdx.x % 32, (unsigned)in[AT]);
  out[AT] = sum + (same == longs);
}

// What is given is a variable that changes before and behind the shuffle.
KERNEL(given) {
  int v = in[AT], w = v * 3;
  for (int k = 0; k < 5; k++) {
    int a = __shfl_xor_sync(~0u, v, 1) + __shfl_xor_sync(~0u, w, 2);
    v += a;
    w = __shfl_down_sync(~0u, v, 1) - w;
    v = __shfl_up_sync(~0u, v, 1) + __shfl_sync(~0u, v, k);
  }
  out[AT] = v ^ w;
}

// Items that have ended, in whole warps.
KERNEL(ended) {
  int v = in[AT];
  out[AT] = -1;
  if (threadIdx.x / 32 % 2 == 1) return;
  for (int by = 16; by > 0; by /= 2) v += __shfl_xor_sync(~0u, v, by);
  unsigned b = __ballot_sync(~0u, v & 1);
  for (int k = 0; k < 3; k++) {
    if (in[blockIdx.x] % 3 == k) return;
    v += __shfl_sync(~0u, v, k) + __popc(b);
  }
  out[AT] = v;
}

// Branches of every so many items.
KERNEL(residues) {
  __shared__ int s[1024];
  int tid = threadIdx.x, v = in[AT], lane = tid & 31;
  const unsigned warp = threadIdx.x >> 5;
  s[tid] = v;
  __syncthreads();
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0 && tid + stride < blockDim.x) s[tid] += s[tid + stride];
    __syncthreads();
  }
  int sum = s[0];
  __syncthreads();
  s[tid] = sum + tid;
  const int three = 3, minus = -2, much = 5000;
  if (tid % three == 1) s[tid] *= 2;
  sum += s[tid];
  if (tid % minus == 0) s[tid] ^= 5;
  if (tid % much == 7) s[tid] += 9;
  if (tid == minus) s[tid] = 0;
  if (lane == 31) s[tid] += 1000;
  if ((lane) == 0 && v % 2) s[tid] -= 1000;
  if (threadIdx.x == 5) s[tid] = -s[tid];
  if ((threadIdx.x & 7) == 3) s[tid] += 3;
  if (threadIdx.x & 3 == 3) s[tid] += 5;
  if (threadIdx.x & 1 == three - 2) s[tid] += 11;
  if (lane == 2 || v % 3 == 0) s[tid] += 7;
  if (lane == 4 ? v % 2 : v % 5) s[tid] += 13;
  if (!lane == 0) s[tid] += 17;
  if (tid % 4 == 0 == v % 2) s[tid] += 19;
  if (-lane % 2 == 0) s[tid] += 23;
  if (tid % 8 % 3 == 1) s[tid] += 29;
  const unsigned char narrow = threadIdx.x;
  if (narrow == 1) s[tid] += 31;
  if (narrow % 4 == 2) s[tid] += 37;
  if (lane == 1) {
    s[tid] += 41;
    v++;
  }
  for (int k = 0; k < 3; k++) {
    if (lane == 3) continue;
    if (tid % 64 == 9) break;
    s[tid] += k * 43;
  }
  const int changing = v % 2;
  if (tid % 2 == changing) s[tid] += 47;
  __syncthreads();
  out[AT] = sum * 3 + s[tid] + (int)warp * 53 + v;
}

// The divisor is 1 in the first workgroups, and changes what 0 is.
KERNEL(residues_by_chance) {
  __shared__ int s[1024];
  s[threadIdx.x] = in[AT];
  __syncthreads();
  const int by = blockIdx.x % 3 - 1 ? blockIdx.x % 3 - 1 : 2, rest = (int)blockIdx.x % 2 - (blockIdx.x == 3);
  if (threadIdx.x % by == rest) s[threadIdx.x] += 100;
  int n = threadIdx.x;
  if (n % by == rest) s[n] *= 3;
  __syncthreads();
  out[AT] = s[threadIdx.x];
}

struct Most { __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
struct Plus { __device__ int operator()(int a, int b) const { return a + b; } };
template <typename Op, int Start> struct Reduce {
  int* partial;
  Op op;
  int calls = 0;

  __device__ int warp(int v) {
    for (int by = 16; by > 0; by >>= 1) v = op(v, __shfl_xor_sync(~0u, v, by));
    return v;
  }
  __device__ int counted(int v) const { return v + calls; }
  __device__ int operator()(int v) {
    const int lane = threadIdx.x % 32, count = blockDim.x / 32;
    v = warp(v);
    __syncthreads();
    if (lane == 0) partial[threadIdx.x / 32] = v;
    __syncthreads();
    calls++;
    return warp(lane < count ? partial[lane] : Start);
  }
};
KERNEL(objects) {
  __shared__ int partial[32];
  Reduce<Most, -5> most{partial, Most()};
  Reduce<Plus, 0> total{partial};
  int v = in[AT], a = most(v), b = total(v - a);
  if (b % 2) v = total(a) + most.counted(3);
  out[AT] = a + b * 3 + total.calls * 7 + most.calls + v - total.warp(v) + total.counted(1);
}

class Scan {
 public:
  __device__ int up(int v) {
    for (int by = 1; by < 32; by *= 2) {
      int other = __shfl_up_sync(~0u, v, by);
      if (lane() >= by) v += other;
    }
    last = v;
    return v;
  }
  int last, more = 2;

 private:
  __device__ int lane() { return threadIdx.x % 32; }
};
KERNEL(private_members) {
  Scan scan;
  int v = scan.up(in[AT]);
  scan.more += v & 1;
  out[AT] = v * scan.more + scan.last;
}
