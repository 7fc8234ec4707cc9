// SPDX-License-Identifier: Apache-2.0
// What kernels use of C++'s standard library: <type_traits>, <limits>, <utility>, <array>, <span>, and the functions of
// <cmath> and <algorithm> that have one value. Compilers of GPUs may have parts of it, so theirs has another name.
#ifndef HAL_STANDARD_H
#define HAL_STANDARD_H
namespace std {}
#ifndef HAL_HOST
namespace hal_std {
using namespace std;
}
#define std hal_std
#endif
#ifdef HAL_HOST
#define HAL_DECLARED
#else
#define HAL_DECLARED __host__ __device__
#endif
#define HAL_ANYWHERE HAL_DECLARED constexpr

namespace std {
using ::size_t;
using ptrdiff_t = decltype((char*)0 - (char*)0);
using nullptr_t = decltype(nullptr);

// <type_traits>

template <class T, T v> struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  typedef integral_constant type;
  HAL_ANYWHERE operator T() const noexcept { return v; }
  HAL_ANYWHERE T operator()() const noexcept { return v; }
};
template <bool v> using bool_constant = integral_constant<bool, v>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv : remove_const<typename remove_volatile<T>::type> {};
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T> struct remove_cvref : remove_cv<typename remove_reference<T>::type> {};
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T*> { typedef T type; };
template <class T> struct remove_pointer<T* const> { typedef T type; };
template <class T> struct remove_extent { typedef T type; };
template <class T> struct remove_extent<T[]> { typedef T type; };
template <class T, size_t N> struct remove_extent<T[N]> { typedef T type; };
template <class T> struct add_const { typedef const T type; };
template <class T> struct add_pointer { typedef typename remove_reference<T>::type* type; };
template <class T> struct add_lvalue_reference { typedef T& type; };
template <> struct add_lvalue_reference<void> { typedef void type; };
template <class T> struct add_rvalue_reference { typedef T&& type; };
template <> struct add_rvalue_reference<void> { typedef void type; };
template <bool, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool, class T, class> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <class T> struct type_identity { typedef T type; };
template <class...> using void_t = void;

template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_volatile_t = typename remove_volatile<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_cvref_t = typename remove_cvref<T>::type;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using remove_extent_t = typename remove_extent<T>::type;
template <class T> using add_const_t = typename add_const<T>::type;
template <class T> using add_pointer_t = typename add_pointer<T>::type;
template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class T, class F> using conditional_t = typename conditional<b, T, F>::type;
template <class T> using type_identity_t = typename type_identity<T>::type;

template <class T> HAL_DECLARED typename add_rvalue_reference<T>::type declval() noexcept;

template <class A, class B> struct is_same : false_type {};
template <class T> struct is_same<T, T> : true_type {};
template <class T> struct is_void : is_same<void, remove_cv_t<T>> {};
template <class T> struct is_const : false_type {};
template <class T> struct is_const<const T> : true_type {};
template <class T> struct is_lvalue_reference : false_type {};
template <class T> struct is_lvalue_reference<T&> : true_type {};
template <class T> struct is_rvalue_reference : false_type {};
template <class T> struct is_rvalue_reference<T&&> : true_type {};
template <class T> struct is_reference : bool_constant<is_lvalue_reference<T>::value || is_rvalue_reference<T>::value> {};
template <class T> struct is_pointer : bool_constant<!is_same<T, remove_pointer_t<remove_cv_t<T>>>::value && !is_same<remove_cv_t<T>, remove_pointer_t<remove_cv_t<T>>>::value> {};
template <class T> struct is_array : false_type {};
template <class T> struct is_array<T[]> : true_type {};
template <class T, size_t N> struct is_array<T[N]> : true_type {};
template <class T> struct is_enum : bool_constant<__is_enum(T)> {};
template <class T> struct is_union : bool_constant<__is_union(T)> {};
template <class T> struct is_class : bool_constant<__is_class(T)> {};
template <class A, class B> struct is_base_of : bool_constant<__is_base_of(A, B)> {};
template <class T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <class T> struct is_empty : bool_constant<__is_empty(T)> {};

template <class T, class... All> struct hal_is_one_of : bool_constant<(is_same<T, All>::value || ...)> {};
template <class T>
struct is_integral
    : hal_is_one_of<remove_cv_t<T>, bool, char, signed char, unsigned char, wchar_t, char16_t, char32_t, short, unsigned short, int,
                    unsigned, long, unsigned long, long long, unsigned long long> {};
template <class T> struct is_floating_point : hal_is_one_of<remove_cv_t<T>, float, double, long double> {};
template <class T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <class T> struct is_scalar : bool_constant<is_arithmetic<T>::value || is_enum<T>::value || is_pointer<T>::value || is_same<remove_cv_t<T>, nullptr_t>::value> {};
template <class T, bool = is_arithmetic<T>::value> struct is_signed : false_type {};
template <class T> struct is_signed<T, true> : bool_constant<(T(-1) < T(0))> {};
template <class T, bool = is_arithmetic<T>::value> struct is_unsigned : false_type {};
template <class T> struct is_unsigned<T, true> : bool_constant<(T(0) < T(-1))> {};

template <class From, class To> struct hal_converts {
  template <class T> static HAL_DECLARED void take(T) noexcept;
  template <class F, class T, class = decltype(take<T>(declval<F>()))> static HAL_ANYWHERE bool test(int) { return true; }
  template <class, class> static HAL_ANYWHERE bool test(long) { return false; }
};
template <class From, class To>
struct is_convertible : bool_constant<hal_converts<From, To>::template test<From, To>(0)> {};
template <class From> struct is_convertible<From, void> : is_void<From> {};
template <class F, class... A> struct hal_called {
  template <class G> static HAL_DECLARED auto test(int) -> decltype(declval<G>()(declval<A>()...), true_type());
  template <class> static HAL_DECLARED false_type test(long);
};
template <class F, class... A> struct is_invocable : decltype(hal_called<F, A...>::template test<F>(0)) {};
template <class F, class... A> struct invoke_result { typedef decltype(declval<F>()(declval<A>()...)) type; };
template <class F, class... A> using invoke_result_t = typename invoke_result<F, A...>::type;
template <class T> struct decay {
  typedef remove_reference_t<T> bare;
  typedef conditional_t<is_array<bare>::value, remove_extent_t<bare>*, remove_cv_t<bare>> type;
};
template <class R, class... A> struct decay<R(A...)> { typedef R (*type)(A...); };
template <class R, class... A> struct decay<R (&)(A...)> { typedef R (*type)(A...); };
template <class T> using decay_t = typename decay<T>::type;
template <class... T> struct common_type {};
template <class T> struct common_type<T> { typedef decay_t<T> type; };
template <class A, class B> struct common_type<A, B> { typedef decay_t<decltype(true ? declval<A>() : declval<B>())> type; };
template <class A, class B, class... C>
struct common_type<A, B, C...> : common_type<typename common_type<A, B>::type, C...> {};
template <class... T> using common_type_t = typename common_type<T...>::type;
template <class T> struct underlying_type { typedef __underlying_type(T) type; };
template <class T> using underlying_type_t = typename underlying_type<T>::type;
template <class... B> struct conjunction : bool_constant<(B::value && ...)> {};
template <class... B> struct disjunction : bool_constant<(B::value || ...)> {};
template <class B> struct negation : bool_constant<!B::value> {};

template <class T, size_t size = sizeof(T)> struct hal_unsigned_of { typedef unsigned long long type; };
template <class T> struct hal_unsigned_of<T, 1> { typedef unsigned char type; };
template <class T> struct hal_unsigned_of<T, 2> { typedef unsigned short type; };
template <class T> struct hal_unsigned_of<T, 4> { typedef unsigned type; };
template <> struct hal_unsigned_of<long, 8> { typedef unsigned long type; };
template <> struct hal_unsigned_of<unsigned long, 8> { typedef unsigned long type; };
template <class T> struct make_unsigned : hal_unsigned_of<remove_cv_t<T>> {};
template <class T> struct hal_signed_of { typedef long long type; };
template <> struct hal_signed_of<unsigned char> { typedef signed char type; };
template <> struct hal_signed_of<unsigned short> { typedef short type; };
template <> struct hal_signed_of<unsigned> { typedef int type; };
template <> struct hal_signed_of<unsigned long> { typedef long type; };
template <class T> struct make_signed : hal_signed_of<typename make_unsigned<T>::type> {};
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;
template <class T> using make_signed_t = typename make_signed<T>::type;

#define HAL_TRAIT(name) \
  template <class T> inline constexpr bool name##_v = name<T>::value;
HAL_TRAIT(is_void)
HAL_TRAIT(is_const)
HAL_TRAIT(is_lvalue_reference)
HAL_TRAIT(is_rvalue_reference)
HAL_TRAIT(is_reference)
HAL_TRAIT(is_pointer)
HAL_TRAIT(is_array)
HAL_TRAIT(is_enum)
HAL_TRAIT(is_union)
HAL_TRAIT(is_class)
HAL_TRAIT(is_trivially_copyable)
HAL_TRAIT(is_empty)
HAL_TRAIT(is_integral)
HAL_TRAIT(is_floating_point)
HAL_TRAIT(is_arithmetic)
HAL_TRAIT(is_scalar)
HAL_TRAIT(is_signed)
HAL_TRAIT(is_unsigned)
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <class A, class B> inline constexpr bool is_base_of_v = is_base_of<A, B>::value;
template <class A, class B> inline constexpr bool is_convertible_v = is_convertible<A, B>::value;
template <class F, class... A> inline constexpr bool is_invocable_v = is_invocable<F, A...>::value;
template <class... B> inline constexpr bool conjunction_v = conjunction<B...>::value;
template <class... B> inline constexpr bool disjunction_v = disjunction<B...>::value;
template <class B> inline constexpr bool negation_v = negation<B>::value;

// <utility>

template <class T> HAL_ANYWHERE remove_reference_t<T>&& move(T&& x) noexcept { return static_cast<remove_reference_t<T>&&>(x); }
template <class T> HAL_ANYWHERE T&& forward(remove_reference_t<T>& x) noexcept { return static_cast<T&&>(x); }
template <class T> HAL_ANYWHERE T&& forward(remove_reference_t<T>&& x) noexcept { return static_cast<T&&>(x); }
template <class T> HAL_ANYWHERE void swap(T& a, T& b) {
  T kept = move(a);
  a = move(b);
  b = move(kept);
}
template <class T, class U = T> HAL_ANYWHERE T exchange(T& at, U&& value) {
  T kept = move(at);
  at = forward<U>(value);
  return kept;
}
template <class A, class B> struct pair {
  A first;
  B second;
  HAL_ANYWHERE pair() : first(), second() {}
  HAL_ANYWHERE pair(const A& a, const B& b) : first(a), second(b) {}
};
template <class A, class B> HAL_ANYWHERE pair<decay_t<A>, decay_t<B>> make_pair(A&& a, B&& b) {
  return pair<decay_t<A>, decay_t<B>>(forward<A>(a), forward<B>(b));
}
template <class T, T...> struct integer_sequence {};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <class T, size_t N, T... I> struct hal_sequence : hal_sequence<T, N - 1, (T)(N - 1), I...> {};
template <class T, T... I> struct hal_sequence<T, 0, I...> { typedef integer_sequence<T, I...> type; };
template <class T, T N> using make_integer_sequence = typename hal_sequence<T, (size_t)N>::type;
template <size_t N> using make_index_sequence = typename hal_sequence<size_t, N>::type;

// <algorithm>

template <class T> HAL_ANYWHERE const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> HAL_ANYWHERE const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T, class F> HAL_ANYWHERE const T& min(const T& a, const T& b, F less) { return less(b, a) ? b : a; }
template <class T, class F> HAL_ANYWHERE const T& max(const T& a, const T& b, F less) { return less(a, b) ? b : a; }
template <class T> HAL_ANYWHERE const T& clamp(const T& x, const T& low, const T& high) { return x < low ? low : high < x ? high : x; }
template <class I, class T> HAL_ANYWHERE void fill(I from, I to, const T& value) {
  for (; from != to; ++from) *from = value;
}

// <limits>

enum float_round_style { round_toward_zero = 0, round_to_nearest = 1 };
struct hal_no_limits {
  static constexpr bool is_specialized = false, is_signed = false, is_integer = false, is_exact = false, is_bounded = false,
                        has_infinity = false, has_quiet_NaN = false, is_iec559 = false, is_modulo = false;
  static constexpr int digits = 0, digits10 = 0, max_digits10 = 0, radix = 0, min_exponent = 0, max_exponent = 0;
};
template <class T> struct hal_limits : hal_no_limits {};
template <class T, T Least, T Most, int Digits> struct hal_integer_limits : hal_no_limits {
  static constexpr bool is_specialized = true, is_signed = Least != 0, is_integer = true, is_exact = true, is_bounded = true,
                        is_modulo = Least == 0 && Digits > 1;
  static constexpr int digits = Digits, digits10 = Digits * 30103ll / 100000, radix = 2;
  static HAL_ANYWHERE T min() noexcept { return Least; }
  static HAL_ANYWHERE T max() noexcept { return Most; }
  static HAL_ANYWHERE T lowest() noexcept { return Least; }
  static HAL_ANYWHERE T epsilon() noexcept { return 0; }
  static HAL_ANYWHERE T infinity() noexcept { return 0; }
  static HAL_ANYWHERE T quiet_NaN() noexcept { return 0; }
};
#define HAL_SIGNED_LIMITS(type, most) \
  template <> struct hal_limits<type> : hal_integer_limits<type, (type)(-(most) - 1), most, sizeof(type) * 8 - 1> {};
#define HAL_UNSIGNED_LIMITS(type) \
  template <> struct hal_limits<type> : hal_integer_limits<type, 0, (type)~(type)0, sizeof(type) * 8> {};
template <> struct hal_limits<bool> : hal_integer_limits<bool, false, true, 1> {};
template <> struct hal_limits<char> : hal_integer_limits<char, (char)((char)-1 < 0 ? -128 : 0), (char)((char)-1 < 0 ? 127 : 255), (char)-1 < 0 ? 7 : 8> {};
HAL_SIGNED_LIMITS(signed char, 127)
HAL_SIGNED_LIMITS(short, 32767)
HAL_SIGNED_LIMITS(int, 2147483647)
HAL_SIGNED_LIMITS(long, (long)(~0ul >> 1))
HAL_SIGNED_LIMITS(long long, 9223372036854775807ll)
HAL_UNSIGNED_LIMITS(unsigned char)
HAL_UNSIGNED_LIMITS(unsigned short)
HAL_UNSIGNED_LIMITS(unsigned)
HAL_UNSIGNED_LIMITS(unsigned long)
HAL_UNSIGNED_LIMITS(unsigned long long)
struct hal_real_limits : hal_no_limits {
  static constexpr bool is_specialized = true, is_signed = true, is_bounded = true, has_infinity = true, has_quiet_NaN = true,
                        is_iec559 = true;
  static constexpr int radix = 2;
};
#if defined(__CUDACC_RTC__) && !defined(HAL_HOST)
#define HAL_LIMIT static __device__ __forceinline__  // which has no constant for it
#define HAL_REAL_INFINITY(f) __longlong_as_double(0x7FF0000000000000ll)
#define HAL_REAL_NAN(f) __longlong_as_double(0x7FF8000000000000ll)
#else
#define HAL_LIMIT static HAL_ANYWHERE
#define HAL_REAL_INFINITY(f) __builtin_inf##f()
#define HAL_REAL_NAN(f) __builtin_nan##f("")
#endif
#define HAL_REAL_LIMITS(real, f, bits, decimal, exponent, least, smallest, most, unit)                            \
  template <> struct hal_limits<real> : hal_real_limits {                                                         \
    static constexpr int digits = bits, digits10 = decimal, max_digits10 = decimal + (bits == 24 ? 3 : 2),        \
                         max_exponent = exponent, min_exponent = 3 - exponent;                                    \
    static HAL_ANYWHERE real min() noexcept { return least; }                                                     \
    static HAL_ANYWHERE real max() noexcept { return most; }                                                      \
    static HAL_ANYWHERE real lowest() noexcept { return -most; }                                                  \
    static HAL_ANYWHERE real epsilon() noexcept { return unit; }                                                  \
    static HAL_ANYWHERE real round_error() noexcept { return (real)0.5; }                                         \
    static HAL_ANYWHERE real denorm_min() noexcept { return smallest; }                                           \
    HAL_LIMIT real infinity() noexcept { return (real)HAL_REAL_INFINITY(f); }                                     \
    HAL_LIMIT real quiet_NaN() noexcept { return (real)HAL_REAL_NAN(f); }                                         \
  };
HAL_REAL_LIMITS(float, f, 24, 6, 128, 1.17549435082228750797e-38f, 1.40129846432481707092e-45f, 3.40282346638528859812e+38f,
                1.1920928955078125e-7f)
HAL_REAL_LIMITS(double, , 53, 15, 1024, 2.22507385850720138309e-308, 4.94065645841246544177e-324, 1.79769313486231570815e+308,
                2.22044604925031308085e-16)
template <class T> struct numeric_limits : hal_limits<remove_cv_t<T>> {};

// <array> and <span>

template <class T, size_t N> struct array {
  typedef T value_type;
  typedef size_t size_type;
  typedef T* iterator;
  typedef const T* const_iterator;
  T hal_elements[N > 0 ? N : 1];
  HAL_ANYWHERE T& operator[](size_t i) { return hal_elements[i]; }
  HAL_ANYWHERE const T& operator[](size_t i) const { return hal_elements[i]; }
  HAL_ANYWHERE T& front() { return hal_elements[0]; }
  HAL_ANYWHERE const T& front() const { return hal_elements[0]; }
  HAL_ANYWHERE T& back() { return hal_elements[N - 1]; }
  HAL_ANYWHERE const T& back() const { return hal_elements[N - 1]; }
  HAL_ANYWHERE T* data() { return hal_elements; }
  HAL_ANYWHERE const T* data() const { return hal_elements; }
  HAL_ANYWHERE T* begin() { return hal_elements; }
  HAL_ANYWHERE const T* begin() const { return hal_elements; }
  HAL_ANYWHERE T* end() { return hal_elements + N; }
  HAL_ANYWHERE const T* end() const { return hal_elements + N; }
  HAL_ANYWHERE size_t size() const { return N; }
  HAL_ANYWHERE bool empty() const { return N == 0; }
  HAL_ANYWHERE void fill(const T& value) {
    for (size_t i = 0; i < N; i++) hal_elements[i] = value;
  }
};
template <class T, class... U> HAL_DECLARED array(T, U...) -> array<T, 1 + sizeof...(U)>;
template <size_t I, class T, size_t N> HAL_ANYWHERE T& get(array<T, N>& all) { return all[I]; }
template <size_t I, class T, size_t N> HAL_ANYWHERE const T& get(const array<T, N>& all) { return all[I]; }
#if __cplusplus >= 202002L
inline constexpr size_t dynamic_extent = ~(size_t)0;
template <class T, size_t Extent = dynamic_extent> class span {
  T* hal_at = nullptr;
  size_t hal_length = Extent == dynamic_extent ? 0 : Extent;

 public:
  typedef T element_type;
  typedef remove_cv_t<T> value_type;
  typedef T* iterator;
  static constexpr size_t extent = Extent;
  constexpr span() = default;
  HAL_ANYWHERE span(T* at, size_t length) : hal_at(at), hal_length(length) {}
  HAL_ANYWHERE span(T* at, T* end) : hal_at(at), hal_length((size_t)(end - at)) {}
  template <size_t N> HAL_ANYWHERE span(T (&all)[N]) : hal_at(all), hal_length(N) {}
  template <class U, size_t N> HAL_ANYWHERE span(array<U, N>& all) : hal_at(all.data()), hal_length(N) {}
  template <class U, size_t N> HAL_ANYWHERE span(const array<U, N>& all) : hal_at(all.data()), hal_length(N) {}
  template <class U, size_t N> HAL_ANYWHERE span(const span<U, N>& other) : hal_at(other.data()), hal_length(other.size()) {}
  HAL_ANYWHERE T& operator[](size_t i) const { return hal_at[i]; }
  HAL_ANYWHERE T& front() const { return hal_at[0]; }
  HAL_ANYWHERE T& back() const { return hal_at[hal_length - 1]; }
  HAL_ANYWHERE T* data() const { return hal_at; }
  HAL_ANYWHERE T* begin() const { return hal_at; }
  HAL_ANYWHERE T* end() const { return hal_at + hal_length; }
  HAL_ANYWHERE size_t size() const { return hal_length; }
  HAL_ANYWHERE size_t size_bytes() const { return hal_length * sizeof(T); }
  HAL_ANYWHERE bool empty() const { return hal_length == 0; }
  HAL_ANYWHERE span<T> subspan(size_t from, size_t count = dynamic_extent) const {
    return span<T>(hal_at + from, count == dynamic_extent ? hal_length - from : count);
  }
  HAL_ANYWHERE span<T> first(size_t count) const { return span<T>(hal_at, count); }
  HAL_ANYWHERE span<T> last(size_t count) const { return span<T>(hal_at + (hal_length - count), count); }
};
template <class T, size_t N> HAL_DECLARED span(T (&)[N]) -> span<T, N>;
template <class T, size_t N> HAL_DECLARED span(array<T, N>&) -> span<T, N>;
template <class T, size_t N> HAL_DECLARED span(const array<T, N>&) -> span<const T, N>;
template <class T> HAL_DECLARED span(T*, size_t) -> span<T>;
#endif
}  // namespace std
#endif
