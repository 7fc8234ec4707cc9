// SPDX-License-Identifier: Apache-2.0
// Kernels that a translator may get wrong: names, aliases, jumps and declarations around barriers. Each has 64 items in
// a workgroup, reads `in` and writes `out` at the place of its item; HostileKernelsTest says what.
#include <cooperative_groups.h>
#define AT (blockIdx.x * 64 + threadIdx.x)
#define SET(a, b) (a) = (b)
#define KERNEL extern "C" __global__ void

// Names.

KERNEL hidden_name(const int* in, int* out) {
  int i = threadIdx.x;
  int j = i + 1;
  out[AT] = 0;
  __syncthreads();
  {
    int i = in[AT];
    __syncthreads();
    out[AT] = i + j;
  }
}

KERNEL named_like_a_function(const int* in, int* out) {
  int max = in[AT];
  int y = max * 2;
  __syncthreads();
  max = 7;
  __syncthreads();
  out[AT] = y + max;
}

struct Pair {
  int x, y;
  __device__ void set(int value) { x = y = value; }
};

KERNEL members_named_like_variables(const int* in, int* out) {
  int x = threadIdx.x, y = 2;
  Pair p = {in[AT], 1};
  __syncthreads();
  p.x += x;
  p.y = y;
  __syncthreads();
  out[AT] = p.x + p.y + x + y;
}

static const int scale = 3;
static __device__ int scaled_of_other(int value) {
  __shared__ int values[64];
  values[threadIdx.x] = value * scale;
  __syncthreads();
  int other = values[63 - threadIdx.x];
  __syncthreads();
  return other;
}
KERNEL global_hidden_by_the_caller(const int* in, int* out) {
  int scale = 100;
  scale += in[AT];
  out[AT] = scaled_of_other(in[AT]) + scale;
}

static __device__ void add_other(int* values, int& sum) {
  int i = threadIdx.x;
  values[i] = sum;
  __syncthreads();
  sum += values[63 - i];
  __syncthreads();
}
KERNEL argument_named_like_a_local(const int* in, int* out) {
  __shared__ int values[64];
  int i = in[AT];
  add_other(values, i);
  out[AT] = i;
}

static __device__ int factor() { return 5; }
namespace inner {
static __device__ int factor() { return 2; }
static __device__ int doubled(int value) {
  int result = value * factor();
  __syncthreads();
  return result;
}
}  // namespace inner
KERNEL function_of_a_namespace(const int* in, int* out) { out[AT] = inner::doubled(in[AT]) + factor(); }

// Variables that change in ways that are hard to see.

KERNEL read_through_a_cast(const int* in, int* out) {
  out[AT] = in[AT];
  int* p = out + AT;
  int x = (int)*p;
  __syncthreads();
  out[AT] = 1;
  __syncthreads();
  out[AT] += x;
}

KERNEL written_through_a_cast(const int* in, int* out) {
  int x = threadIdx.x;
  *(unsigned*)&x = 5 + x;
  __syncthreads();
  out[AT] = x + in[AT];
}

KERNEL pointer_over_a_barrier(const int* in, int* out) {
  int x = in[AT];
  int* p = &x;
  __syncthreads();
  *p += 3;
  __syncthreads();
  out[AT] = *p + x;
}

KERNEL pointer_into_an_array(const int* in, int* out) {
  int a[4] = {1, 2, 3, 4};
  int* p = a + 1;
  p[0] += in[AT];
  __syncthreads();
  out[AT] = p[0] + p[1];
}

KERNEL pointer_to_an_element(const int* in, int* out) {
  int a[4] = {1, 2, 3, in[AT]};
  int* p = &a[2];
  __syncthreads();
  out[AT] = p[0] + p[1];
}

KERNEL pointer_in_a_struct(const int* in, int* out) {
  struct Holder {
    int* at;
  };
  int x = in[AT];
  Holder holder = {&x};
  __syncthreads();
  *holder.at += 4;
  __syncthreads();
  out[AT] = *holder.at;
}

KERNEL changed_by_a_reference(const int* in, int* out) {
  int x = threadIdx.x;
  {
    int& r = x;
    r = 5 + in[AT];
  }
  __syncthreads();
  out[AT] = x;
}

KERNEL reference_over_a_barrier(const int* in, int* out) {
  int x = in[AT];
  int& r = x;
  __syncthreads();
  r += 2;
  __syncthreads();
  out[AT] = r + x;
}

static __device__ void step(const int*& p) { p++; }
KERNEL reference_to_a_pointer(const int* in, int* out) {
  const int* p = in + blockIdx.x * 64;
  step(p);
  __syncthreads();
  out[AT] = *p;
}

template <class T> static __device__ void bump(T&& x) { x += 2; }
KERNEL forwarded_reference(const int* in, int* out) {
  int x = threadIdx.x;
  bump(x);
  __syncthreads();
  out[AT] = x + in[AT];
}

struct Adder {
  int n;
  __device__ void add(int& value) const { value += n; }
  static __device__ void inc(int& value) { value++; }
};
KERNEL reference_to_a_method(const int* in, int* out) {
  Adder adder{4};
  int x = threadIdx.x;
  adder.add(x);
  Adder::inc(x);
  __syncthreads();
  out[AT] = x + in[AT];
}

KERNEL member_by_reference(const int* in, int* out) {
  uint3 d = threadIdx;
  bump(d.x);
  __syncthreads();
  out[AT] = d.x + in[AT];
}

KERNEL set_by_a_macro(const int* in, int* out) {
  int x = threadIdx.x;
  SET(x, in[AT]);
  __syncthreads();
  out[AT] = x;
}

KERNEL set_by_a_choice(const int* in, int* out) {
  int a = threadIdx.x, b = threadIdx.x + 1;
  (in[AT] % 2 ? a : b) = 500;
  __syncthreads();
  out[AT] = a * 3 + b;
}

KERNEL set_by_assembly(const int* in, int* out) {
  int x = threadIdx.x;
  asm volatile("" : "=r"(x) : "0"(x + 7));
  __syncthreads();
  out[AT] = x + in[AT];
}

KERNEL shared_is_memory(const int* in, int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = in[AT];
  __syncthreads();
  int y = total + threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) total = 99;
  __syncthreads();
  out[AT] = y + total;
}

KERNEL shared_of_one_item(const int* in, int* out) {
  __shared__ int total;
  out[AT] = 0;
  if (threadIdx.x == 5) {
    total = in[AT];
    int seen = total;
    __syncwarp(1u << 5);
    out[AT] = seen;
  }
}

KERNEL changed_by_a_lambda(const int* in, int* out) {
  int x = threadIdx.x;
  auto change = [&x](int by) { x += by; };
  change(in[AT]);
  __syncthreads();
  out[AT] = x;
}

KERNEL lambda_over_a_barrier(const int* in, int* out) {
  int x = in[AT];
  auto added = [=](int by) { return x + by; };
  __syncthreads();
  out[AT] = added(1);
}

KERNEL counter_by_reference(const int* in, int* out) {
  __shared__ int values[64];
  int sum = 0;
  for (int i = 0; i < 9; i++) {
    values[threadIdx.x] = i + in[AT];
    __syncthreads();
    sum += values[63 - threadIdx.x];
    bump(i);
    __syncthreads();
  }
  out[AT] = sum;
}

KERNEL parameters_that_change(const int in[], int out[]) {
  in += AT;
  out += AT;
  __syncthreads();
  *out = *in + 1;
}

static __device__ int seen_through(const int& value, int* p) {
  *p = 50;
  __syncthreads();
  return value;
}
KERNEL constant_reference_to_what_changes(const int* in, int* out) {
  int x = in[AT];
  out[AT] = seen_through(x, &x);
}

KERNEL volatile_over_a_barrier(const int* in, int* out) {
  volatile int x = in[AT];
  __syncthreads();
  x = x + 1;
  __syncthreads();
  out[AT] = x;
}

// Declarations.

KERNEL anonymous_union(const int* in, int* out) {
  union {
    unsigned u;
    float f;
  } bits;
  bits.f = (float)in[AT];
  __syncthreads();
  out[AT] = bits.u;
}

KERNEL variable_behind_its_class(const int* in, int* out) {
  struct Two {
    int a, b;
  } two = {1, 2};
  two.a = in[AT];
  __syncthreads();
  out[AT] = two.a + two.b;
}

KERNEL constant_array(const int* in, int* out) {
  const int w[3] = {1, 2, in[AT]};
  __syncthreads();
  out[AT] = w[threadIdx.x % 3];
}

KERNEL deduced(const int* in, int* out) {
  auto v = in[AT];
  auto w = v * 2, u = v;
  __syncthreads();
  v++;
  __syncthreads();
  out[AT] = v + w + u;
}

KERNEL declared_in_a_condition(const int* in, int* out) {
  if (int x = in[AT] % 2 ? 5 : 6) {
    out[AT] = x;
    __syncthreads();
    out[AT] += x;
  }
}

KERNEL chosen_when_compiled(const int* in, int* out) {
  if constexpr (sizeof(int) == 4) {
    out[AT] = in[AT];
    __syncthreads();
  } else {
    out[AT] = -1;
  }
  if constexpr (sizeof(int) == 4) out[AT] += 2;
}

KERNEL class_with_a_method(const int* in, int* out) {
  struct Next {
    int v;
    __device__ int get() const { return v + 1; }
  };
  Next next{in[AT]};
  switch (blockIdx.x % 2) {
    case 0: __syncthreads(); break;
    default: next.v++; __syncthreads();
  }
  out[AT] = next.get();
}

KERNEL range_over_an_array(const int* in, int* out) {
  int a[3] = {1, 2, 3};
  for (int& v : a) v += in[AT];
  __syncthreads();
  int sum = 0;
  for (int v : a) {
    if (v % 2) continue;
    sum += v;
  }
  __syncthreads();
  out[AT] = sum;
}

// Jumps.

KERNEL continue_in_a_switch(const int* in, int* out) {
  __shared__ int values[64];
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    values[threadIdx.x] = in[AT];
    __syncthreads();
    switch (i) {
      case 1: continue;
      default: break;
    }
    sum += values[63 - threadIdx.x];
    __syncthreads();
    sum += 10 + i;
  }
  out[AT] = sum;
}

KERNEL back_by_goto(const int* in, int* out) {
  __shared__ int values[64];
  int i = 0, sum = in[AT];
again:
  values[threadIdx.x] = i;
  __syncthreads();
  sum += values[63 - threadIdx.x];
  __syncthreads();
  if (++i < 4) goto again;
  out[AT] = sum;
}

KERNEL falling_through(const int* in, int* out) {
  __shared__ int values[64];
  int sum = 0;
  switch (blockIdx.x % 3) {
    case 0:
      values[threadIdx.x] = in[AT];
      __syncthreads();
      sum += values[63 - threadIdx.x];
    case 1: sum += 2; break;
    default: sum += 3;
  }
  out[AT] = sum;
}

KERNEL nested_jumps(const int* in, int* out) {
  __shared__ int values[64];
  int sum = 0;
  for (int i = 0; i < 5; i++) {
    for (int j = 0;; j++) {
      values[threadIdx.x] = in[AT] + j;
      __syncthreads();
      int seen = values[63 - threadIdx.x];
      int most = values[0];
      __syncthreads();
      if (j > i) break;
      if ((most + j) % 3 == 0) continue;
      sum += seen;
    }
    if (i == 3) break;
  }
  out[AT] = sum;
}

KERNEL continue_in_a_do(const int* in, int* out) {
  __shared__ int values[64];
  int i = 0, sum = 0;
  do {
    values[threadIdx.x] = in[AT] + i;
    __syncthreads();
    int seen = values[63 - threadIdx.x];
    __syncthreads();
    if (i == 1) continue;
    sum += seen;
  } while (i++ < 3);
  out[AT] = sum;
}

static __device__ int early(int value) {
  if (value < 500) return -1;
  for (int i = 0; i < 3; i++) value += i;
  return value;
}
static __device__ int early_and_meeting(int* values, int round) {
  if (round == 2) return 1000;
  __syncthreads();
  return values[63 - threadIdx.x];
}
KERNEL early_in_functions(const int* in, int* out) {
  __shared__ int values[64];
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    values[threadIdx.x] = early(in[AT]);
    sum += early_and_meeting(values, i);
    __syncthreads();
  }
  out[AT] = sum;
}

KERNEL no_division_by_those_that_ended(const int* in, int* out) {
  if (blockIdx.x == 3) {
    out[AT] = -1;
    return;
  }
  int q = 100 / ((int)blockIdx.x - 3);
  __syncthreads();
  out[AT] = q + in[AT];
}

KERNEL negative_index(const int* in, int* out) {
  int i = (0 - 5) + (int)threadIdx.x;
  if (i < 100u) out[AT] = in[AT];
}

// Variables of loops that are the same for all items, or seem to be.

KERNEL halving(const int* in, int* out) {
  __shared__ int sum[64];
  sum[threadIdx.x] = in[AT];
  __syncthreads();
  int stride = blockDim.x / 2;
  while (stride > 0) {
    if (threadIdx.x < stride) sum[threadIdx.x] += sum[threadIdx.x + stride];
    __syncthreads();
    stride >>= 1;
  }
  out[AT] = sum[0] + stride;
}
KERNEL declared_before(const int* in, int* out) {
  __shared__ int sum[64];
  int s;
  sum[threadIdx.x] = in[AT];
  __syncthreads();
  for (s = 64 / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) sum[threadIdx.x] += sum[threadIdx.x + s];
    __syncthreads();
  }
  out[AT] = sum[0];
}
KERNEL two_variables(const int* in, int* out) {
  __shared__ int buffers[2][64];
  int from = 0, to = 1;
  buffers[from][threadIdx.x] = in[AT];
  __syncthreads();
  for (int by = 1; by < 64; by *= 2) {
    int value = buffers[from][threadIdx.x];
    if (threadIdx.x >= by) value += buffers[from][threadIdx.x - by];
    buffers[to][threadIdx.x] = value;
    from = 1 - from;
    to = 1 - to;
    __syncthreads();
  }
  out[AT] = buffers[from][threadIdx.x];
}

KERNEL some_leave_earlier(const int* in, int* out) {
  __shared__ int values[64];
  int i = 0, sum = 0;
  while (i < 10) {
    if (in[AT] % 8 == i) break;
    values[threadIdx.x] = i;
    __syncwarp();
    sum += values[threadIdx.x] + 1;
    i++;
  }
  out[AT] = sum * 100 + i;
}

KERNEL all_leave_behind_a_barrier(const int* in, int* out) {
  __shared__ int values[64];
  int i = 0, sum = 0;
  while (i < 10) {
    values[threadIdx.x] = in[AT] + i;
    if (i == 3) {
      __syncthreads();
      break;
    }
    __syncthreads();
    sum += values[63 - threadIdx.x];
    __syncthreads();
    i++;
  }
  out[AT] = sum + i;
}

KERNEL changed_by_some(const int* in, int* out) {
  __shared__ int values[64];
  int limit = 4, sum = 0;
  if (threadIdx.x % 2) limit = 2;
  for (int i = 0; i < 4; i++) {
    values[threadIdx.x] = in[AT] + limit;
    __syncthreads();
    sum += values[63 - threadIdx.x];
    limit++;
    __syncthreads();
  }
  out[AT] = sum;
}

KERNEL shared_limit(const int* in, int* out) {
  __shared__ int left;
  int rounds = 0;
  if (threadIdx.x == 0) left = in[AT] % 5 + 1;
  __syncthreads();
  do {
    __syncthreads();
    if (threadIdx.x == 0) left--;
    rounds++;
    __syncthreads();
  } while (left > 0);
  out[AT] = rounds;
}

// Functions.

static __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static __device__ int plus(int a, int b = 4) { return a + b; }
static __device__ int plus(float a, float b) { return (int)(a * b) + (int)threadIdx.x; }
static __device__ int meeting_plus(int a, int b = 3) {
  int c = a + b;
  __syncthreads();
  return c;
}
KERNEL called(const int* in, int* out) {
  int x = fibonacci(in[AT] % 10);
  __syncthreads();
  out[AT] = plus(x) + plus(2.0f, 3.0f) + meeting_plus(1);
}

struct Place {
  int bias;
  __device__ int at() const { return blockIdx.x * 64 + threadIdx.x; }
};
typedef Place Alias;
static __device__ int place_of() { return Alias{0}.at(); }
KERNEL class_asks_for_the_item(const int* in, int* out) {
  Place place{1};
  out[place.at()] = in[place_of()] + place.bias;
}
KERNEL class_asks_between_barriers(const int* in, int* out) {
  __shared__ int values[64];
  Alias place{1};
  values[threadIdx.x] = in[place.at()];
  __syncthreads();
  out[place.at()] = values[63 - threadIdx.x] + place.bias;
}

static __device__ int meeting_chain(int v, int n) {
  __shared__ int values[64];
  values[threadIdx.x] = v;
  __syncthreads();
  int other = values[(threadIdx.x + 1) % 64];
  __syncthreads();
  return n == 0 ? other : meeting_chain(other, n - 1);
}
KERNEL recursion_with_barriers(const int* in, int* out) { out[AT] = meeting_chain(in[AT], 2); }

template <int N> static __device__ int sum_of(int (&a)[N]) {
  int sum = 0;
  for (int i = 0; i < N; i++) sum += a[i];
  __syncthreads();
  return sum;
}
KERNEL array_by_reference(const int* in, int* out) {
  int a[3] = {in[AT], 1, 2};
  out[AT] = sum_of(a);
}

// What the items of a warp exchange.

KERNEL behind_a_comma(const int* in, int* out) {
  int a = 1, b;
  a = in[AT], b = __shfl_sync(~0u, a, 3);
  out[AT] = a + b;
}

KERNEL in_a_list_of_declarations(const int* in, int* out) {
  int a = in[AT], b = __shfl_sync(~0u, a, 3), c = b + 1;
  out[AT] = a + b + c;
}

KERNEL in_a_lambda(const int* in, int* out) {
  auto first = [&](int v) { return __shfl_sync(~0u, v, 0); };
  int x = in[AT] + 1;
  out[AT] = first(x);
}

KERNEL in_a_condition(const int* in, int* out) {
  int x = in[AT], sum = 0;
  if (threadIdx.x < 32) {
    for (int by = 16; by > 0; by >>= 1) x += __shfl_down_sync(~0u, x, by);
    if (__any_sync(~0u, in[AT] > 990)) sum = 1;
  }
  out[AT] = threadIdx.x == 0 ? x + sum : 0;
}

KERNEL a_group_that_is_assigned(const int* in, int* out) {
  cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  if (in[AT] < 0) block = cooperative_groups::this_thread_block();
  __shared__ int values[64];
  values[block.thread_rank()] = in[AT];
  block.sync();
  out[AT] = values[63 - block.thread_rank()];
}

// Text.

KERNEL texts(const int* in, int* out) {
  const char* a = "__syncthreads(); threadIdx { \" }";
  const char* b = R"x(} ) " __shared__ int s[4]; )x";
  char brace = '{', quote = '\'';
  int thousand = 1'000;
  __syncthreads();
  out[AT] = in[AT] + a[0] + b[0] + brace + quote + thousand + 0x1'0;
}

KERNEL exchanges_that_are_left_out(const int* in, int* out) {
  int n = 0, value = in[blockIdx.x * 64];
  bool both = value % 2 != 0 && __shfl_sync(~0u, ++n, 3) > 0;
  while (value-- % 4 != 0 && __shfl_sync(~0u, ++n, 3) > 0) {
  }
  out[AT] = 10 * n + both;
}

// The lanes that come to a place together are active there.

__device__ int active_slot(int* counter) {
  unsigned active = __activemask();
  int lane = threadIdx.x & 31, leader = __ffs(active) - 1, first = 0;
  if (lane == leader) first = atomicAdd(counter, __popc(active));
  return __shfl_sync(active, first, leader) + __popc(active & ((1u << lane) - 1));
}

extern "C" __global__ void leaders_of_active_lanes(const int* in, int* out) {
  unsigned active = __activemask();
  if ((threadIdx.x & 31) == __ffs(active) - 1) atomicAdd(out + blockIdx.x * 64, __popc(active));
}

extern "C" __global__ void active_in_a_branch(const int* in, int* out) {
  __shared__ int small, large;
  if (threadIdx.x == 0) small = large = 0;
  __syncthreads();
  if (in[AT] % 3 == 0) active_slot(&small);
  else active_slot(&large);
  __syncthreads();
  out[AT] = small + 1000 * large;
}

extern "C" __global__ void exchanges_of_active_lanes(const int* in, int* out) {
  int value = in[AT];
  if (value % 2 != 0) {
    unsigned own = 1u << (threadIdx.x & 31);
    out[AT] = __shfl_xor_sync(own, value, 1) + (__ballot_sync(own, 1) == own);
  } else {
    unsigned active = __activemask();
    __syncwarp(active);
    out[AT] = 2 + (__popc(__ballot_sync(active, value % 3 == 0) & 1u << (threadIdx.x & 31)));
  }
}

extern "C" __global__ void slots_of_active_lanes(const int* in, int* out) {
  __shared__ int count, found[64];
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (in[AT] % 5 < 2) found[active_slot(&count)] = in[AT];
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < count; i++) sum += found[i];
  out[AT] = sum;
}

KERNEL reduced_by_all_active(const int* in, int* out) {
  unsigned active = __activemask();
  int sum = in[AT];
  for (int by = 16; by > 0; by /= 2) sum += __shfl_down_sync(active, sum, by);
  out[AT] = __shfl_sync(active, sum, 0);
}

KERNEL reduced_in_both_branches(const int* in, int* out) {
  int value = in[AT], others;
  if (value % 3 == 0) {
    unsigned active = __activemask();
    others = __reduce_add_sync(active, value) + __popc(active);
  } else {
    unsigned active = __activemask();
    others = __reduce_max_sync(active, value) + 100 * __popc(active);
  }
  out[AT] = others + 10000 * __popc(__activemask());
}

KERNEL branches_in_one_line(const int* in, int* out) {
  int n;
  if (in[AT] % 2) n = __popc(__activemask()); else n = 100 * __popc(__activemask());
  out[AT] = n;
}

KERNEL halves_of_a_warp(const int* in, int* out) {
  int sum = in[AT];
  if (threadIdx.x % 32 < 16) {
    unsigned active = __activemask();
    for (int by = 8; by > 0; by /= 2) sum += __shfl_down_sync(active, sum, by, 16);
    sum = __shfl_sync(active, sum, 0, 16);
  } else {
    __syncwarp(0xffff0000u);
    sum = __shfl_sync(__activemask(), sum, __ffs(__activemask()) - 1);
  }
  out[AT] = sum;
}

static __device__ int sum_of_active(int value) {
  unsigned active = __activemask();
  int sum = __reduce_add_sync(active, value);
  return sum + __popc(active);
}
static __device__ int early_sum_of_active(int value) {
  if (value % 5 == 0) return -1;
  return sum_of_active(value) + sum_of_active(2 * value);
}

KERNEL active_in_a_helper(const int* in, int* out) {
  int value = in[AT];
  if (value % 2) value = sum_of_active(value);
  else value = sum_of_active(3 * value);
  out[AT] = value + 7 * sum_of_active(1);
}

KERNEL active_in_a_helper_that_ends_early(const int* in, int* out) {
  int value = in[AT];
  if (value % 2) value = early_sum_of_active(value);
  else value = early_sum_of_active(value) * 2;
  out[AT] = value + 100000 * sum_of_active(1);
}

KERNEL active_while_some_leave(const int* in, int* out) {
  int rounds = in[AT] % 8, counted = 0;
  for (int i = 0; i < rounds; i++) counted += __popc(__activemask());
  out[AT] = 100 * counted + __popc(__activemask());
}

KERNEL active_in_the_header_of_a_loop(const int* in, int* out) {
  int rounds = in[AT] % 8, counted = 0;
  while (rounds-- > 0 && (counted += __popc(__activemask())) > 0) {
  }
  out[AT] = 100 * counted + __popc(__activemask());
}

KERNEL active_of_those_left(const int* in, int* out) {
  if (in[AT] % 4 == 0) return;
  out[AT] = __popc(__activemask());
}

KERNEL active_between_barriers(const int* in, int* out) {
  __shared__ int count[3];
  if (threadIdx.x < 3) count[threadIdx.x] = 0;
  __syncthreads();
  for (int i = 0; i < 3; i++) {
    if (in[AT] % 3 == i && __ffs(__activemask()) - 1 == threadIdx.x % 32) atomicAdd(&count[i], 1);
    __syncthreads();
  }
  out[AT] = count[0] + 10 * count[1] + 100 * count[2];
}

KERNEL active_beside_an_exchange(const int* in, int* out) {
  int n;
  if (in[AT] % 2) {
    n = __popc(__activemask());
    __syncwarp();
  } else {
    __syncwarp();
    n = 100 * __popc(__activemask());
  }
  out[AT] = n;
}

struct Asking {
  __device__ int active() const { return __popc(__activemask()); }
};

KERNEL active_in_a_class(const int* in, int* out) {
  Asking asking;
  out[AT] = asking.active();
}

struct Exchanging {
  __device__ int third(int value) const { return __shfl_sync(~0u, value, 3); }
};

KERNEL exchanges_in_a_class(const int* in, int* out) {
  Exchanging exchanging;
  out[AT] = exchanging.third(in[AT]);
}

// What is exchanged was exchanged before.

extern "C" __global__ void nested_shuffles(const int* in, int* out) {
  int lane = threadIdx.x & 31;
  out[AT] = __shfl_sync(~0u, __shfl_sync(~0u, in[AT], (lane + 5) % 32), (lane + 3) % 32);
}

extern "C" __global__ void shuffle_of_a_vote(const int* in, int* out) {
  out[AT] = __shfl_sync(~0u, __popc(__ballot_sync(~0u, in[AT] > 500)), 4) + 7;
}

extern "C" __global__ void vote_of_a_shuffle(const int* in, int* out) {
  int sum = __shfl_sync(~0u, in[AT], 3) + __shfl_sync(~0u, in[AT], 9);
  out[AT] = __any_sync(~0u, __reduce_max_sync(~0u, __shfl_sync(~0u, sum % 2, 3)));
}

// Names of shared memory, which change when another item writes it.

KERNEL read_before_a_barrier_by_reference(const int* in, int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[AT];
  __syncthreads();
  const int& o = tile[63 - t];
  int v = o + 1;
  __syncthreads();
  tile[t] = v;
  __syncthreads();
  out[AT] = v * 3 + tile[0];
}

KERNEL read_before_a_barrier_by_a_deduced_reference(const int* in, int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[AT];
  __syncthreads();
  auto& o = tile[63 - t];
  const auto v = o;
  __syncthreads();
  tile[t] = -1;
  __syncthreads();
  out[AT] = v;
}

KERNEL read_before_a_barrier_from_a_scalar(const int* in, int* out) {
  __shared__ int s;
  int& r = s;
  if (threadIdx.x == 5) r = in[AT];
  __syncthreads();
  int v = r;
  __syncthreads();
  if (threadIdx.x == 7) r = -1;
  __syncthreads();
  out[AT] = v;
}

KERNEL read_before_a_barrier_from_a_field(const int* in, int* out) {
  __shared__ Pair pairs[64];
  int t = threadIdx.x;
  pairs[t].x = in[AT];
  __syncthreads();
  const Pair& p = pairs[63 - t];
  int v = p.x;
  __syncthreads();
  pairs[t].x = 0;
  __syncthreads();
  out[AT] = v;
}

KERNEL read_before_a_barrier_as_an_index(const int* in, int* out) {
  __shared__ int at[64], tile[64];
  int t = threadIdx.x;
  at[t] = t ^ 1;
  tile[t] = in[AT];
  __syncthreads();
  int& from = at[t];
  int& o = tile[from];
  __syncthreads();
  at[t] = 0;
  __syncthreads();
  out[AT] = o;
}

// Two meetings in an expression.

KERNEL counted_and_any(const int* in, int* out) {
  int v = in[AT];
  out[AT] = __syncthreads_count(v % 3 == 0) * 1000 + __syncthreads_or(v > 990) * 10 + __syncthreads_and(v > 4);
}

KERNEL meetings_in_a_condition_and_behind_it(const int* in, int* out) {
  __shared__ int tile[64];
  int v = in[AT], r = -1;
  tile[threadIdx.x] = v;
  if (__syncthreads_or(v >= 0)) r = __shfl_sync(~0u, v, 3);
  out[AT] = r + tile[63 - threadIdx.x];
}

KERNEL meetings_in_lists_of_values(const int* in, int* out) {
  int v = in[AT];
  Pair p = {__shfl_xor_sync(~0u, v, 1), __shfl_xor_sync(~0u, v, 2) * 10};
  int a[2] = {100 * __shfl_xor_sync(~0u, v, 4), int{__shfl_xor_sync(~0u, v, 8)} * __shfl_xor_sync(~0u, v, 3)};
  out[AT] = p.x + p.y + a[0] + a[1];
}

KERNEL larger_of_two_shuffles(const int* in, int* out) {
  int v = in[AT];
  out[AT] = max(__shfl_xor_sync(~0u, v, 1), __shfl_down_sync(~0u, v, 2));
}

KERNEL ballots_of_two_questions(const int* in, int* out) {
  int v = in[AT];
  out[AT] = (int)(__ballot_sync(~0u, v & 1) ^ __ballot_sync(~0u, v & 2));
}

// Expressions that overflow more than once, so that items in the middle differ from the first and the last one.

KERNEL overflowing_through_a_variable(const int* in, int* out) {
  unsigned u = threadIdx.x * 1000u;
  if (u * 100000u < 2100000000u) out[AT] = 5;
}

KERNEL overflowing_when_narrowed(const int* in, int* out) {
  unsigned long base = threadIdx.x * 200000ul;
  unsigned i = base * 200000ul;
  if (i < 2000000000u) out[AT] = 1;
}

KERNEL overflowing_in_a_sum(const int* in, int* out) {
  unsigned u = threadIdx.x * 250000u, w = u + u + u + u + u + u + u + u;
  if (w + w + w + w + w + w + w + w * 141u < 2100000000u) out[AT] = 5;
}

// What all items of a workgroup agree on.

KERNEL agreed_in_a_condition(const int* in, int* out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[AT];
  if (__syncthreads_or(in[AT] > 990)) {
    int v = tile[63 - t];
    __syncthreads();
    tile[t] = v;
  } else {
    tile[t] = t;
  }
  out[AT] = tile[t];
}

KERNEL agreed_in_a_loop(const int* in, int* out) {
  int rounds = 0, counted = 0;
  for (;;) {
    int left = __syncthreads_count(in[AT] % 8 > rounds);
    counted += left;
    if (__syncthreads_and(in[AT] % 8 <= rounds)) break;
    rounds++;
  }
  out[AT] = 100 * rounds + counted;
}

KERNEL agreed_by_those_left(const int* in, int* out) {
  out[AT] = -1;
  if (in[AT] % 4 == 0) return;
  const int multiples = __syncthreads_count(in[AT] % 3 == 0), all = __syncthreads_and(in[AT] % 4);
  out[AT] = multiples + 1000 * all;
}

static __device__ bool most_are(bool yes) { return __syncthreads_count(yes) > 32; }
KERNEL agreed_in_a_helper(const int* in, int* out) {
  out[AT] = most_are(in[AT] > 500) ? 3 : 7;
  __syncthreads_or(0.5f);
  if (__syncthreads_or(0.5f)) out[AT] = -1;
}

KERNEL beside_each_other(const int* in, int* out) {
  __shared__ int tile[64];
  unsigned t = threadIdx.x, by = blockDim.x / 2, *p = &by, i = blockIdx.x * 64 + t, half = blockDim.x / 2, is = t == 3;
  tile[t] = in[i];
  for (; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) tile[t] += tile[t + half];
  }
  __syncthreads();
  out[i] = tile[0] + is + *p - by;
}
