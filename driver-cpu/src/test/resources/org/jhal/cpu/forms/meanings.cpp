// SPDX-License-Identifier: Apache-2.0
// Kernels in which a name means something else than the translator might take it for, or in which code asks which item it
// is that no name leads to. As in proofs.cpp, each is a part of its own; here all items write 1 if they see what they must.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define AT (blockIdx.x * 64 + threadIdx.x)
#define ITEM (int)threadIdx.x
#define WRITE(condition) out[AT] = (condition) ? 1 : 0

//@ plus_that_asks 1
struct Len { int v; };
__device__ Len operator+(Len a, Len b) { return {a.v + b.v + ITEM}; }
__device__ Len& operator-=(Len& a, int b) { a.v -= b * ITEM; return a; }
KERNEL(plus_that_asks) { Len a{10}, b{20}; Len c = a + b; c -= 3; WRITE(c.v == 30 - 2 * ITEM); }

//@ remainder_that_asks_for_the_block 1
struct Len { int v; };
__device__ int operator%(Len a, int b) { return a.v + b + blockIdx.x * blockDim.x * gridDim.x; }
KERNEL(remainder_that_asks_for_the_block) { Len a{4}; WRITE(a % 5 == 9 + (int)(AT / 64 * 64 * gridDim.x)); }

//@ operator_that_calls_what_asks 1
__device__ int mine() { return threadIdx.x; }
struct Len { int v; };
__device__ bool operator<(Len a, Len b) { return a.v + mine() < b.v; }
KERNEL(operator_that_calls_what_asks) { WRITE((Len{0} < Len{20}) == (threadIdx.x < 20) && mine() == ITEM); }

//@ operator_of_an_enum_that_asks 1
enum class Side { LEFT, RIGHT };
__device__ int operator*(Side s, int x) { return (s == Side::LEFT ? -1 : 1) * x * ITEM; }
KERNEL(operator_of_an_enum_that_asks) {
  __shared__ int s[64];
  s[ITEM] = Side::RIGHT * 2;
  __syncthreads();
  WRITE(s[63 - ITEM] == 2 * (63 - ITEM) && Side::LEFT * 3 == -3 * ITEM); }

//@ operator_template_that_asks 1
struct Len { int v; };
template <class A, class B> __device__ Len operator|(A a, B b) { return {a.v * 100 + b.v * 10 + ITEM}; }
KERNEL(operator_template_that_asks) { WRITE((Len{1} | Len{2}).v == 120 + ITEM); }

//@ operator_with_a_barrier 1
struct Row { int* cells; int v; };
__device__ Row& operator<<=(Row& r, int x) {
  r.cells[ITEM] = x;
  __syncthreads();
  r.v = r.cells[63 - ITEM];
  __syncthreads();
  return r; }
KERNEL(operator_with_a_barrier) { __shared__ int s[64]; Row r{s, 0}; r <<= ITEM * 2; WRITE(r.v == 2 * (63 - ITEM)); }

//@ operator_template_with_a_barrier 1
template <class T> struct Row { T* cells; };
template <class R> __device__ auto operator>>=(R r, int x) -> decltype(*r.cells + x) {
  r.cells[ITEM] = x;
  __syncthreads();
  return r.cells[63 - ITEM]; }
KERNEL(operator_template_with_a_barrier) { __shared__ int s[64]; WRITE((Row<int>{s} >>= ITEM) == 63 - ITEM); }

//@ operator_with_a_shuffle 1
struct Lane { int v; };
__device__ Lane operator!(Lane a) { for (int by = 1; by < 32; by *= 2) a.v += __shfl_xor_sync(~0u, a.v, by); return a; }
KERNEL(operator_with_a_shuffle) { WRITE((!Lane{ITEM % 32}).v == 31 * 16); }

//@ friend_that_asks 1
class Len { int v; friend __device__ int operator^(Len, int); public: __device__ Len(int x) : v(x) {} };
__device__ int operator^(Len a, int b) { return a.v * b + ITEM; }
KERNEL(friend_that_asks) { WRITE((Len(5) ^ 3) == 15 + ITEM); }

//@ operator_of_a_class_defined_outside 1
struct Len { int v; __device__ Len& operator*=(int); __device__ int operator[](int) const; };
__device__ Len& Len::operator*=(int x) { v = v * x + ITEM; return *this; }
__device__ int Len::operator[](int x) const { return v * x; }
KERNEL(operator_of_a_class_defined_outside) { Len a{7}; a *= 2; WRITE(a[3] == 3 * (14 + ITEM)); }

//@ call_operator_defined_outside 1
struct Times { int by; __device__ int operator()(int x) const; };
__device__ int Times::operator()(int x) const { return x * by + ITEM; }
KERNEL(call_operator_defined_outside) { Times t{3}; WRITE(t(5) == 15 + ITEM); }

//@ method_defined_outside 1
struct Scale { int by; __device__ int of(int x) const; };
__device__ int Scale::of(int x) const { return x * by + ITEM; }
KERNEL(method_defined_outside) { Scale s{4}; WRITE(s.of(2) == 8 + ITEM); }

//@ method_of_a_template_defined_outside 1
template <class T> struct Scale { T by; __device__ T of(T x) const; };
template <class T> __device__ T Scale<T>::of(T x) const { return x * by + ITEM; }
KERNEL(method_of_a_template_defined_outside) { Scale<int> s{4}; WRITE(s.of(2) == 8 + ITEM); }

//@ function_of_a_namespace_defined_outside 1
namespace inner { __device__ int twice(int x); }
__device__ int inner::twice(int x) { return 2 * x + ITEM; }
KERNEL(function_of_a_namespace_defined_outside) { WRITE(inner::twice(4) == 8 + ITEM); }

//@ literal_that_asks 1
__device__ int operator""_times(unsigned long long x) { return (int)x * ITEM; }
KERNEL(literal_that_asks) { WRITE(7_times == 7 * ITEM); }

//@ conversion_that_asks 1
struct Who { int plus; __device__ operator int() const { return plus + ITEM; } };
KERNEL(conversion_that_asks) { Who w{9}; int x = w; WRITE(x == 9 + ITEM); }

//@ virtual_function_that_asks 1
struct Shape { virtual __device__ int size(int x) const { return x; } };
struct Square : Shape { __device__ int size(int x) const override { return x * x + ITEM; } };
__device__ int size_of(const Shape& s) { return s.size(5); }
KERNEL(virtual_function_that_asks) { Square s; WRITE(size_of(s) == 25 + ITEM); }

//@ variable_with_its_class 1
struct Tool { int by; __device__ int of(int x) const { return x * by + ITEM; } } static __device__ tool = {6};
KERNEL(variable_with_its_class) { WRITE(tool.of(2) == 12 + ITEM); }

//@ class_in_a_kernel 1
KERNEL(class_in_a_kernel) {
  struct Own { int v; __device__ int sum(int x) const { return v + x + ITEM; } };
  Own own{5};
  WRITE(own.sum(6) == 11 + ITEM); }

//@ class_in_a_function 1
__device__ int summed(int x) { struct Own { __device__ int get(int y) { return y + ITEM; } }; return Own().get(x) + ITEM; }
KERNEL(class_in_a_function) { WRITE(summed(3) == 3 + 2 * ITEM); }

//@ parameter_named_like_a_function 1
__device__ int pick(int x) { return x * 2 + ITEM; }
template <class F> __device__ int applied(const F& pick, int x) { return pick(x); }
KERNEL(parameter_named_like_a_function) { WRITE(applied([](int x) { return x + 1; }, 50) == 51 && pick(1) == 2 + ITEM); }

//@ parameter_named_like_a_function_with_barriers 1
__device__ int turn(int v, int* s) {
  s[ITEM] = v;
  __syncthreads();
  int r = s[ITEM ^ 1];
  __syncthreads();
  return r; }
struct Triple { __device__ int operator()(int v, int*) const { return 3 * v; } };
template <class F> __device__ int applied(const F& turn, int v, int* s) { return turn(v, s); }
KERNEL(parameter_named_like_a_function_with_barriers) {
  __shared__ int s[64];
  int a = turn(ITEM, s);
  WRITE(a == (ITEM ^ 1) && applied(Triple(), ITEM, s) == 3 * ITEM); }

//@ operation_of_a_reduction 1
__device__ int joined(int a, int b) { return a + b + ITEM; }
template <class T, class Op> __device__ T reduced(T v, T* s, const Op& joined) {
  s[ITEM] = v;
  __syncthreads();
  for (int by = 32; by > 0; by /= 2) {
    if (ITEM < by) s[ITEM] = joined(s[ITEM], s[ITEM + by]);
    __syncthreads();
  }
  return s[0]; }
KERNEL(operation_of_a_reduction) {
  __shared__ int s[64];
  WRITE(reduced(ITEM, s, [](int a, int b) { return a > b ? a : b; }) == 63 && joined(1, 2) == 3 + ITEM); }

//@ operation_of_a_loop 1
__device__ int op(int v) { return v + ITEM; }
template <class T, class Op> __device__ void changed(T* all, const Op& op) { for (int i = ITEM; i < 128; i += 64) all[i] = op(i); }
KERNEL(operation_of_a_loop) { __shared__ int s[128]; changed(s, [](int v) { return 5 * v; }); WRITE(s[ITEM + 64] == 5 * (ITEM + 64)); }

//@ member_named_like_a_function 1
__device__ int pick(int x) { return x + ITEM; }
template <class F> struct Holder { const F& pick; __device__ int get(int x) const { return pick(x); } };
KERNEL(member_named_like_a_function) { auto f = [](int x) { return 8 * x; }; Holder<decltype(f)> h{f}; WRITE(h.get(3) == 24 && pick(1) == 1 + ITEM); }

//@ variable_named_like_a_function 1
__device__ int pick(int x) { return x + ITEM; }
struct Times { int by; __device__ Times(int b) : by(b) {} __device__ int operator()(int x) const { return x * by; } };
KERNEL(variable_named_like_a_function) { int before = pick(1); Times pick(3); WRITE(pick(ITEM) == 3 * ITEM && before == 1 + ITEM); }

//@ second_variable_named_like_a_function 1
__device__ int pick(int x) { return x + ITEM; }
struct Times { int by; __device__ Times(int b) : by(b) {} __device__ int operator()(int x) const { return x * by; } };
KERNEL(second_variable_named_like_a_function) { Times other{2}, pick{3}; WRITE(pick(ITEM) == 3 * ITEM && other(1) == 2); }

//@ third_variable_named_like_a_function 1
__device__ int pick(int x) { return x + ITEM; }
struct Times { int by; __device__ Times(int b) : by(b) {} __device__ int operator()(int x) const { return x * by; } };
KERNEL(third_variable_named_like_a_function) { Times a(1), pick(3); WRITE(pick(ITEM) == 3 * ITEM && a(1) == 1); }

//@ variable_of_a_loop_named_like_a_function 1
__device__ int pick(int x) { return x + ITEM; }
struct Times { int by; __device__ Times(int b) : by(b) {} __device__ int operator()(int x) const { return x * by; } };
KERNEL(variable_of_a_loop_named_like_a_function) {
  Times all[2] = {Times(2), Times(5)};
  int sum = 0;
  for (auto& pick : all) sum += pick(ITEM);
  WRITE(sum == 7 * ITEM); }

//@ binding_named_like_a_function 1
__device__ int pick(int x) { return x + ITEM; }
struct Times { int by; __device__ int operator()(int x) const { return x * by; } };
struct Two { Times a, b; };
KERNEL(binding_named_like_a_function) { auto [pick, other] = Two{{2}, {3}}; WRITE(pick(ITEM) + other(ITEM) == 5 * ITEM); }

//@ capture_named_like_a_function 1
__device__ int pick(int x) { return x + ITEM; }
KERNEL(capture_named_like_a_function) {
  auto f = [](int x) { return 9 * x; };
  WRITE([pick = f](int x) { return pick(x); }(ITEM) == 9 * ITEM); }

//@ lambda_named_like_its_kernel 1
KERNEL(lambda_named_like_its_kernel) { auto lambda_named_like_its_kernel = [](int x) { return 2 * x; }; WRITE(lambda_named_like_its_kernel(ITEM) == 2 * ITEM); }

//@ global_named_like_a_function 1
__device__ int pick(int x) { return x + ITEM; }
namespace tools { struct Times { __device__ int operator()(int x) const { return 4 * x; } }; static constexpr Times pick; }
KERNEL(global_named_like_a_function) { WRITE(tools::pick(ITEM) == 4 * ITEM && pick(1) == 1 + ITEM); }

//@ using_of_a_function 1
namespace tools { __device__ int pick(int x) { return 4 * x + ITEM; } }
namespace more { using tools::pick; }
KERNEL(using_of_a_function) { using more::pick; WRITE(pick(2) == 8 + ITEM && more::pick(1) == 4 + ITEM); }

//@ pointer_named_like_a_function 1
__device__ int pick(int x) { return x + ITEM; }
__device__ int other(int x) { return 6 * x; }
KERNEL(pointer_named_like_a_function) { int (*pick)(int) = other; WRITE(pick(ITEM) == 6 * ITEM); }

//@ pointer_named_like_a_function_with_barriers 1
__device__ int turn(int v, int* s) { s[ITEM] = v; __syncthreads(); int r = s[ITEM ^ 1]; __syncthreads(); return r; }
__device__ int tripled(int v, int*) { return 3 * v; }
KERNEL(pointer_named_like_a_function_with_barriers) {
  __shared__ int s[64];
  int a = turn(ITEM, s);
  { int (*turn)(int, int*) = tripled; WRITE(turn(ITEM, s) == 3 * ITEM && a == (ITEM ^ 1)); } }

//@ parameter_that_is_a_pointer_named_like_a_function 1
__device__ int turn(int v, int* s) { s[ITEM] = v; __syncthreads(); int r = s[ITEM ^ 1]; __syncthreads(); return r; }
__device__ int tripled(int v, int*) { return 3 * v; }
__device__ int called(int (*turn)(int, int*), int v, int* s) { return turn(v, s); }
KERNEL(parameter_that_is_a_pointer_named_like_a_function) {
  __shared__ int s[64];
  WRITE(turn(ITEM, s) == (ITEM ^ 1) && called(tripled, ITEM, s) == 3 * ITEM); }

//@ calls_in_parentheses 1
__device__ int pick(int x) { return 2 * x + ITEM; }
KERNEL(calls_in_parentheses) { WRITE((pick)(1) + (*pick)(2) + (&pick)(3) == 12 + 3 * ITEM); }

//@ deduced_pointer_beside_calls 1
__device__ int pick(int x) { return 2 * x + ITEM; }
template <class F> __device__ int applied(F f, int x) { return f(x); }
__device__ int by_pointer(int x) { auto f = &pick; return f(x) + applied(pick, x); }
KERNEL(deduced_pointer_beside_calls) { WRITE(by_pointer(1) + pick(1) == 6 + 3 * ITEM); }

//@ function_that_returns_a_pointer 1
__device__ int doubled(int x) { return 2 * x; }
__device__ int moved(int x) { return x + ITEM; }
__device__ int (*chosen(int x))(int) { return (ITEM + x) & 1 ? doubled : moved; }
__device__ auto other(int x) -> int (*)(int) { return (ITEM + x) & 1 ? moved : doubled; }
KERNEL(function_that_returns_a_pointer) { WRITE(chosen(0)(5) + other(0)(5) == 15 + ITEM); }

//@ function_that_returns_an_array 1
static __device__ int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ int (&row(int x))[3] { return table[(ITEM + x) & 1]; }
KERNEL(function_that_returns_an_array) { WRITE(row(1)[1] == (ITEM & 1 ? 2 : 5)); }

//@ parameters_that_are_void 1
static __inline__ __device__ int mine(void) { return threadIdx.x; }
__device__ void meet(void) { __syncthreads(); }
KERNEL(parameters_that_are_void) { __shared__ int s[64]; s[mine()] = mine(); meet(); s[mine()] *= 2; meet(); WRITE(s[63 - mine()] == 2 * (63 - ITEM)); }

//@ value_of_an_elaborated_type 1
__device__ int pick(int x) { return 2 * x + ITEM; }
struct Two { int a, b; };
__device__ struct Two made(int x) { struct Two r = {pick(x), x}; return r; }
KERNEL(value_of_an_elaborated_type) { struct Two p = {pick(1), pick(2)}; struct Two q = made(3); WRITE(p.a + p.b + q.a == 12 + 3 * ITEM && q.b == 3); }

//@ static_method_named_like_a_function 1
__device__ int pick(int x) { return x + ITEM; }
struct Op { static __device__ int pick(int x) { return 3 * x; } };
template <class T> struct Ops { static __device__ T pick(T x) { return 5 * x; } };
KERNEL(static_method_named_like_a_function) { WRITE(Op::pick(2) + Ops<int>::pick(2) + pick(1) == 17 + ITEM); }

//@ static_method_that_counts_its_arguments 1
__device__ int pick(int x) { return x + ITEM; }
struct Op { template <class... A> static __device__ int pick(A...) { return sizeof...(A); } };
KERNEL(static_method_that_counts_its_arguments) { WRITE(Op::pick(1) == 1 && Op::pick(1, 2) == 2 && pick(1) == 1 + ITEM); }

//@ static_method_with_a_constant_of_its_class 1
struct Op { enum { FACTOR = 4 }; static __device__ int of(int x) { return FACTOR * x + ITEM; } };
KERNEL(static_method_with_a_constant_of_its_class) { WRITE(Op::of(2) == 8 + ITEM); }

//@ methods_named_like_a_function 1
__device__ int rank() { return threadIdx.x; }
struct Five { int v; __device__ int rank() const { return v; } };
KERNEL(methods_named_like_a_function) { Five f{5}, *p = &f; WRITE(f.rank() + p->rank() + rank() == 10 + ITEM); }

//@ namespace_that_hides 1 global
__device__ int pick_1(int x) { return x + ITEM; }
namespace inner_1 { __device__ int pick_1(float x) { return (int)x * 3 + ITEM; } __device__ int via(int x) { return pick_1(x); } }
KERNEL(namespace_that_hides) { WRITE(inner_1::via(2) == 6 + ITEM && pick_1(2) == 2 + ITEM); }

//@ namespace_that_hides_by_a_template 1 global
__device__ int pick_2(int x) { return x + ITEM; }
namespace inner_2 { template <class T> __device__ T pick_2(T x) { return x * 3 + ITEM; } __device__ int via(int x) { return pick_2(x); } }
KERNEL(namespace_that_hides_by_a_template) { WRITE(inner_2::via(2) == 6 + ITEM && pick_2(2) == 2 + ITEM); }

//@ namespace_that_hides_by_what_does_not_ask 1 global
__device__ int pick_3(int x) { return x + ITEM; }
namespace inner_3 { __device__ int pick_3(long long x) { return (int)x * 3; } __device__ int via(int x) { return pick_3(x); } }
KERNEL(namespace_that_hides_by_what_does_not_ask) { WRITE(inner_3::via(2) == 6 && pick_3(2) == 2 + ITEM); }

//@ namespace_with_the_same_function 1 global
__device__ int pick_4(int x) { return x + ITEM; }
namespace inner_4 { __device__ int pick_4(int x) { return x * 3; } __device__ int via(int x) { return pick_4(x); } }
KERNEL(namespace_with_the_same_function) { WRITE(inner_4::via(2) == 6 && pick_4(2) == 2 + ITEM); }

//@ namespace_with_details 1 global
__device__ int load_5(const int* p, int k) { return p[blockIdx.x * 64 + k]; }
namespace detail_5 {
template <class T> __device__ T load_5(const T* p, unsigned k) { return p[AT - threadIdx.x + k] * 100 + ITEM; }
template <class T> __device__ T via(const T* p, int k) { return load_5(p, k); } }
KERNEL(namespace_with_details) { WRITE(detail_5::via(in, 1) == load_5(in, 1) * 100 + ITEM); }

//@ namespace_that_hides_barriers 1 global
__device__ int turn_6(int v, int* s) { s[ITEM] = v; __syncthreads(); int r = s[63 - ITEM]; __syncthreads(); return r; }
namespace inner_6 {
__device__ int turn_6(long long v, int* s) { s[ITEM] = (int)v * 2; __syncthreads(); int r = s[ITEM ^ 1]; __syncthreads(); return r; }
__device__ int via(int v, int* s) { return turn_6(v, s); } }
KERNEL(namespace_that_hides_barriers) { __shared__ int s[64]; int a = turn_6(ITEM, s); WRITE(a == 63 - ITEM && inner_6::via(ITEM, s) == 2 * (ITEM ^ 1)); }

//@ returned_lambda_over_a_barrier 1
__device__ auto adder(int k) { return [=](int x) { return x + k + ITEM; }; }
KERNEL(returned_lambda_over_a_barrier) {
  __shared__ int s[64];
  auto add = adder(3);
  s[ITEM] = add(1);
  __syncthreads();
  WRITE(s[63 - ITEM] == 67 - ITEM && add(2) == 5 + ITEM); }

//@ returned_constant_lambda_over_a_barrier 1
__device__ auto adder() { return [](int x) { return x + ITEM; }; }
KERNEL(returned_constant_lambda_over_a_barrier) {
  __shared__ int s[64];
  const auto add = adder();
  s[ITEM] = add(1);
  __syncthreads();
  WRITE(s[63 - ITEM] == 64 - ITEM && add(2) == 2 + ITEM); }

//@ returned_lambda_over_a_shuffle 1
__device__ auto adder(int k) { return [=](int x) { return x + k + ITEM; }; }
KERNEL(returned_lambda_over_a_shuffle) {
  auto add = adder(3);
  int v = __shfl_xor_sync(~0u, add(0), 1);
  WRITE(v == 3 + (ITEM ^ 1) && add(2) == 5 + ITEM); }

//@ wrapped_lambda_over_a_barrier 1
template <class F> struct Box { F f; };
template <class F> __device__ Box<F> boxed(F f) { return {f}; }
KERNEL(wrapped_lambda_over_a_barrier) {
  __shared__ int s[64];
  auto add = [](int x) { return x + ITEM; };
  auto box = boxed(add);
  s[ITEM] = box.f(1);
  __syncthreads();
  WRITE(s[63 - ITEM] == 64 - ITEM && box.f(2) == 2 + ITEM); }

//@ field_named_like_an_index 1
struct Place { uint3 blockIdx; int threadIdx; };
KERNEL(field_named_like_an_index) {
  __shared__ int s[64];
  s[ITEM] = ITEM;
  __syncthreads();
  Place p{{5, 6, 7}, 8};
  int item = s[63 - threadIdx.x];
  WRITE(p.blockIdx.y + p.threadIdx == 14 && item == 63 - ITEM); }

//@ variable_named_like_an_index 1
KERNEL(variable_named_like_an_index) {
  __shared__ int s[64];
  int t = threadIdx.x, at = AT;
  s[t] = t;
  __syncthreads();
  unsigned blockDim = 7;
  int gridDim = 3;
  __syncthreads();
  out[at] = blockDim + gridDim + s[63 - t] == 73 - t; }

//@ parameter_named_like_an_index 1
__device__ int flat(uint3 blockIdx, uint3 threadIdx) { return blockIdx.x * 100 + threadIdx.y; }
KERNEL(parameter_named_like_an_index) {
  __shared__ int s[64];
  s[ITEM] = ITEM;
  __syncthreads();
  WRITE(flat(make_uint3(2, 0, 0), make_uint3(0, 9, 0)) == 209 && s[63 - ITEM] == 63 - ITEM); }

//@ field_named_like_dynamic_shared_memory 1
extern __shared__ int pool[];
struct Part { int* pool; __device__ int get(int i) const { return pool[i]; } };
KERNEL(field_named_like_dynamic_shared_memory) { pool[ITEM] = ITEM; Part p{pool + 8}; __syncthreads(); WRITE(p.get(3) == 11); }

//@ parameter_named_like_dynamic_shared_memory 1
extern __shared__ int pool[];
__device__ int first(int* pool, int i) { return pool[i]; }
__device__ int other(int i) { return pool[i]; }
KERNEL(parameter_named_like_dynamic_shared_memory) { pool[ITEM] = ITEM; __syncthreads(); WRITE(first(pool, 9) + other(63 - ITEM) == 72 - ITEM); }

//@ variable_named_like_dynamic_shared_memory 1
KERNEL(variable_named_like_dynamic_shared_memory) {
  extern __shared__ int pool[];
  pool[ITEM] = ITEM;
  __syncthreads();
  int r = pool[63 - ITEM];
  { int pool[2] = {1, ITEM}; r += pool[1]; }
  WRITE(r == 63); }

//@ parameter_of_a_lambda_named_like_dynamic_shared_memory 1
KERNEL(parameter_of_a_lambda_named_like_dynamic_shared_memory) {
  extern __shared__ int pool[];
  pool[ITEM] = ITEM;
  __syncthreads();
  auto get = [](int* pool, int i) { return pool[i]; };
  WRITE(get(pool, 63 - ITEM) == 63 - ITEM); }

//@ dynamic_shared_memory_in_classes 1
extern __shared__ int pool[];
struct Part { __device__ int& at(int i) const { return pool[i]; } };
__device__ int operator+(Part, int i) { return pool[63 - i] + ITEM; }
KERNEL(dynamic_shared_memory_in_classes) { Part().at(ITEM) = ITEM; __syncthreads(); WRITE(Part() + ITEM == 63); }

//@ table_of_functions 1
__device__ int pick(int x) { return x + ITEM; }
__device__ int turn(int x) { return __shfl_xor_sync(~0u, x, 1); }
static __device__ int (*const table[2])(int) = {pick, turn};
KERNEL(table_of_functions) { WRITE(table[0](1) == 1 + ITEM && table[1](ITEM) == (ITEM ^ 1) && pick(2) == 2 + ITEM); }

//@ lanes_of_calls_by_a_method 1
struct Lanes { __device__ unsigned active() const { return __activemask(); } };
KERNEL(lanes_of_calls_by_a_method) { Lanes l; unsigned all = l.active(); unsigned low = 0; if (ITEM % 32 < 8) low = l.active(); WRITE(all == ~0u && low == (ITEM % 32 < 8 ? 255u : 0u)); }

//@ index_in_a_default_argument 1
__device__ int plus(int x, int y = threadIdx.x) { return x + y; }
KERNEL(index_in_a_default_argument) { WRITE(plus(1) == 1 + ITEM && plus(1, 2) == 3); }

//@ lambda_that_becomes_a_pointer 1
KERNEL(lambda_that_becomes_a_pointer) { int (*f)(int) = [](int x) { return x + ITEM; }; WRITE(f(2) == 2 + ITEM); }

//@ function_with_shared_memory_by_pointer 1
__device__ int turned(int v) { __shared__ int s[64]; s[ITEM] = v; __syncthreads(); int r = s[63 - ITEM]; __syncthreads(); return r; }
KERNEL(function_with_shared_memory_by_pointer) { int (*f)(int) = turned; WRITE(f(ITEM) + turned(ITEM) == 126 - 2 * ITEM); }

//@ function_of_c 1
extern "C" __device__ int plain_c(int x) { return x + ITEM; }
extern "C" { __device__ int block_c(int x) { return plain_c(x) * 2; } }
KERNEL(function_of_c) { WRITE(block_c(2) == 4 + 2 * ITEM); }

//@ variable_of_another_namespace_named_like_dynamic_shared_memory 1
extern __shared__ int pool[];
namespace inner { static __device__ const int pool[2] = {7, 8}; __device__ int get(int i) { return pool[i] + ITEM; } }
KERNEL(variable_of_another_namespace_named_like_dynamic_shared_memory) { pool[ITEM] = ITEM; __syncthreads(); WRITE(inner::get(1) == 8 + ITEM && pool[63 - ITEM] == 63 - ITEM); }

//@ explicit_specialization_that_asks 1
template <class T> __device__ T pick(T x) { return x * 2 + (T)threadIdx.x; }
template <> __device__ int pick<int>(int x) { return x * 3 + ITEM; }
KERNEL(explicit_specialization_that_asks) { WRITE(pick(2) == 6 + ITEM && pick(2.0f) == 4.0f + ITEM && pick<long>(2) == 4 + ITEM); }

//@ overload_of_a_function_of_the_dialect 1
struct Two { int a, b; };
__device__ Two __shfl_xor_sync(unsigned m, Two v, int by) { return {::__shfl_xor_sync(m, v.a, by), ::__shfl_xor_sync(m, v.b, by)}; }
KERNEL(overload_of_a_function_of_the_dialect) {
  Two t = __shfl_xor_sync(~0u, Two{ITEM, 5}, 1);
  WRITE(t.a == (ITEM ^ 1) && t.b == 5 && ::__shfl_xor_sync(~0u, ITEM, 2) == (ITEM ^ 2)); }

//@ alignment_behind_shared 1
KERNEL(alignment_behind_shared) {
  __shared__ alignas(32) int a[64];
  alignas(64) __shared__ int b[64];
  volatile __shared__ alignas(sizeof(int) * 4) int c[64];
  a[ITEM] = b[ITEM] = c[ITEM] = ITEM;
  __syncthreads();
  WRITE(a[63 - ITEM] + b[ITEM ^ 1] + c[ITEM] == 63 + (ITEM ^ 1) && (unsigned long)a % 32 == 0 && (unsigned long)b % 64 == 0); }

//@ deleted_result_of_what_asks_for_the_active_lanes 1
__device__ int* active(unsigned* m) { *m = __activemask(); return nullptr; }
KERNEL(deleted_result_of_what_asks_for_the_active_lanes) {
  unsigned m = 0;
  if (ITEM % 2) delete active(&m); else delete active(&m);
  WRITE(m == (ITEM % 2 ? 0xaaaaaaaau : 0x55555555u)); }

//@ deleted_cast_beside_one_that_saturates 1
KERNEL(deleted_cast_beside_one_that_saturates) {
  float zero = in[0] * 0.0f, big = 3e9f + zero;
  delete (int*)(long)zero;
  WRITE((int)big == 2147483647); }

//@ global_function_behind_return 1 global
__device__ unsigned active_here(int) { return __activemask(); }
__device__ unsigned behind_return(int x) { return ::active_here(x); }
__global__ void global_function_behind_return(const int* in, int* out) {
  unsigned m = 0, n = 0;
  if (ITEM % 2) m = behind_return(1); else n = behind_return(2);
  if (ITEM % 2) n = ::active_here(3); else ::active_here(4);
  WRITE(ITEM % 2 ? m == 0xaaaaaaaau && n == m : n == 0x55555555u && m == 0); }

//@ arrays_that_are_aligned 1
KERNEL(arrays_that_are_aligned) {
  __shared__ alignas(128) int s[64];
  int one = ITEM, b[3] = {one, 2, 3};
  alignas(64) int a[16];
  __attribute__((aligned(64))) int c[4];
  a[one & 15] = c[one & 3] = one;
  s[ITEM] = ITEM;
  __syncthreads();
  const bool is = ((size_t)a & 63) == 0 && ((size_t)c & 63) == 0 && ((size_t)s & 127) == 0;
  WRITE(is && a[one & 15] + c[one & 3] + b[one % 2] == s[ITEM] * 2 + (one & 1 ? 2 : one)); }

//@ names_of_indexes_mean_something_else 1
struct Launch { dim3 blockDim; uint3 threadIdx; };
__device__ int at(uint3 blockIdx, dim3 gridDim) {
  blockIdx.x += 2;
  return blockIdx.x + blockIdx.y * gridDim.x; }
KERNEL(names_of_indexes_mean_something_else) {
  Launch launch{dim3(3, 4), {1, 2, 3}};
  launch.threadIdx.x += 4;
  WRITE(launch.blockDim.y == 4 && launch.threadIdx.x == 5 && at({5, 6, 0}, dim3(7)) == 49 && threadIdx.x < blockDim.x); }

//@ name_of_the_function 1
__device__ int length(int* s) {
  s[ITEM] = sizeof(__func__);
  __syncthreads();
  int found = s[63 - ITEM] * 1000 + __func__[0];
  __syncthreads();
  return found; }
template <class T> __device__ T last(T x) { return x + threadIdx.x * 0 + __FUNCTION__[3]; }
KERNEL(name_of_the_function) {
  __shared__ int s[64];
  const char* name = __func__;
  int found = length(s);
  int size = [] { return (int)sizeof(__func__); }();
  WRITE(found == 7000 + 'l' && last(1) == 1 + 't' && size == 11 && sizeof(__func__) == 21 && name[0] == 'n' && name[19] == 'n'); }

//@ name_of_a_method 1
struct Named {
  int* s;
  __device__ int of() {
    s[ITEM] = sizeof(__func__);
    __syncthreads();
    return s[63 - ITEM] * 1000 + __func__[0]; } };
KERNEL(name_of_a_method) {
  __shared__ int s[64];
  Named named{s};
  struct Local { __device__ int of() { return __func__[1]; } };
  int found = named.of();
  WRITE(found == 3000 + 'o' && Local().of() == 'f'); }
