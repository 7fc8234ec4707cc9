// SPDX-License-Identifier: Apache-2.0
// Subscripts of all types, loops and exits at the edges of rows. As in proofs.cpp, each kernel is a part of its own; all items
// write 1 if they see what they must. What is expected is read through a pointer, without a subscript.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define COUNT (gridDim.x * 64)
#define WRITE(condition) out[blockIdx.x * blockDim.x + threadIdx.x] = (condition) ? 1 : 0

//@ int_index 1
KERNEL(int_index) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  WRITE(in[i] == *(in + (size_t)i) && in[(i + 1) - 1] == *(in + (size_t)i)); }

//@ int_halo 1
KERNEL(int_halo) {
  int i = blockIdx.x * blockDim.x + threadIdx.x - 1;
  int found = i >= 0 ? in[i] : -1;
  long at = (long)(blockIdx.x * 64 + threadIdx.x) - 1;
  WRITE(found == (at < 0 ? -1 : *(in + at))); }

//@ unsigned_halo 1
KERNEL(unsigned_halo) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x - 1;
  int found = i < COUNT ? in[i] : -1;
  long at = (long)(blockIdx.x * 64 + threadIdx.x) - 1;
  WRITE(found == (at < 0 ? -1 : *(in + at))); }

//@ unsigned_that_wraps_twice 1
KERNEL(unsigned_that_wraps_twice) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned back = 0u - 5u;
  int found = i < 5 ? -1 : in[i + back];
  WRITE(found == (i < 5 ? -1 : *(in + (size_t)i - 5))); }

//@ unsigned_that_wraps_in_the_subscript 1
KERNEL(unsigned_that_wraps_in_the_subscript) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, behind = i + 7;
  WRITE(in[behind - 9 + 2] == *(in + (size_t)i) && in[i + 4294967295u + 1u] == *(in + (size_t)i)); }

//@ negative_factor_of_an_unsigned 1
KERNEL(negative_factor_of_an_unsigned) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, width = 3;
  int sum = 0, wanted = 0;
  for (int d = -1; d <= 1; d++) {
    if (i >= 3 && i < COUNT - 3) {
      sum += in[i + d * width];
      wanted += *(in + (long)i + 3 * d);
    }
  }
  WRITE(sum == wanted); }

//@ index_of_a_narrow_type 1
KERNEL(index_of_a_narrow_type) {
  unsigned char small = (unsigned char)(blockIdx.x * blockDim.x + threadIdx.x);
  short low = (short)(blockIdx.x * 64 + threadIdx.x + 65536);
  WRITE(in[small + 1] == *(in + (size_t)small + 1) && in[low] == *(in + (size_t)(blockIdx.x * 64 + threadIdx.x))); }

//@ index_that_saturates 1
KERNEL(index_that_saturates) {
  float far = threadIdx.x + 0.75f;
  int i = far, j = blockIdx.x * 64 + i;
  WRITE(in[j] == *(in + (size_t)(blockIdx.x * 64 + threadIdx.x))); }

//@ index_with_an_effect 1
struct Next { mutable int calls = 0; __device__ operator int() const { return calls++; } };
KERNEL(index_with_an_effect) {
  Next next;
  int i = next, j = next;
  WRITE(in[i] == *in && in[j + 1] == *(in + 2) && next.calls == 2); }

//@ index_by_an_operator_with_an_effect 1
struct Sum { int value; int* calls; };
__device__ int operator+(const Sum& a, int b) { ++*a.calls; return a.value + b; }
KERNEL(index_by_an_operator_with_an_effect) {
  int calls = 0;
  const Sum sum{2, &calls};
  int i = sum + 3;
  WRITE(in[i] == *(in + 5) && in[sum + 1] == *(in + 3) && calls == 2); }

//@ index_by_an_enumeration 1
enum Side { LEFT = -1, RIGHT = 1 };
KERNEL(index_by_an_enumeration) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1 + LEFT;
  Side side = i % 2 ? LEFT : RIGHT;
  WRITE(in[i + 1 + side] == *(in + (size_t)i + (i % 2 ? 0 : 2))); }

//@ index_in_a_lambda 1
KERNEL(index_in_a_lambda) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto read = [&](int i) { return in[i + 1]; };
  WRITE(read(4) == *(in + 5) && in[i] == *(in + (size_t)i)); }

//@ index_in_a_class_with_subscripts 1
struct Row { const int* at; int from; __device__ int operator[](int i) const { return *(at + from + i); } };
KERNEL(index_in_a_class_with_subscripts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Row row{in, 2};
  WRITE(row[i - i + 3] == *(in + 5) && row[in[i] - in[i]] == *(in + 2)); }

//@ subscript_in_a_subscript 1
KERNEL(subscript_in_a_subscript) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int* p = in;
  WRITE(p[in[i + 1 - 1] % 64 + 1] == *(in + *(in + (size_t)i) % 64 + 1)); }

//@ own_array_by_a_sum 1
KERNEL(own_array_by_a_sum) {
  const int n = 2;
  int own[n * 3 + 1];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n * 3 + 1; k++) own[k] = in[i] + k;
  WRITE(own[n + i % 5] == *(in + (size_t)i) + n + i % 5); }

//@ index_by_axes 1
KERNEL(index_by_axes) {
  int y = threadIdx.x / 8, x = threadIdx.x % 8, width = 8;
  WRITE(in[y * width + x] == *(in + threadIdx.x) && in[threadIdx.y * 64 + threadIdx.x] == *(in + threadIdx.x)); }

//@ group_and_item_apart 1
KERNEL(group_and_item_apart) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  WRITE(i / 64 == (int)blockIdx.x && threadIdx.x < 64); }

//@ group_by_another_width 1
KERNEL(group_by_another_width) {
  int i = blockIdx.x * 32 + threadIdx.x;
  WRITE(i == (int)(blockIdx.x * blockDim.x + threadIdx.x) - 32 * (int)blockIdx.x); }

//@ group_subtracted 1
KERNEL(group_subtracted) {
  int last = COUNT - 1;
  int i = last - blockIdx.x * blockDim.x + threadIdx.x;
  WRITE(i - last == (int)threadIdx.x - 64 * (int)blockIdx.x); }

//@ index_in_a_function 1
__device__ int place() { return threadIdx.x; }
KERNEL(index_in_a_function) { WRITE(place() < 64); }

//@ exit_at_the_edges 1
KERNEL(exit_at_the_edges) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = COUNT;
  out[i] = 1;
  if (i < 3 || i >= n - 3) return;
  int sum = 0, wanted = 0;
  for (int k = 0; k < n / 64; k++) sum += in[i - 3 + k % 3];
  for (int k = 0; k < n / 64; k++) wanted += *(in + (long)i - 3 + k % 3);
  out[i] = sum == wanted ? 1 : 0; }

//@ exits_one_behind_the_other 1
KERNEL(exits_one_behind_the_other) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 0;
  if (i % 2) { out[i] = 1; }
  if (i % 2) return;
  if (in[i] < 0) return;
  out[i] = 2;
  if (i % 4) { out[i] = 1; return; }
  out[i] = 1; }

//@ loop_with_gaps 1
KERNEL(loop_with_gaps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = COUNT, sum = 0, wanted = 0;
  if (i % 3 == 1) {
    for (int k = 0; k < n; k++) sum += in[i] * k;
    wanted = *(in + (size_t)i) * (n * (n - 1) / 2);
  }
  WRITE(sum == wanted); }

//@ loop_in_the_other_branch 1
KERNEL(loop_in_the_other_branch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = COUNT, sum = 0, wanted = 7;
  if (i > 40 && i < 100) {
    sum = 7;
  } else {
    for (int k = 0; k < n; k++) sum += in[i];
    wanted = *(in + (size_t)i) * n;
  }
  WRITE(sum == wanted); }

//@ loops_in_each_other_with_a_choice 1
KERNEL(loops_in_each_other_with_a_choice) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = COUNT, sum = 0, wanted = 0;
  for (int a = -17; a <= n / 64; a++) {
    for (int b = -17; b <= 17; b++) {
      int r = a + 3, c = i + b;
      if (r >= 0 && c >= 0 && c < n) sum += in[c] * r;
    }
  }
  for (long a = -17; a <= n / 64; a++)
    for (long b = -17; b <= 17; b++)
      wanted += a + 3 >= 0 && i + b >= 0 && i + b < n ? *(in + i + b) * (int)(a + 3) : 0;
  WRITE(sum == wanted); }

//@ loop_inside_that_changes_its_counter 1
KERNEL(loop_inside_that_changes_its_counter) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int a = 0; a < 40; a++) {
    for (int b = 0; b < 40; b++) {
      sum += in[i] - in[i] + 1;
      b += 1;
    }
  }
  WRITE(sum == 800); }

//@ round_that_is_left_early 1
KERNEL(round_that_is_left_early) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = COUNT, sum = 0;
  for (int k = 0; k < n; k++) {
    if (k % 2) continue;
    sum += in[i];
    if (k < i) continue;
    sum -= in[i];
  }
  WRITE(sum == *(in + (size_t)i) * ((i + 1) / 2)); }

//@ limit_that_divides_by_zero_for_others 1
KERNEL(limit_that_divides_by_zero_for_others) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, none = gridDim.x - gridDim.x, sum = 1;
  if (i < none) {
    for (int k = 0; k < 100 / none; k++) sum += in[i];
  }
  WRITE(sum == 1); }

//@ stride_over_the_grid 1
KERNEL(stride_over_the_grid) {
  int n = COUNT, wanted = 0;
  int mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n - 5; i += 64) mine += in[i];
  for (long i = blockIdx.x * 64 + threadIdx.x; i < n - 5; i += 64) wanted += *(in + i);
  WRITE(mine == wanted); }

//@ declaration_with_comparisons 1
KERNEL(declaration_with_comparisons) {
  __shared__ int s[64];
  int i = threadIdx.x, low = i < 5 ? -i : 0, high = i + 3 > 64 ? 64 - i : 3;
  bool is = low < 0, isNot = high > 2;
  s[i] = low + high;
  __syncthreads();
  int other = s[63 - i], j = 63 - i;
  WRITE(other == (j < 5 ? -j : 0) + (j + 3 > 64 ? 64 - j : 3) && is == (i > 0 && i < 5) && isNot == (i <= 61)); }

//@ static_methods_of_one_name 1
struct Up { static __device__ int all(int v) { for (int by = 16; by > 0; by /= 2) v += __shfl_xor_sync(~0u, v, by); return v; } };
struct Most { static __device__ int all(int v) { for (int by = 16; by > 0; by /= 2) v = max(v, __shfl_xor_sync(~0u, v, by)); return v; } };
__device__ int all(int v) { return v; }
KERNEL(static_methods_of_one_name) { WRITE(Up::all(1) == 32 && Most::all((int)threadIdx.x % 32) == 31 && all(3) == 3); }

//@ static_method_by_an_object 1
struct Sums { static __device__ int all(int v) { for (int by = 16; by > 0; by /= 2) v += __shfl_xor_sync(~0u, v, by); return v; } };
KERNEL(static_method_by_an_object) {
  Sums sums;
  WRITE(sums.all(1) == 32 && Sums::all(2) == 64); }

//@ static_methods_that_are_overloaded 1
struct Folds {
  static __device__ int all(int v) { for (int by = 16; by > 0; by /= 2) v += __shfl_xor_sync(~0u, v, by); return v; }
  static __device__ int all(const int* v) { return *v; }
};
KERNEL(static_methods_that_are_overloaded) {
  int own = 7;
  WRITE(Folds::all(1) == 32 && Folds::all(&own) == 7); }

//@ bit_field_in_a_subscript 1
struct Bits { unsigned low : 4; int high : 9; };
KERNEL(bit_field_in_a_subscript) {
  Bits bits;
  bits.low = threadIdx.x % 5, bits.high = -1;
  const int* p = in + 20;
  int i = bits.low - 5;
  WRITE(p[bits.low - 5] == *(p - 5 + threadIdx.x % 5) && p[bits.high * 1] == *(p - 1) && p[i] == *(p - 5 + threadIdx.x % 5)); }

//@ operators_of_two_types 1
struct Two { __device__ int operator[](int) const { return 1; } __device__ int operator[](long long) const { return 2; } };
struct Any { template <class T> __device__ int operator[](T) const { return sizeof(T); } };
KERNEL(operators_of_two_types) {
  Two two;
  Any any;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  WRITE(two[i + 1] == 1 && two[i] == 1 && two[i + 1ll] == 2 && any[i - 1] == 4 && in[i + 1 - 1] == *(in + (size_t)i)); }

//@ unsigned_stencil_that_wraps 1
KERNEL(unsigned_stencil_that_wraps) {
  unsigned i = threadIdx.x, w = 8, found = 0;
  int wanted = 0;
  for (unsigned dy = 0u - 1; dy != 2; dy++) if (i / w + dy < 8) found += in[i + dy * w];
  for (int dy = -1; dy < 2; dy++) wanted += (int)i / 8 + dy >= 0 && (int)i / 8 + dy < 8 ? *(in + (int)i + 8 * dy) : 0;
  WRITE((int)found == wanted); }

//@ int_of_an_unsigned_that_wraps 1
KERNEL(int_of_an_unsigned_that_wraps) {
  int i = threadIdx.x + 0x7fffffe0u;
  unsigned back = 0u - 0x7fffffe0u;
  WRITE(in[i + back] == *(in + threadIdx.x)); }

//@ signs_and_casts_in_a_subscript 1
KERNEL(signs_and_casts_in_a_subscript) {
  int i = threadIdx.x, k = 2, one = 1;
  const int* p = &one;
  WRITE(in[i * -1 + 63] == *(in + 63 - i) && in[127 + -1 * i] == *(in + 127 - i) && in[(int)*p + 1] == *(in + 2)
        && in[(int)-1 + i + 1] == *(in + i) && in[(unsigned)*p * 2] == *(in + 2) && in[(k, i) + 1] == *(in + i + 1)); }

//@ index_that_a_pointer_to_a_function_changes 1
__device__ void more(int& x) { x += 2; }
KERNEL(index_that_a_pointer_to_a_function_changes) {
  int x = threadIdx.x + 1, y = threadIdx.x + 1;
  void (*f)(int&) = more;
  void (&g)(int&) = more;
  f(x);
  g(y);
  WRITE(in[x + 1] == *(in + threadIdx.x + 4) && in[y + 1] == *(in + threadIdx.x + 4)); }

//@ template_parameter_named_like_a_class 1
struct Op { static __device__ int f(int v) { return v + (int)threadIdx.x; } };
struct Ot { static __device__ int f(int v) { return v * 100 + (int)threadIdx.x; } };
template <class Op> __device__ int apply(int v) { return Op::f(v); }
KERNEL(template_parameter_named_like_a_class) { WRITE(apply<Ot>(3) == 300 + (int)threadIdx.x && Op::f(3) == 3 + (int)threadIdx.x); }

//@ alias_named_like_a_class 1
namespace first { struct Pick { static __device__ int f(int v) { return v + (int)threadIdx.x; } }; }
namespace second { struct Other { static __device__ int f(int v) { return v * 7 + (int)threadIdx.x; } }; using Pick = Other; __device__ int via(int v) { return Pick::f(v); } }
KERNEL(alias_named_like_a_class) { WRITE(second::via(2) == 14 + (int)threadIdx.x && first::Pick::f(2) == 2 + (int)threadIdx.x); }

//@ constants_of_a_class_in_one_declaration 1
constexpr int B = 1000;
struct Consts { static constexpr int A = 1, B = 2; static __device__ int f(int v) { return v * B + A + (int)threadIdx.x; } };
KERNEL(constants_of_a_class_in_one_declaration) { WRITE(Consts::f(4) == 9 + (int)threadIdx.x && B == 1000); }

//@ exit_by_an_operator 1
struct Mood { int v; __device__ explicit operator bool() const { return v == 1; } __device__ bool operator!() const { return v == 1; } };
__device__ bool operator||(Mood a, Mood b) { return a.v == 5 && b.v == 5; }
KERNEL(exit_by_an_operator) {
  Mood one{1}, five{5};
  WRITE(false);
  if (one || one) return;
  if (Mood{2}) return;
  WRITE(true);
  if (five || five) return;
  WRITE(false); }

//@ parameter_that_changes 1
__global__ void parameter_that_changes(const int* in, int* out) {
  const int* from = in;
  in += blockIdx.x * 64;
  WRITE(in[threadIdx.x] == *(from + (size_t)(blockIdx.x * 64 + threadIdx.x))); }

//@ parameter_that_changes_before_a_barrier 1
__global__ void parameter_that_changes_before_a_barrier(const int* in, int* out) {
  __shared__ int s[64];
  const int* from = in;
  in += blockIdx.x * 64;
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  WRITE(s[63 - threadIdx.x] == *(from + (size_t)(blockIdx.x * 64 + 63 - threadIdx.x))); }

//@ cast_in_a_branch_with_a_loop 1
KERNEL(cast_in_a_branch_with_a_loop) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, n = COUNT;
  out[x] = 1;
  if (x >= n - 3) return;
  float s = 0.5f;
  for (int k = 0; k < n; k++) s += in[x] - in[x];
  out[x] = (int)s + 1; }

//@ bit_fields_whose_widths_are_expressions 1
const int FEW = 3;
struct Fields { unsigned low : FEW + 1; unsigned high : (4); };
KERNEL(bit_fields_whose_widths_are_expressions) {
  int t = threadIdx.x;
  Fields b;
  b.low = 2;
  b.high = 3;
  const int* p = in + 200;
  WRITE(p[b.low - 5 + t] == in[197 + t] && p[b.high - 4 - t] == in[199 - t]); }

//@ sums_with_pointers 1
KERNEL(sums_with_pointers) {
  unsigned x = threadIdx.x, far = 4294967295u;
  int y = blockIdx.x, n = 8, less = -3;
  const int* at = in + 64;
  const int* one = at + y * n + less;
  const int* two = at + (x + far) - 4294967295u;
  const int* three = at + (y + less) * 2 - y * 2;
  const int* four = at + x * 2 - x;
  const int* five = at + (unsigned char)(x + 250) % 7;
  const int* six;
  six = at + (x + 1) * (far - 1) / 2 % 5;
  const int* seven = at + -y + (n * 2) - 16;
  one = one + x * 3 - x * 3;
  const char* bytes = (const char*)at;
  bytes = bytes + (y * n + (int)x) * 4;
  int odd = (x + 1) * (far - 1) / 2 % 5;
  WRITE(one - in == 64 + (int)blockIdx.x * 8 - 3 && two - at == (long long)(x + far) - 4294967295ll && three - at == -6 &&
        four - at == threadIdx.x && five - at == (threadIdx.x + 250) % 256 % 7 && six == at + odd &&
        seven == at - (int)blockIdx.x && bytes == (const char*)(at + 8 * blockIdx.x + threadIdx.x)); }

//@ sums_of_pointers_and_objects 1
struct Steps { int by; };
static __device__ const int* operator+(const int* p, Steps s) { return p + 2 * s.by; }
static __device__ Steps operator*(Steps a, int b) { return {a.by * b + 1}; }
KERNEL(sums_of_pointers_and_objects) {
  Steps s = {(int)threadIdx.x};
  int n = 3, x = threadIdx.x;
  const int* one = in + s * n;
  const int* two = in + s * n + x * 2;
  WRITE(one == &in[6 * threadIdx.x + 2] && two == &in[8 * threadIdx.x + 2]); }
