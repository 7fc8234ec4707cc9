// SPDX-License-Identifier: Apache-2.0
// Kernels in which a variable changes, or an expression has an effect, in a way that names do not show. Each is a part of
// its own that begins with its name and what all its 64 items write. ProofsTest runs them.
#define KERNEL(name) __global__ void name(const int* in, int* out)
#define AT (blockIdx.x * 64 + threadIdx.x)
// Increments by n, which is 2, or 3 if each item sees what happened to it.
#define BEGIN                   \
  __shared__ int s[64];         \
  s[threadIdx.x] = 0;           \
  __syncthreads();              \
  int n = 2;
#define END                                           \
  for (int i = 0; i < n; i++) {                       \
    s[threadIdx.x] = s[threadIdx.x] + 1;              \
    __syncthreads();                                  \
  }                                                   \
  out[AT] = n * 100 + s[threadIdx.x];
// What an item computed before a barrier must be what it has behind it, and be computed once.
#define COUNTED                 \
  __shared__ int s[64], c;      \
  if (threadIdx.x == 0) c = 0;  \
  __syncthreads();
#define ONCE(value)             \
  int my = value;               \
  s[threadIdx.x] = my;          \
  __syncthreads();              \
  out[AT] = (my == s[threadIdx.x]) * 1000 + (c == 64);
// What a pointer reaches before a barrier, it reaches behind it.
#define KEPT_BEGIN              \
  __shared__ int s[64];         \
  int t = threadIdx.x, own = in[AT];
#define KEPT_END(value)         \
  s[t] = t;                     \
  __syncthreads();              \
  int z = s[63 - t];            \
  __syncthreads();              \
  out[AT] = value == own && z == 63 - t;

//@ alias_of_a_reference 303
using Ref = int&;
KERNEL(alias_of_a_reference) { BEGIN Ref r = n; r += 1; END }

//@ typedef_of_a_reference 303
typedef int& Ref;
KERNEL(typedef_of_a_reference) { BEGIN Ref r(n); r += 1; END }

//@ alias_in_the_kernel 303
KERNEL(alias_in_the_kernel) { BEGIN using Ref = int&; Ref r = n; r += 1; END }

//@ alias_of_a_template 303
template <class T> struct Add { typedef T& type; };
template <class T> using AddT = typename Add<T>::type;
KERNEL(alias_of_a_template) { BEGIN AddT<int> r = n; r += 1; typename Add<int>::type q = n; (void)q; END }

//@ alias_in_a_switch 303
using Ref = int&;
KERNEL(alias_in_a_switch) { BEGIN switch (n) { case 2: { Ref r = n; r += 1; } } END }

//@ cast_to_an_alias 303
using Ref = int&;
KERNEL(cast_to_an_alias) { BEGIN const int& c = n; ((Ref)c) += 1; END }

//@ cast_of_the_variable_to_an_alias 303
using Ref = int&;
__device__ void bump(Ref x) { x += 1; }
KERNEL(cast_of_the_variable_to_an_alias) { BEGIN bump((Ref)n); END }

//@ functional_cast_to_an_alias 303
using Ref = int&;
KERNEL(functional_cast_to_an_alias) { BEGIN Ref(n) += 1; END }

//@ alias_initialized_by_a_cast 303
using Ref = int&;
KERNEL(alias_initialized_by_a_cast) { BEGIN Ref r = (Ref)n; r += 1; END }

//@ static_cast_to_an_alias 303
using Ref = int&;
KERNEL(static_cast_to_an_alias) { BEGIN static_cast<Ref>(n) += 1; END }

//@ constant_that_is_cast_away 303
__device__ void bump(int& x) { x += 1; }
KERNEL(constant_that_is_cast_away) { BEGIN bump(const_cast<int&>(n)); END }

//@ constant_cast_away_in_a_function 303
__device__ void bump(const int& x) { const_cast<int&>(x) += 1; }
KERNEL(constant_cast_away_in_a_function) { BEGIN bump(n); END }

//@ constant_cast_away_as_in_c 303
__device__ void bump(const int& x) { (int&)x += 1; }
KERNEL(constant_cast_away_as_in_c) { BEGIN bump(n); END }

//@ constant_cast_away_by_a_pointer 303
__device__ void bump(const int& x) { int* p = (int*)&x; *p += 1; }
KERNEL(constant_cast_away_by_a_pointer) { BEGIN bump(n); END }

//@ constant_cast_away_below 303
__device__ void bump(const int& x) { const_cast<int&>(x) += 1; }
template <class T> __device__ void pass(const T& x) { bump(x); }
KERNEL(constant_cast_away_below) { BEGIN pass(n); END }

//@ overload_by_constness 303
using Ref = int&;
__device__ void bump(Ref x) { x += 1; }
__device__ void bump(const int& x) {}
KERNEL(overload_by_constness) { BEGIN bump(n); END }

//@ template_overload_by_constness 303
template <class T> __device__ void bump(T& x) { x += 1; }
template <class T> __device__ void bump(const T& x) {}
KERNEL(template_overload_by_constness) { BEGIN bump(n); END }

//@ forwarding_by_constness 303
template <class T> struct Is { static constexpr bool constant = false; };
template <class T> struct Is<const T> { static constexpr bool constant = true; };
template <class T> struct Bare { typedef T type; };
template <class T> struct Bare<T&> { typedef T type; };
template <class T> __device__ void bump(T&& x) { if constexpr (!Is<typename Bare<T>::type>::constant) x += 1; }
KERNEL(forwarding_by_constness) { BEGIN bump(n); END }

//@ constructor_by_constness 303
struct H { __device__ H(int& x) { x += 1; } __device__ H(const int&) {} };
__device__ void take(H) {}
KERNEL(constructor_by_constness) { BEGIN take(n); END }

//@ constructor_of_an_alias_by_constness 303
struct H { __device__ H(int& x) { x += 1; } __device__ H(const int&) {} };
using Alias = H;
KERNEL(constructor_of_an_alias_by_constness) { BEGIN Alias h = n; (void)h; END }

//@ conversion_in_a_return 303
struct H { int v; __device__ H(int& x) : v(++x) {} __device__ H(const int& x) : v(x) {} };
KERNEL(conversion_in_a_return) { BEGIN auto f = [&]() -> H { return n; }; f(); END }

//@ operator_by_constness 303
struct In { __device__ void operator>>(int& x) const { x += 1; } __device__ void operator>>(const int&) const {} };
KERNEL(operator_by_constness) { BEGIN In from; from >> n; END }

//@ comparison_by_constness 303
struct In { __device__ bool operator<(int& x) const { x += 1; return true; } __device__ bool operator<(const int&) const { return true; } };
KERNEL(comparison_by_constness) { BEGIN In from; bool b = from < n; (void)b; END }

//@ free_operator 303
struct In {};
using Ref = int&;
__device__ In& operator>>(In& in, Ref x) { x += 1; return in; }
KERNEL(free_operator) { BEGIN In from; from >> n; END }

//@ free_operator_on_the_left 303
struct In {};
__device__ void operator<<(int& x, In) { x += 1; }
KERNEL(free_operator_on_the_left) { BEGIN In from; n << from; END }

//@ comma_operator 303
struct In { __device__ void operator,(int& x) { x += 1; } };
KERNEL(comma_operator) { BEGIN In from; from, n; END }

//@ functor 303
struct Bump { __device__ void operator()(int& x) const { x += 1; } };
KERNEL(functor) { BEGIN Bump()(n); END }

//@ functor_in_braces 303
struct Bump { template <class T> __device__ void operator()(T& x) const { x += 1; } };
KERNEL(functor_in_braces) { BEGIN Bump{}(n); END }

//@ functor_of_the_source 303
struct Bump { __device__ void operator()(int& x) const { x += 1; } };
static __device__ Bump bump;
KERNEL(functor_of_the_source) { BEGIN bump(n); END }

//@ lambda_of_the_source 303
static constexpr auto bump = [](int& x) { x += 1; };
KERNEL(lambda_of_the_source) { BEGIN bump(n); END }

//@ subscript_operator 303
struct Bump { __device__ int operator[](int& x) const { return x += 1; } };
KERNEL(subscript_operator) { BEGIN Bump b; b[n]; END }

//@ lambda_by_reference 303
KERNEL(lambda_by_reference) { BEGIN auto f = [&] { n += 1; }; f(); END }

//@ lambda_that_names_a_reference 303
KERNEL(lambda_that_names_a_reference) { BEGIN [&r = n] { r += 1; }(); END }

//@ lambda_with_a_parameter 303
KERNEL(lambda_with_a_parameter) { BEGIN [](auto& x) { x += 1; }(n); END }

//@ lambda_by_value 202
KERNEL(lambda_by_value) { BEGIN auto f = [n]() mutable { n += 1; return n; }; f(); END }

//@ lambda_that_asks 63
KERNEL(lambda_that_asks) {
  __shared__ int s[64];
  auto f = [](int x) { return x * (int)blockDim.x + (int)threadIdx.x; };
  s[threadIdx.x] = f(0);
  __syncthreads();
  out[AT] = s[63 - threadIdx.x] + threadIdx.x;
}

//@ lambda_that_asks_behind_a_barrier 63
KERNEL(lambda_that_asks_behind_a_barrier) {
  __shared__ int s[64];
  const auto f = [](int x) { return [x] { return x + (int)threadIdx.x; }(); };
  s[threadIdx.x] = f(0);
  __syncthreads();
  out[AT] = s[63 - threadIdx.x] + f(0);
}

//@ lambda_with_a_copy_that_asks 70
__device__ int mine() { return threadIdx.x; }
KERNEL(lambda_with_a_copy_that_asks) {
  __shared__ int s[64];
  int seven = 7;
  auto f = [seven](int x) { return x + seven + mine(); };
  s[threadIdx.x] = f(0);
  __syncthreads();
  auto g = [=]() mutable { return s[63 - threadIdx.x] + mine(); };
  out[AT] = g();
}

//@ lambda_with_dynamic_shared_memory 63
extern __shared__ int dynamic[];
KERNEL(lambda_with_dynamic_shared_memory) {
  auto f = [](int i) { return dynamic[i] * 0; };
  out[AT] = (threadIdx.x > 64 ? f(0) : 0) + 63;
}

//@ lambda_in_a_function_that_asks 63
template <class F> __device__ int twice(F f) { return f() + f(); }
__device__ int asks() { return twice([] { return (int)threadIdx.x; }) - (int)threadIdx.x; }
KERNEL(lambda_in_a_function_that_asks) {
  __shared__ int s[64];
  s[threadIdx.x] = asks();
  __syncthreads();
  out[AT] = s[63 - threadIdx.x] + asks();
}

//@ method_with_the_name_of_a_function_that_asks 63
__device__ int rank_of() { return threadIdx.x; }
struct Row {
  int field = 2 * rank_of();
  static __device__ int rank() { return threadIdx.x; }
  __device__ int both() const { return rank() + field; }
};
__device__ int rank() { return threadIdx.x; }
KERNEL(method_with_the_name_of_a_function_that_asks) {
  Row row;
  out[AT] = row.both() - 3 * rank() + 63;
}

//@ braces_that_bind 303
struct H { int& r; };
KERNEL(braces_that_bind) { BEGIN H h{n}; h.r += 1; END }

//@ braces_behind_a_mark 303
struct H { int& r; };
KERNEL(braces_behind_a_mark) { BEGIN H h = {n}; h.r += 1; END }

//@ braces_of_a_value 303
struct H { int& r; };
KERNEL(braces_of_a_value) { BEGIN H{n}.r += 1; END }

//@ braces_in_an_argument 303
struct H { int& r; };
__device__ void bump(H h) { h.r += 1; }
KERNEL(braces_in_an_argument) { BEGIN bump({n}); END }

//@ braces_in_braces 303
struct H { int& r; };
struct G { H h; };
KERNEL(braces_in_braces) { BEGIN G g{{n}}; g.h.r += 1; END }

//@ braces_of_an_alias 303
template <class T> struct H { T r; };
using Alias = H<int&>;
KERNEL(braces_of_an_alias) { BEGIN Alias h{n}; h.r += 1; END }

//@ braces_of_an_array 303
struct H { int& r; };
KERNEL(braces_of_an_array) { BEGIN H h[2] = {{n}, {n}}; h[1].r += 1; END }

//@ deduced_template 303
template <class T> struct H { T& r; __device__ H(T& x) : r(x) {} };
KERNEL(deduced_template) { BEGIN H h(n); h.r += 1; END }

//@ deduced_template_in_braces 303
template <class T> struct H { T& r; __device__ H(T& x) : r(x) {} };
KERNEL(deduced_template_in_braces) { BEGIN H h{n}; h.r += 1; END }

//@ constructed_in_parentheses 303
struct H { int& r; __device__ H(int& x) : r(x) { r += 1; } };
KERNEL(constructed_in_parentheses) { BEGIN H h(n); (void)h; END }

//@ explicit_template_argument 303
template <class T> __device__ void bump(T x) { x += 1; }
KERNEL(explicit_template_argument) { BEGIN bump<int&>(n); END }

//@ explicit_alias_as_an_argument 303
using Ref = int&;
template <class T> __device__ void bump(T x) { x += 1; }
KERNEL(explicit_alias_as_an_argument) { BEGIN bump<Ref>(n); END }

//@ pack_of_references 303
template <class... A> __device__ void bump(A&&... a) { ((a += 1), ...); }
KERNEL(pack_of_references) { BEGIN bump(n); END }

//@ type_of_parentheses 303
KERNEL(type_of_parentheses) { BEGIN decltype((n)) r = n; r += 1; END }

//@ deduced_reference 303
KERNEL(deduced_reference) { BEGIN decltype(auto) r = (n); r += 1; END }

//@ type_of_a_variable 202
KERNEL(type_of_a_variable) { BEGIN decltype(n) m = n; m += 1; __syncthreads(); m += 1; END }

//@ type_of_a_variable_over_a_barrier 202
KERNEL(type_of_a_variable_over_a_barrier) {
  BEGIN int v = in[AT]; __syncthreads(); decltype(v) w = v; w += 1; __syncthreads(); if (v != in[AT]) n = 9; END }

//@ structured_binding 303
struct Two { int a, b; };
KERNEL(structured_binding) { BEGIN Two q{2, 5}; auto& [x, y] = q; x = 3; n = q.a; END }

//@ structured_binding_of_an_array 303
KERNEL(structured_binding_of_an_array) { BEGIN int a[2] = {2, 2}; auto&& [x, y] = a; x++; n = a[0]; END }

//@ binding_named_like_a_constant 500
static __constant__ int bound = 7;
struct Two { int a, b; };
KERNEL(binding_named_like_a_constant) {
  Two q{2, 5};
  auto [other, bound] = q;
  __syncthreads();
  out[AT] = bound * 100 + 0 * other; }

//@ returned_reference 303
using Ref = int&;
__device__ Ref same(int* p) { return *p; }
KERNEL(returned_reference) { BEGIN same(&n) += 1; END }

//@ changed_by_a_choice 303
KERNEL(changed_by_a_choice) { BEGIN int m = 7; (threadIdx.x < 1000 ? n : m) = 3; END }

//@ operator_with_an_effect 1001
struct T { int* p; __device__ int operator+(int d) const { return atomicAdd(p, d); } };
KERNEL(operator_with_an_effect) { COUNTED T t{&c}; ONCE(t + 1) }

//@ conversion_with_an_effect 1001
struct T { int* p; __device__ operator int() const { return atomicAdd(p, 1); } };
KERNEL(conversion_with_an_effect) { COUNTED T t{&c}; ONCE(t) }

//@ free_operator_with_an_effect 1001
struct T { int* p; };
__device__ int operator-(T t, int d) { return atomicAdd(t.p, d); }
KERNEL(free_operator_with_an_effect) { COUNTED T t{&c}; ONCE(t - 1) }

//@ unary_operator_with_an_effect 1001
struct T { int* p; };
__device__ int operator~(T t) { return atomicAdd(t.p, 1); }
KERNEL(unary_operator_with_an_effect) { COUNTED T t = T{&c}; ONCE(~t) }

//@ operator_of_an_enumeration 1001
static __device__ thread_local int* counter;
enum Tick { TICK = 1 };
__device__ int operator*(int a, Tick) { return a * 0 + atomicAdd(counter, 1); }
KERNEL(operator_of_an_enumeration) {
  COUNTED
  __shared__ int* mine;
  for (unsigned g = 0; g < 1; g++) {
    if (threadIdx.x == 0) mine = &c;
    __syncthreads();
    counter = mine;
    int one = 1;
    ONCE(one * TICK)
  } }

//@ cast_with_an_effect 1001
static __device__ thread_local int* counter;
struct T { int v; __device__ explicit T(int x) : v(atomicAdd(counter, x)) {} __device__ operator int() const { return v; } };
KERNEL(cast_with_an_effect) { COUNTED counter = &c; int one = 1; ONCE((T)one) }

//@ static_cast_with_an_effect 1001
static __device__ thread_local int* counter;
struct T { int v; __device__ T(int x) : v(atomicAdd(counter, x)) {} __device__ operator int() const { return v; } };
KERNEL(static_cast_with_an_effect) { COUNTED counter = &c; int one = 1; ONCE(static_cast<T>(one)) }

//@ type_with_an_effect 1001
static __device__ thread_local int* counter;
struct T { int v; __device__ T(int x) : v(atomicAdd(counter, x)) {} __device__ operator int() const { return v; } };
using Alias = T;
KERNEL(type_with_an_effect) {
  COUNTED
  counter = &c;
  int one = 1;
  Alias my = one;
  s[threadIdx.x] = my;
  __syncthreads();
  out[AT] = (my == s[threadIdx.x]) * 1000 + (c == 64); }

//@ literal_with_an_effect 1001
static __device__ thread_local int* counter;
__device__ inline int operator""_ticks(unsigned long long x) { return atomicAdd(counter, (int)x); }
KERNEL(literal_with_an_effect) { COUNTED counter = &c; ONCE(1_ticks) }

//@ shared_object_with_an_effect 1001
struct Counter { int v; __device__ int operator+(int d) { return atomicAdd(&v, d); } };
KERNEL(shared_object_with_an_effect) {
  __shared__ int s[64];
  __shared__ Counter c;
  if (threadIdx.x == 0) c.v = 0;
  __syncthreads();
  int my = c + 1;
  s[threadIdx.x] = my;
  __syncthreads();
  out[AT] = (my == s[threadIdx.x]) * 1000 + (c.v == 64); }

//@ global_in_parentheses 1077
static __device__ thread_local int limit(7);
KERNEL(global_in_parentheses) {
  limit = 7;
  __syncthreads();
  int seen = limit;
  __syncthreads();
  limit = 9;
  __syncthreads();
  out[AT] = 1000 + seen * 11; }

//@ static_member 1077
struct Limits { static inline thread_local int limit = 7; };
KERNEL(static_member) {
  Limits::limit = 7;
  __syncthreads();
  int seen = Limits::limit;
  __syncthreads();
  Limits::limit = 9;
  __syncthreads();
  out[AT] = 1000 + seen * 11; }

//@ minimum_of_the_source 1001
namespace other { struct Min { int* p; template <class A, class B> __device__ int operator()(A, B b) const { return atomicAdd(p, b); } }; }
static thread_local other::Min mins;
KERNEL(minimum_of_the_source) { COUNTED other::Min min{&c}; ONCE(min(2, 1)) }

//@ constructor_of_an_array 1000
static __device__ thread_local int made;
struct Acc { int v; __device__ Acc() : v(0) { made++; } };
KERNEL(constructor_of_an_array) {
  made = 0;
  __syncthreads();
  if (threadIdx.x % 2 == 0) {
    Acc a;
    a.v += 500;
    __syncthreads();
    a.v += 500;
    out[AT] = a.v;
  } else {
    out[AT] = 1000;
  }
  __syncthreads();
  if (made != 32) out[AT] = made; }

//@ assignment_that_adds 25
struct Acc { int v; __device__ Acc(int x) : v(x) {} __device__ Acc() : v(7) {} __device__ void operator=(int x) { v += x; } };
KERNEL(assignment_that_adds) { Acc a = 25; __syncthreads(); out[AT] = a.v; }

//@ explicit_constructor 4
struct Acc { int v; __device__ explicit Acc(int x) : v(x + 100) {} __device__ Acc(double x) : v((int)x) {} };
KERNEL(explicit_constructor) { Acc a = 4; __syncthreads(); out[AT] = a.v; }

//@ object_that_knows_itself 12
struct Self { int v; Self* me; __device__ Self(int x) : v(x), me(this) {} };
KERNEL(object_that_knows_itself) { Self self(5); __syncthreads(); self.me->v += 7; __syncthreads(); out[AT] = self.v; }

//@ alias_over_a_barrier 5
using Ref = const int&;
KERNEL(alias_over_a_barrier) { int x = in[AT]; Ref r = x; __syncthreads(); x = 5; __syncthreads(); out[AT] = r; }

//@ pointer_from_before 6
KERNEL(pointer_from_before) { int x = 2; int* p = &x; __syncthreads(); *p = 6; __syncthreads(); out[AT] = x; }

//@ pointer_kept_by_a_function 6
__device__ void keep(const int& x, const int*& p) { p = &x; }
KERNEL(pointer_kept_by_a_function) { int x = 2; const int* p; keep(x, p); __syncthreads(); x = 6; __syncthreads(); out[AT] = *p; }

//@ pointer_kept_by_an_object 6
struct Keeper { const int* p; __device__ void keep(const int& x) { p = &x; } };
KERNEL(pointer_kept_by_an_object) { int x = 2; Keeper k; k.keep(x); __syncthreads(); x = 6; __syncthreads(); out[AT] = *k.p; }

//@ pointer_kept_in_braces 6
struct Keeper { const int& r; };
KERNEL(pointer_kept_in_braces) { int x = 2; Keeper k{x}; __syncthreads(); x = 6; __syncthreads(); out[AT] = k.r; }

//@ pointer_by_another_name 6
template <class T> __device__ T* address(T& x) { return &x; }
KERNEL(pointer_by_another_name) { int x = 2; int* p = address(x); __syncthreads(); *p = 6; __syncthreads(); out[AT] = x; }

//@ pointer_to_what_has_changed 6
__device__ int* address(int& x) { return &x; }
KERNEL(pointer_to_what_has_changed) { int x = 1; int* p = address(++x); __syncthreads(); *p = 6; __syncthreads(); out[AT] = x; }

//@ mutable_member 42
struct Seen { int v; mutable int times; };
__device__ void see(const Seen& s) { s.times++; }
KERNEL(mutable_member) {
  Seen a = {40, 0};
  __syncthreads();
  see(a);
  __syncthreads();
  see(a);
  __syncthreads();
  out[AT] = a.v + a.times; }

//@ reference_of_another_type 100
__device__ int half_of(const float& x) { __syncthreads(); return (int)(x / 2 * 100 - 50); }
KERNEL(reference_of_another_type) { int three = 3; out[AT] = half_of(three); }

//@ parameter_by_an_alias 303
using Ref = int&;
__device__ void bump_and_wait(Ref x) { __syncthreads(); x += 1; }
KERNEL(parameter_by_an_alias) { BEGIN bump_and_wait(n); END }

//@ element_by_a_copy 70
KERNEL(element_by_a_copy) {
  __shared__ int s[64];
  s[threadIdx.x] = 7;
  __syncthreads();
  const float& r = s[threadIdx.x ^ 1];
  __syncthreads();
  s[threadIdx.x] = 9;
  __syncthreads();
  out[AT] = (int)(r * 10); }

//@ shared_variable_of_a_function 3
__device__ int counted(int start) {
  __shared__ int calls;
  if (start && threadIdx.x == 0) calls = 0;
  __syncthreads();
  if (threadIdx.x == 0) calls++;
  __syncthreads();
  int seen = calls;
  __syncthreads();
  return seen; }
KERNEL(shared_variable_of_a_function) { counted(1); counted(0); out[AT] = counted(0); }

//@ shared_variable_of_a_loop 3
KERNEL(shared_variable_of_a_loop) {
  int seen = 0;
  for (int i = 0; i < 3; i++) {
    __shared__ int rounds;
    if (i == 0 && threadIdx.x == 0) rounds = 0;
    __syncthreads();
    if (threadIdx.x == 0) rounds++;
    __syncthreads();
    seen = rounds;
    __syncthreads();
  }
  out[AT] = seen; }

//@ barrier_in_both_branches 63
KERNEL(barrier_in_both_branches) {
  __shared__ int a[32], b[32];
  int t = threadIdx.x, x;
  if (t < 32) { a[t] = t; __syncthreads(); x = b[31 - t]; } else { b[t - 32] = t; __syncthreads(); x = a[63 - t]; }
  out[AT] = x + t; }

//@ barrier_in_a_chain 63
KERNEL(barrier_in_a_chain) {
  __shared__ int a[64];
  int t = threadIdx.x, x;
  if (t < 20) { a[t] = t; __syncthreads(); x = a[63 - t]; }
  else if (t < 40) { a[t] = t; __syncthreads(); x = a[63 - t]; }
  else { a[t] = t; __syncthreads(); x = a[63 - t]; }
  out[AT] = x + t; }

//@ barrier_and_a_loop 63
KERNEL(barrier_and_a_loop) {
  __shared__ int a[64];
  int t = threadIdx.x, x = 0;
  if (t < 32) { a[t] = t; __syncthreads(); x = a[63 - t]; }
  else { for (int i = 0; i < 1; i++) { a[t] = t; __syncthreads(); x = a[63 - t]; } }
  out[AT] = x + t; }

//@ barrier_before_a_return 63
KERNEL(barrier_before_a_return) {
  __shared__ int a[64];
  int t = threadIdx.x;
  if (t < 32) { a[t] = t; __syncthreads(); out[AT] = a[63 - t] + t; return; }
  a[t] = t;
  __syncthreads();
  out[AT] = a[63 - t] + t; }

//@ barrier_before_a_continue 63
KERNEL(barrier_before_a_continue) {
  __shared__ int a[64];
  int t = threadIdx.x;
  for (int i = 0; i < 2; i++) {
    if (t < 32) { a[t] = t; __syncthreads(); out[AT] = a[63 - t] + t; continue; }
    a[t] = t;
    __syncthreads();
    out[AT] = a[63 - t] + t;
  } }

//@ barrier_in_a_choice 64
__device__ int other(int* a, int t) { a[t] = t; __syncthreads(); return a[63 - t] + 1; }
KERNEL(barrier_in_a_choice) {
  __shared__ int a[64];
  int t = threadIdx.x;
  int x = t < 32 ? other(a, t) : other(a, t);
  out[AT] = x + t; }

//@ barrier_in_a_switch 63
KERNEL(barrier_in_a_switch) {
  __shared__ int a[64];
  int t = threadIdx.x, x = 0;
  switch (t / 32) {
    case 0: a[t] = t; __syncthreads(); x = a[63 - t]; break;
    default: a[t] = t; __syncthreads(); x = a[63 - t];
  }
  out[AT] = x + t; }

//@ barrier_that_others_do_not_reach 63
KERNEL(barrier_that_others_do_not_reach) {
  __shared__ int a[64];
  int t = threadIdx.x;
  a[t] = 0;
  __syncthreads();
  if (t < 32) { __syncthreads(); out[AT] = a[63 - t] + t; } else { a[t] = t; out[AT] = 63; } }

//@ warp_functions_in_both_branches 31
KERNEL(warp_functions_in_both_branches) {
  int t = threadIdx.x, x;
  if (t % 32 < 16) { x = __shfl_sync(~0u, t % 32, 31 - t % 32); } else { x = __shfl_sync(~0u, t % 32, 31 - t % 32); }
  out[AT] = x + t % 32; }

//@ warp_barriers_in_both_branches 31
KERNEL(warp_barriers_in_both_branches) {
  __shared__ int a[64];
  int t = threadIdx.x, x;
  if (t % 32 < 16) { a[t] = t % 32; __syncwarp(); x = a[t ^ 31]; } else { a[t] = t % 32; __syncwarp(); x = a[t ^ 31]; }
  out[AT] = x + t % 32; }

//@ warp_functions_of_halves 15
KERNEL(warp_functions_of_halves) {
  int t = threadIdx.x, lane = t % 32, x;
  if (lane < 16) { x = __shfl_sync(0xffffu, lane, 15 - lane); } else { x = __shfl_sync(0xffff0000u, lane - 16, 47 - lane); }
  out[AT] = x + lane % 16; }

//@ same_element_for_all 63
KERNEL(same_element_for_all) {
  __shared__ int a[64];
  int t = threadIdx.x, x;
  if (in[0] >= 0) { a[t] = t; __syncthreads(); x = a[63 - t]; } else { a[t] = 0; __syncthreads(); x = a[t]; }
  out[AT] = x + t; }

//@ no_element_for_those_that_ended 63
KERNEL(no_element_for_those_that_ended) {
  __shared__ int a[64];
  int t = threadIdx.x, x;
  const int* p = in[0] < 0 ? in : nullptr;
  out[AT] = 63;
  if (p == nullptr) return;
  if (in[(size_t)p] >= 0) { a[t] = t; __syncthreads(); x = a[63 - t]; } else { a[t] = 0; __syncthreads(); x = a[t]; }
  out[AT] = x + t; }

//@ call_in_parentheses 303
__device__ void push(int& x) { x += 1; }
__device__ void push(const int&) {}
KERNEL(call_in_parentheses) { BEGIN (push)(n); END }

//@ call_of_a_pointer 303
using Ref = int&;
__device__ void push(Ref x) { x += 1; }
KERNEL(call_of_a_pointer) { BEGIN (*push)(n); void (*f)(int&) = push; (void)f; END }

//@ friend_by_constness 303
struct Tag { friend __device__ void befriend(Tag, int& x) { x += 1; } friend __device__ void befriend(Tag, const int&) {} };
KERNEL(friend_by_constness) { BEGIN befriend(Tag(), n); END }

//@ constant_hidden_by_an_enumeration 99
static constexpr int SIZE = 9;
__device__ int sized(int x) { __syncthreads(); return x * SIZE; }
KERNEL(constant_hidden_by_an_enumeration) { enum { SIZE = 4 }; out[AT] = sized(11) + SIZE - 4; }

//@ type_hidden_by_an_alias 150
using real = float;
__device__ int scaled(int x) { __syncthreads(); return (int)(real(x) / 2 * 100); }
KERNEL(type_hidden_by_an_alias) { using real = int; real three = 3; out[AT] = scaled(three); }

//@ sequence_in_parentheses 43
__device__ void set_own(int* s) { s[threadIdx.x] = 42; }
__device__ int read_other(int* s) { __syncthreads(); return s[63 - threadIdx.x]; }
KERNEL(sequence_in_parentheses) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  __syncthreads();
  int x = 1 + (set_own(s), read_other(s));
  out[AT] = x; }

//@ pointer_by_an_alias 7
using Ref = int*&;
KERNEL(pointer_by_an_alias) { int* p = out + AT; Ref r = p; r = out + AT + 0; *p = 7; }

//@ parameter_by_an_alias_without_barriers 7
using Ref = int*&;
KERNEL(parameter_by_an_alias_without_barriers) { Ref r = out; r += AT; *r = 7; }

//@ parameter_by_constness 7
__device__ void advance(int*& p) { p += AT; }
__device__ void advance(int* const&) {}
template <class T> __device__ void forward(T& p) { advance(p); }
KERNEL(parameter_by_constness) { forward(out); *out = 7; }

//@ index_by_an_alias 13
using Ref = unsigned&;
__device__ void raise(Ref x) { x += 1; }
KERNEL(index_by_an_alias) { unsigned i = threadIdx.x; raise(i); __syncthreads(); out[AT] = i - threadIdx.x + 12; }

//@ derived_that_keeps 303
struct H { int& r; __device__ H(int& x) : r(x) {} };
struct D : H { using H::H; };
KERNEL(derived_that_keeps) { BEGIN D d(n); d.r += 1; END }

//@ kept_and_called_later 303
struct F { int& r; __device__ void operator()() { r += 1; } };
KERNEL(kept_and_called_later) { BEGIN F f{n}; __syncthreads(); f(); __syncthreads(); END }

//@ member_of_a_pointer_to_a_member 303
struct H { __device__ void bump(int& x) { x += 1; } };
KERNEL(member_of_a_pointer_to_a_member) { BEGIN H h; auto m = &H::bump; (h.*m)(n); END }

//@ list_of_pointers 303
KERNEL(list_of_pointers) { BEGIN for (int* p : {&n}) *p += 1; END }

//@ statement_in_an_expression 303
KERNEL(statement_in_an_expression) { BEGIN int m = ({ n += 1; n; }); (void)m; END }

//@ reference_in_a_list 303
KERNEL(reference_in_a_list) { __shared__ int s[64]; s[threadIdx.x] = 0; __syncthreads(); int n = 2, &r = n; r += 1; END }

//@ array_reference 303
KERNEL(array_reference) { BEGIN int(&r)[1] = reinterpret_cast<int(&)[1]>(n); r[0] += 1; END }

//@ volatile_access 303
KERNEL(volatile_access) { BEGIN volatile int& r = n; r = r + 1; END }

//@ bytes_of_a_variable 303
KERNEL(bytes_of_a_variable) { BEGIN const int three = 3; __builtin_memcpy(&n, &three, 4); END }

//@ comparison_of_each_item 2016
struct Limit { __device__ bool operator>(int i) const { return i < (int)threadIdx.x; } };
KERNEL(comparison_of_each_item) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  static constexpr Limit limit;
  int rounds = 0;
  for (int i = 0; limit > i; i++) rounds++;
  atomicAdd(&sum, rounds);
  __syncthreads();
  out[AT] = sum; }

//@ condition_of_each_item 32
struct Odd { __device__ operator bool() const { return threadIdx.x & 1; } };
KERNEL(condition_of_each_item) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const Odd odd{};
  int own = 0;
  if (odd) own = 1;
  atomicAdd(&sum, own);
  __syncthreads();
  out[AT] = sum; }

//@ member_by_a_method 42
struct Count { int n; __device__ Count& add(int x) { n += x; return *this; } };
KERNEL(member_by_a_method) { Count c{0}; __syncthreads(); c.add(40).add(1); __syncthreads(); c.add(1); out[AT] = c.n; }

//@ destructor_of_a_base 12
static thread_local int ended;
template <class T> struct Base { T* to; __device__ ~Base() { *to += 1; } };
struct Guard : Base<int> {};
KERNEL(destructor_of_a_base) {
  int x = 10;
  { Guard g{&x}; __syncthreads(); x += 1; }
  out[AT] = x; }

//@ template_of_a_reference 303
template <class T> __device__ void raise_by(T x) { x += 1; }
KERNEL(template_of_a_reference) { BEGIN raise_by<decltype((n))>(n); END }

//@ choice_by_type 202
template <class T> struct Is { static constexpr int value = 1; };
template <> struct Is<int> { static constexpr int value = 2; };
KERNEL(choice_by_type) { BEGIN int k = n; n = Is<decltype(k)>::value; END }

//@ static_kernel 7
static __global__ void static_kernel(const int* in, int* out) { out[AT] = 7; }

//@ static_kernel_with_a_label 7
__launch_bounds__(64) static inline __global__ void static_kernel_with_a_label(const int* in, int* out) {
  if (in[AT] < 0) goto end;
  out[AT] = 7;
end:; }

//@ static_kernel_with_a_barrier 63
static __global__ void __launch_bounds__(64) static_kernel_with_a_barrier(const int* in, int* out) {
  static __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[AT] = s[63 - threadIdx.x] + threadIdx.x; }

//@ static_template 7
template <int N> static __global__ void times(const int* in, int* out) { out[AT] = N; }
KERNEL(static_template) { out[AT] = 7; }

//@ static_shared_in_a_helper 63
__device__ int opposite_of(int v) {
  __shared__ static int buffer[64];
  buffer[threadIdx.x] = v;
  __syncthreads();
  int r = buffer[63 - threadIdx.x];
  __syncthreads();
  return r; }
KERNEL(static_shared_in_a_helper) { out[AT] = opposite_of(opposite_of(opposite_of(threadIdx.x))) + threadIdx.x; }

//@ vectors_in_shared_memory 10
KERNEL(vectors_in_shared_memory) {
  __shared__ int n;
  __shared__ float a[256], b[256];
  int t = threadIdx.x;
  if (t == 0) n = 1;
  reinterpret_cast<float4*>(a)[t] = make_float4(1, 2, 3, 4);
  reinterpret_cast<float4*>(b)[63 - t] = make_float4(4, 3, 2, 1);
  __syncthreads();
  bool isAligned = ((size_t)a & 15) == 0 && ((size_t)b & 15) == 0;
  out[AT] = (int)a[4 * t] + (int)b[4 * t + 3] + 7 * n * isAligned + 1; }

//@ vectors_in_memory_of_the_launch 5
KERNEL(vectors_in_memory_of_the_launch) {
  __shared__ char c;
  __shared__ float a[256];
  int t = threadIdx.x;
  auto fill = [&] { c = 1; reinterpret_cast<float4*>(a)[t] = make_float4(5, 2, 3, 4); __syncthreads(); };
  fill();
  out[AT] = (int)a[4 * (63 - t)]; }

//@ attribute_of_a_parameter 63
__device__ int opposite_in([[maybe_unused]] int* s, int v) {
  [[maybe_unused]] int unused = 0;
  s[threadIdx.x] = v;
  __syncthreads();
  return s[63 - threadIdx.x]; }
KERNEL(attribute_of_a_parameter) { __shared__ int s[64]; out[AT] = opposite_in(s, threadIdx.x) + threadIdx.x; }

//@ field_with_the_name_of_a_function 63
__device__ int asking(int v) { return v + threadIdx.x; }
struct Cell { int asking; __device__ void set(int v) { asking = v; } };
KERNEL(field_with_the_name_of_a_function) {
  __shared__ Cell s[64];
  int t = threadIdx.x;
  s[t].set(asking(0));
  __syncthreads();
  out[AT] = s[63 - t].asking + t; }

//@ static_method_that_shuffles 2016
struct Sum { static __device__ float all(float v) { for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); return v; } };
template <int N> __device__ float block_sum(float v, [[maybe_unused]] float* s) {
  v = Sum::all(v);
  if (blockDim.x > 32) {
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x % 32 < blockDim.x / 32 ? s[threadIdx.x % 32] : 0;
    return Sum::all(v);
  }
  return v; }
KERNEL(static_method_that_shuffles) { __shared__ float s[32]; out[AT] = (int)block_sum<1>(threadIdx.x, s); }

//@ static_method_that_is_used_otherwise 63
struct Row {
  int v;
  static __device__ int mine() { return threadIdx.x; }
  static __device__ int twice() { return 2 * mine() + (int)threadIdx.x; }
};
KERNEL(static_method_that_is_used_otherwise) {
  __shared__ int s[64];
  Row r{1};
  s[threadIdx.x] = Row::twice();
  __syncthreads();
  out[AT] = s[63 - threadIdx.x] / 3 + r.mine(); }

//@ list_in_braces 77
KERNEL(list_in_braces) {
  int v = 0;
  for (auto o : {2, 4, 1}) v = v * 10 + o;
  __syncthreads();
  for (int o : {60, 1}) v -= o;
  for (int o : {50, 26}) v -= o;
  out[AT] = v - 27; }

//@ method_with_the_name_of_a_function 64
__device__ void put(int* s, int v) { s[threadIdx.x] = v; }
struct Place { int v; __device__ void put(int x) { v = x; } };
KERNEL(method_with_the_name_of_a_function) {
  __shared__ int s[64];
  Place p;
  p.put(1);
  put(s, threadIdx.x);
  __syncthreads();
  out[AT] = s[63 - threadIdx.x] + threadIdx.x + p.v; }

//@ divided_by_an_index_that_is_zero 1
KERNEL(divided_by_an_index_that_is_zero) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (blockIdx.x == 0) {
    out[AT] = 1;
    return;
  }
  int share = 200 / blockIdx.x;
  for (int i = 0; i < share; i += 50) {
    s[threadIdx.x] += i;
    __syncthreads();
  }
  out[AT] = s[63 - threadIdx.x] >= 0;
}

//@ attribute_of_a_compiler 1
[[gnu::noinline]] KERNEL(attribute_of_a_compiler) { out[AT] = 1; }

//@ pointer_to_a_row 1
KERNEL(pointer_to_a_row) {
  KEPT_BEGIN
  int a[2][4];
  for (int i = 0; i < 4; i++) a[0][i] = 5, a[1][i] = own;
  int* p = a[1];
  KEPT_END(p[2])
}

//@ pointer_to_one_of_two_rows 1
KERNEL(pointer_to_one_of_two_rows) {
  KEPT_BEGIN
  int a[2][4];
  for (int i = 0; i < 4; i++) a[0][i] = own, a[1][i] = own;
  const int* p = t & 1 ? a[0] : a[1];
  KEPT_END(p[2])
}

//@ pointer_to_a_member 1
struct Four { int v[4]; };
KERNEL(pointer_to_a_member) {
  KEPT_BEGIN
  Four b = {{own, 5, 5, 5}};
  int* p = b.v;
  KEPT_END(*p)
}

//@ pointer_of_a_method 1
struct Four { int v[4]; __device__ int* data() { return v; } };
KERNEL(pointer_of_a_method) {
  KEPT_BEGIN
  Four b = {{own, 5, 5, 5}};
  int* p = b.data();
  KEPT_END(*p)
}

//@ pointer_of_a_standard_array 1
KERNEL(pointer_of_a_standard_array) {
  KEPT_BEGIN
  std::array<int, 4> b = {own, 5, 5, 5};
  int* p = b.data();
  KEPT_END(*p)
}

//@ pointer_of_an_element_of_an_array_of_those 1
using Four = std::array<int, 4>;
KERNEL(pointer_of_an_element_of_an_array_of_those) {
  KEPT_BEGIN
  Four b[2] = {{5, 5, 5, 5}, {5, own, 5, 5}};
  int* p = b[1].begin() + 1;
  KEPT_END(*p)
}

//@ pointer_to_what_a_template_returns 1
KERNEL(pointer_to_what_a_template_returns) {
  KEPT_BEGIN
  std::array<int, 4> b = {5, 5, own, 5};
  int* p = &std::get<2>(b);
  KEPT_END(*p)
}

//@ pointer_to_the_greater_one 1
KERNEL(pointer_to_the_greater_one) {
  KEPT_BEGIN
  int a = own, b = own - 1;
  const int* p = &std::max(a, b);
  KEPT_END(*p)
}

//@ address_of_the_greater_one 1
KERNEL(address_of_the_greater_one) {
  KEPT_BEGIN
  int a = own, b = own - 1;
  const int* p = __builtin_addressof(std::max(a, b));
  KEPT_END(*p)
}

//@ object_with_its_own_address 1
struct Self { int v; int* p; __device__ Self(int x) : v(x), p(&v) {} };
KERNEL(object_with_its_own_address) {
  KEPT_BEGIN
  Self a = own - 9, b{own - 8}, c(own - 7);
  Self d = Self(own - 6);
  KEPT_END((a.v += 9, b.v += 8, c.v += 7, d.v += 6, *a.p == *b.p && *c.p == *d.p && *a.p == *c.p ? *a.p : -1))
}

//@ array_of_objects_with_their_addresses 1
struct Self { int v; int* p; __device__ Self(int x) : v(x), p(&v) {} };
KERNEL(array_of_objects_with_their_addresses) {
  KEPT_BEGIN
  Self a[2] = {own - 9, own - 8};
  Self b[2][2] = {{own - 1, own - 2}, {own - 3, Self(own - 4)}};
  KEPT_END((a[0].v += 9, a[1].v += 8, b[1][1].v += 4, *a[0].p == *a[1].p && *b[1][1].p == *a[0].p ? *a[0].p : -1))
}

//@ object_that_is_made_without_explicit_constructors 1
struct Made { int v; __device__ Made(double x) : v((int)x) {} __device__ explicit Made(int) : v(-1) {} };
KERNEL(object_that_is_made_without_explicit_constructors) {
  KEPT_BEGIN
  Made a = own;
  KEPT_END(a.v)
}

//@ objects_that_are_made_of_lists 1
struct Pair { int a, b; };
struct Whole { Pair p; int c[2]; };
KERNEL(objects_that_are_made_of_lists) {
  KEPT_BEGIN
  Whole w = {{own, 2}, {3, 4}}, v = {own}, u[2] = {{own}, {{own - 1, 1}, {2, 3}}};
  Pair p = {own - 1, 1}, q = p;
  KEPT_END((w.p.a + w.p.b == own + 2 && w.c[1] == 4 && v.p.a == own && v.c[1] == 0 && u[0].p.a == own && u[1].c[1] == 3 && q.b == 1 ? q.a + q.b : -1))
}

//@ objects_whose_address_is_a_function 1
struct Odd { int v[4]; __device__ int* operator&() { return v + 1; } };
struct Odder { int v[4]; __device__ Odder(int x) : v{x, 1, 2, 3} {} __device__ int* operator&() { return v + 1; } };
KERNEL(objects_whose_address_is_a_function) {
  KEPT_BEGIN
  Odd a{{own, 1, 2, 3}}, b = {{own, 5, 6, 7}}, c[2] = {{{own, 1, 2, 3}}, {{4, 5, 6, 7}}}, d[2][1] = {};
  Odder e(own), f = own;
  int* p = &b;
  KEPT_END((*p == 5 && a.v[3] == 3 && b.v[3] == 7 && c[1].v[3] == 7 && d[1][0].v[3] == 0 && e.v[0] == own && e.v[3] == 3
      && f.v[0] == own && f.v[3] == 3 ? a.v[0] : -1))
}

//@ pointer_by_a_conversion 1
struct Four { int v[4]; __device__ operator int*() { return v; } };
KERNEL(pointer_by_a_conversion) {
  KEPT_BEGIN
  Four b = {{own, 5, 5, 5}};
  int* p = b;
  KEPT_END(*p)
}

//@ object_with_a_pointer 1
struct Four { int v[4]; };
struct View { int* p; int n; };
KERNEL(object_with_a_pointer) {
  KEPT_BEGIN
  Four b = {{own, 5, 5, 5}};
  View w{b.v, 2};
  KEPT_END(*w.p)
}

//@ pointer_to_a_member_of_an_element 1
struct Two { int x[2]; };
KERNEL(pointer_to_a_member_of_an_element) {
  KEPT_BEGIN
  Two v[2] = {{{5, 5}}, {{own, 1}}};
  int* p = v[1].x;
  KEPT_END(*p)
}

//@ pointer_from_a_function_of_a_row 1
__device__ int* second(int* row) { return row + 1; }
KERNEL(pointer_from_a_function_of_a_row) {
  KEPT_BEGIN
  int a[2][4] = {{5, 5, 5, 5}, {1, own, 1, 1}};
  int* p = second(a[1]);
  KEPT_END(*p)
}

//@ address_by_a_builtin 1
KERNEL(address_by_a_builtin) {
  KEPT_BEGIN
  int x = own;
  int* p = __builtin_addressof(x);
  KEPT_END(*p)
}

//@ address_behind_a_step 1
KERNEL(address_behind_a_step) {
  KEPT_BEGIN
  int x = own - 1;
  int* p = &++x;
  KEPT_END(*p)
}

//@ address_of_a_cast 1
KERNEL(address_of_a_cast) {
  KEPT_BEGIN
  unsigned x = own;
  int* p = &(int&)x;
  KEPT_END(*p)
}

//@ address_by_a_word 1
KERNEL(address_by_a_word) {
  KEPT_BEGIN
  int x = own;
  int* p = bitand x;
  KEPT_END(*p)
}

//@ argument_between_comparisons 1
__device__ int* h(bool a, int& x, bool c) { x += a + c; return &x; }
KERNEL(argument_between_comparisons) {
  KEPT_BEGIN
  int a = t, b = a + 1, c = a, x = own - 1;
  int* p = h(a < b, x, c > b);
  KEPT_END(*p)
}

//@ template_argument_with_and 1
template <bool B> __device__ int* ad(int& x) { if (B) x++; return &x; }
KERNEL(template_argument_with_and) {
  KEPT_BEGIN
  int q = own - 1;
  int* p = ad<sizeof(int) == 4 && true>(q);
  KEPT_END(*p)
}

//@ declaration_with_comparisons 1
KERNEL(declaration_with_comparisons) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int a = t, b = t + 1, c = t, y = 7;
  s[t] = t;
  {
    bool x = a < b, y = c > b;
    __syncthreads();
    out[AT] = x + 2 * y + s[63 - t] - 63 + t;
  }
  out[AT] += y - 7;
}

//@ function_with_the_name_of_a_type 1
__device__ int i32(const int* p) { return *p; }
KERNEL(function_with_the_name_of_a_type) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  int v = i32(s + t);
  __syncthreads();
  s[t] = 100 + t;
  __syncthreads();
  out[AT] = v == t;
}

//@ method_with_the_name_of_a_pure_function 1
struct Foo { static __device__ int min(const int* p) { return *p; } };
KERNEL(method_with_the_name_of_a_pure_function) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  int v = Foo::min(s + t);
  __syncthreads();
  s[t] = 100 + t;
  __syncthreads();
  out[AT] = v == t;
}

//@ array_that_hides_a_global 1
__device__ int v[4];
__global__ void other(int* out) { *out = v[0]; }
KERNEL(array_that_hides_a_global) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int v[2] = {t / 32, 3};
  s[t] = t;
  __syncthreads();
  int r = 3;
  if (v[0] > 0) {
    r = s[95 - t];
    __syncwarp();
    r += 5;
  }
  out[AT] = t < 32 ? r == 3 : r == 100 - t;
}

//@ loop_of_items_that_have_returned 9
KERNEL(loop_of_items_that_have_returned) {
  __shared__ int more;
  int g = AT;
  out[g] = 9;
  if (g >= 100) return;
  int sum = 0;
  if (threadIdx.x == 0) more = 4;
  __syncthreads();
  while (more > 1) {
    sum += more;
    __syncthreads();
    if (threadIdx.x == 0) more--;
    __syncthreads();
  }
  __syncthreads();
  if (threadIdx.x == 0) more = 100;
  out[g] = sum;
}

//@ loop_that_the_items_left_leave 3
KERNEL(loop_that_the_items_left_leave) {
  __shared__ int s[64], more;
  int t = threadIdx.x, rounds = 0;
  out[AT] = 3;
  s[t] = t;
  if (t == 0) more = 1;
  __syncthreads();
  if (s[63 - t] < 32) return;
  __syncthreads();
  while (more > 0) {
    rounds++;
    s[t] = rounds + s[t];
    __syncthreads();
    if (s[t] >= t + 6) break;
    __syncthreads();
  }
  out[AT] = rounds;
}

//@ loop_in_a_branch_that_its_items_leave 3
KERNEL(loop_in_a_branch_that_its_items_leave) {
  __shared__ int s[64], more;
  int t = threadIdx.x, rounds = 0;
  s[t] = t;
  if (t == 0) more = 1;
  __syncthreads();
  if (s[63 - t] < 32) {
    while (more > 0) {
      rounds++;
      s[t] = rounds + s[t];
      __syncwarp();
      if (s[t] >= t + 6) break;
    }
  } else {
    rounds = 3;
  }
  out[AT] = rounds;
}

//@ loop_in_a_branch_whose_items_have_returned 3
KERNEL(loop_in_a_branch_whose_items_have_returned) {
  __shared__ int s[64], more;
  int t = threadIdx.x;
  out[AT] = 3;
  s[t] = t;
  if (t == 0) more = 1;
  __syncthreads();
  if (t < 32) {
    __syncwarp();
    if (s[31 - t] + more > 0) return;
    __syncwarp();
    while (more > 0) {
      __syncwarp();
      if (t == 0) more--;
      __syncwarp();
    }
  }
  out[AT] = s[t] - t + 3;
}

//@ shadow_in_the_branch_that_goes_on 106
__device__ int shadowing(int c, int a) {
  __shared__ int s[64];
  s[threadIdx.x] = a;
  __syncthreads();
  int q = 1;
  int r = s[63 - threadIdx.x];
  if (c < 0) return r; else { int q = 5; r += q; }
  r += q * 100;
  return r;
}
KERNEL(shadow_in_the_branch_that_goes_on) { out[AT] = shadowing(threadIdx.x, 1); }

//@ shadow_before_the_branch_that_returns 106
__device__ int shadowing_before(int c, int a) {
  __shared__ int s[64];
  s[threadIdx.x] = a;
  __syncthreads();
  int q = 1, r = s[63 - threadIdx.x];
  if (c >= 0) { int q = 5; if (c > 100) return q; r += q; } else return r;
  r += q * 100;
  return r;
}
KERNEL(shadow_before_the_branch_that_returns) { out[AT] = shadowing_before(threadIdx.x, 1); }

//@ reference_in_parentheses 4
__device__ void add_twice(int& a, const int& b) { a += 1; __syncthreads(); a += b; }
KERNEL(reference_in_parentheses) { int x = 1; add_twice(x, (x)); out[AT] = x; }

//@ reference_to_a_choice 4
__device__ void add_choice(int& a, const int& b) { a += 1; __syncthreads(); a += b; }
KERNEL(reference_to_a_choice) { int x = 1, y = 3, t = threadIdx.x; add_choice(x, t >= 0 ? x : y); out[AT] = x; }

//@ reference_to_what_a_function_picks 4
__device__ const int& pick(const int& a, const int& b) { return a > b ? b : a; }
__device__ void add_picked(int& a, const int& b) { a += 1; __syncthreads(); a += b; }
KERNEL(reference_to_what_a_function_picks) { int x = 1, y = 3; add_picked(x, pick(x, y)); out[AT] = x; }

//@ reference_to_what_is_assigned 6
__device__ void add_assigned(int& a, const int& b) { a += 1; __syncthreads(); a += b; }
KERNEL(reference_to_what_is_assigned) { int x = 1; add_assigned(x, x = 2); out[AT] = x; }

//@ parameter_that_a_local_hides 14
__device__ void hiding(int& a, int& b) { __syncthreads(); { int a = 3; b += a; } a += 10; }
KERNEL(parameter_that_a_local_hides) { int x = 1; hiding(x, x); out[AT] = x; }

//@ shared_of_a_constant_that_is_spelled_twice 6
template <int N> __device__ int stash_constant(int v, bool put) {
  __shared__ int s[64];
  if (put) s[threadIdx.x] = v * N;
  __syncthreads();
  int r = s[63 - threadIdx.x];
  __syncthreads();
  return r;
}
KERNEL(shared_of_a_constant_that_is_spelled_twice) {
  constexpr int W = 2;
  int a = stash_constant<W>(1, true);
  int b = stash_constant<2>(0, false);
  out[AT] = a * 2 + b;
}

//@ shared_of_a_type_that_is_spelled_twice 3
template <class T> __device__ T stash_type(T v, bool put) {
  __shared__ T s[64];
  if (put) s[threadIdx.x] = v;
  __syncthreads();
  T r = s[63 - threadIdx.x];
  __syncthreads();
  return r;
}
typedef int I;
KERNEL(shared_of_a_type_that_is_spelled_twice) {
  int a = stash_type<int>(1, true);
  int b = stash_type<I>(0, false);
  out[AT] = a * 2 + b;
}

//@ shared_of_a_type_that_is_deduced_twice 3
template <class T> __device__ T stash_deduced(T v, bool put) {
  __shared__ T s[64];
  if (put) s[threadIdx.x] = v;
  __syncthreads();
  T r = s[63 - threadIdx.x];
  __syncthreads();
  return r;
}
KERNEL(shared_of_a_type_that_is_deduced_twice) {
  int a = stash_deduced(1, true);
  int b = stash_deduced(0, false);
  out[AT] = a * 2 + b;
}

//@ shared_of_two_types 2
template <class T, int N> __device__ T stash_two(T v, bool put) {
  __shared__ T s[64];
  if (put) s[threadIdx.x] = v;
  __syncthreads();
  T r = s[63 - threadIdx.x];
  __syncthreads();
  return r;
}
KERNEL(shared_of_two_types) {
  stash_two<int, 4>(1, true);
  stash_two<float, 4>(2, true);
  stash_two<float, 8>(3, true);
  out[AT] = stash_two<int, 4>(0, false) + (stash_two<float, 4>(0, false) == 2) + (stash_two<float, 8>(0, false) != 3);
}

//@ continue_in_a_statement_expression 815
KERNEL(continue_in_a_statement_expression) {
  __shared__ int s[64];
  int t = threadIdx.x, r = 0;
  for (int i = 0; i < 4; i++) {
    int x = ({ if ((t >= 0) == i) continue; 5; });
    r += x;
    s[t] = i + 1;
    __syncwarp();
    r += 100 * s[t];
  }
  out[AT] = r;
}

//@ break_in_a_statement_expression 5
KERNEL(break_in_a_statement_expression) {
  __shared__ int s[64];
  int t = threadIdx.x, r = 0;
  for (int i = 0; i < 4; i++) {
    r += ({ if ((t >= 0) == i) break; 5; });
    s[t] = i;
    __syncwarp();
    r += 100 * s[t];
  }
  out[AT] = r;
}

//@ return_in_a_statement_expression 5
KERNEL(return_in_a_statement_expression) {
  out[AT] = 5;
  int x = ({ if ((threadIdx.x & 3) == 1) return; 5; });
  out[AT] = x;
}

//@ barrier_in_a_statement_expression 63
__device__ void put_item(int* s, int t) { s[t] = t; }
KERNEL(barrier_in_a_statement_expression) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = -1;
  __syncthreads();
  int x = ({ put_item(s, t); __syncthreads(); s[63 - t]; });
  out[AT] = x + t;
}

//@ return_in_a_statement_expression_behind_a_barrier 5
KERNEL(return_in_a_statement_expression_behind_a_barrier) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  out[AT] = 5;
  int x = ({ if ((s[63 - t] & 3) == 1) return; 5; });
  __syncwarp();
  out[AT] = x;
}

//@ unknown_attribute_behind_a_condition 65
KERNEL(unknown_attribute_behind_a_condition) {
  __shared__ int s[64];
  int t = threadIdx.x, q = 0;
  s[t] = t;
  __syncthreads();
  if (t < 5) [[gnu::likely]] { q += 0; }
  q = 2;
  out[AT] = t + q + s[63 - t];
}

//@ unknown_attribute_behind_a_loop 68
KERNEL(unknown_attribute_behind_a_loop) {
  __shared__ int s[64];
  int t = threadIdx.x, r = 0, q = 0;
  s[t] = t;
  __syncthreads();
  for (int i = 0; i < 3; i++) [[gnu::foo]] { r += i; }
  q += 2;
  out[AT] = t + r + q + s[63 - t];
}

//@ unknown_attribute_of_a_variable 64
KERNEL(unknown_attribute_of_a_variable) {
  __shared__ int s[64];
  int t = threadIdx.x;
  [[gnu::aligned(16)]] int x = t;
  s[t] = t;
  __syncthreads();
  [[gnu::foo]] x += s[63 - t];
  out[AT] = x + 1;
}

//@ lambda_with_the_name_of_a_function 12
__device__ int my_index(int i) { return i + threadIdx.x; }
__global__ void other(int* out) { out[0] = my_index(1); }
KERNEL(lambda_with_the_name_of_a_function) {
  auto my_index = [&](int i, int j) { return i * 10 + j; };
  out[AT] = my_index(1, 2);
}

//@ parameter_with_the_name_of_a_function 10
__device__ int my_load(int i) { return i + threadIdx.x; }
template <class F> __device__ int apply_load(F my_load, int i) { return my_load(i); }
template <class F> __device__ int apply_load_too(const F& my_load, int i) { return my_load(i); }
KERNEL(parameter_with_the_name_of_a_function) {
  int sum = my_load(0) - threadIdx.x;
  auto five = [](int i) { return i + 4; };
  out[AT] = sum + apply_load(five, 1) + apply_load_too(five, 1);
}

//@ method_of_a_base_with_the_name_of_a_function 6
__device__ int load_based(int i) { return i + threadIdx.x; }
struct Base { int p; __device__ int load_based(int i) const { return p + i; } };
struct Derived : Base { __device__ int twice(int i) const { return load_based(i) * 2; } };
KERNEL(method_of_a_base_with_the_name_of_a_function) {
  Derived d;
  d.p = 1;
  out[AT] = d.twice(2) + load_based(0) - threadIdx.x;
}

//@ lambda_with_the_name_of_a_function_that_meets 12
__device__ int sum_up(int i, int j) {
  __shared__ int s[64];
  s[threadIdx.x] = i;
  __syncthreads();
  return s[63 - threadIdx.x] + j;
}
__global__ void other(int* out) { out[AT] = sum_up(1, 2); }
KERNEL(lambda_with_the_name_of_a_function_that_meets) {
  auto sum_up = [&](int i, int j) { return i * 10 + j; };
  out[AT] = sum_up(1, 2);
}

//@ class_with_the_name_of_a_function 3
namespace my_place { __device__ int my_place(int i) { return i + threadIdx.x; } }
struct my_thing { int v; };
__device__ int my_thing(int i) { return i + threadIdx.x; }
KERNEL(class_with_the_name_of_a_function) {
  int t = threadIdx.x;
  out[AT] = my_place::my_place(1) - t + my_thing(2) - t;
}

//@ branch_with_names_of_its_own_that_goes_on 47
__device__ int choosing(int c, int a) {
  __shared__ int s[64];
  s[threadIdx.x] = a;
  __syncthreads();
  int r = s[63 - threadIdx.x];
  if (c < 0) {
    return r;
  } else {
    int own = 5;
    r += own;
    if (c == 101) return own;
  }
  r += 1;
  return r + 40;
}
KERNEL(branch_with_names_of_its_own_that_goes_on) { out[AT] = choosing(threadIdx.x, 1); }
