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

template <class Hal_T, Hal_T v> struct integral_constant {
  static constexpr Hal_T value = v;
  typedef Hal_T value_type;
  typedef integral_constant type;
  HAL_ANYWHERE operator Hal_T() const noexcept { return v; }
  HAL_ANYWHERE Hal_T operator()() const noexcept { return v; }
};
template <bool v> using bool_constant = integral_constant<bool, v>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <class Hal_T> struct remove_const { typedef Hal_T type; };
template <class Hal_T> struct remove_const<const Hal_T> { typedef Hal_T type; };
template <class Hal_T> struct remove_volatile { typedef Hal_T type; };
template <class Hal_T> struct remove_volatile<volatile Hal_T> { typedef Hal_T type; };
template <class Hal_T> struct remove_cv : remove_const<typename remove_volatile<Hal_T>::type> {};
template <class Hal_T> struct remove_reference { typedef Hal_T type; };
template <class Hal_T> struct remove_reference<Hal_T&> { typedef Hal_T type; };
template <class Hal_T> struct remove_reference<Hal_T&&> { typedef Hal_T type; };
template <class Hal_T> struct remove_cvref : remove_cv<typename remove_reference<Hal_T>::type> {};
template <class Hal_T> struct remove_pointer { typedef Hal_T type; };
template <class Hal_T> struct remove_pointer<Hal_T*> { typedef Hal_T type; };
template <class Hal_T> struct remove_pointer<Hal_T* const> { typedef Hal_T type; };
template <class Hal_T> struct remove_extent { typedef Hal_T type; };
template <class Hal_T> struct remove_extent<Hal_T[]> { typedef Hal_T type; };
template <class Hal_T, size_t Hal_N> struct remove_extent<Hal_T[Hal_N]> { typedef Hal_T type; };
template <class Hal_T> struct add_const { typedef const Hal_T type; };
template <class Hal_T> struct add_pointer { typedef typename remove_reference<Hal_T>::type* type; };
template <class Hal_T> struct add_lvalue_reference { typedef Hal_T& type; };
template <> struct add_lvalue_reference<void> { typedef void type; };
template <class Hal_T> struct add_rvalue_reference { typedef Hal_T&& type; };
template <> struct add_rvalue_reference<void> { typedef void type; };
template <bool, class Hal_T = void> struct enable_if {};
template <class Hal_T> struct enable_if<true, Hal_T> { typedef Hal_T type; };
template <bool, class Hal_T, class> struct conditional { typedef Hal_T type; };
template <class Hal_T, class Hal_F> struct conditional<false, Hal_T, Hal_F> { typedef Hal_F type; };
template <class Hal_T> struct type_identity { typedef Hal_T type; };
template <class...> using void_t = void;

template <class Hal_T> using remove_const_t = typename remove_const<Hal_T>::type;
template <class Hal_T> using remove_volatile_t = typename remove_volatile<Hal_T>::type;
template <class Hal_T> using remove_cv_t = typename remove_cv<Hal_T>::type;
template <class Hal_T> using remove_reference_t = typename remove_reference<Hal_T>::type;
template <class Hal_T> using remove_cvref_t = typename remove_cvref<Hal_T>::type;
template <class Hal_T> using remove_pointer_t = typename remove_pointer<Hal_T>::type;
template <class Hal_T> using remove_extent_t = typename remove_extent<Hal_T>::type;
template <class Hal_T> using add_const_t = typename add_const<Hal_T>::type;
template <class Hal_T> using add_pointer_t = typename add_pointer<Hal_T>::type;
template <bool b, class Hal_T = void> using enable_if_t = typename enable_if<b, Hal_T>::type;
template <bool b, class Hal_T, class Hal_F> using conditional_t = typename conditional<b, Hal_T, Hal_F>::type;
template <class Hal_T> using type_identity_t = typename type_identity<Hal_T>::type;

template <class Hal_T> HAL_DECLARED typename add_rvalue_reference<Hal_T>::type declval() noexcept;

template <class Hal_A, class Hal_B> struct is_same : false_type {};
template <class Hal_T> struct is_same<Hal_T, Hal_T> : true_type {};
template <class Hal_T> struct is_void : is_same<void, remove_cv_t<Hal_T>> {};
template <class Hal_T> struct is_const : false_type {};
template <class Hal_T> struct is_const<const Hal_T> : true_type {};
template <class Hal_T> struct is_lvalue_reference : false_type {};
template <class Hal_T> struct is_lvalue_reference<Hal_T&> : true_type {};
template <class Hal_T> struct is_rvalue_reference : false_type {};
template <class Hal_T> struct is_rvalue_reference<Hal_T&&> : true_type {};
template <class Hal_T> struct is_reference : bool_constant<is_lvalue_reference<Hal_T>::value || is_rvalue_reference<Hal_T>::value> {};
template <class Hal_T> struct is_pointer :
    bool_constant<!is_same<Hal_T, remove_pointer_t<remove_cv_t<Hal_T>>>::value &&
                  !is_same<remove_cv_t<Hal_T>, remove_pointer_t<remove_cv_t<Hal_T>>>::value> {};
template <class Hal_T> struct is_array : false_type {};
template <class Hal_T> struct is_array<Hal_T[]> : true_type {};
template <class Hal_T, size_t Hal_N> struct is_array<Hal_T[Hal_N]> : true_type {};
template <class Hal_T> struct is_enum : bool_constant<__is_enum(Hal_T)> {};
template <class Hal_T> struct is_union : bool_constant<__is_union(Hal_T)> {};
template <class Hal_T> struct is_class : bool_constant<__is_class(Hal_T)> {};
template <class Hal_A, class Hal_B> struct is_base_of : bool_constant<__is_base_of(Hal_A, Hal_B)> {};
template <class Hal_T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(Hal_T)> {};
template <class Hal_T> struct is_empty : bool_constant<__is_empty(Hal_T)> {};

template <class Hal_T, class... All> struct hal_is_one_of : bool_constant<(is_same<Hal_T, All>::value || ...)> {};
template <class Hal_T>
struct is_integral
    : hal_is_one_of<remove_cv_t<Hal_T>, bool, char, signed char, unsigned char, wchar_t, char16_t, char32_t, short, unsigned short, int,
                    unsigned, long, unsigned long, long long, unsigned long long> {};
template <class Hal_T> struct is_floating_point : hal_is_one_of<remove_cv_t<Hal_T>, float, double, long double> {};
template <class Hal_T> struct is_arithmetic : bool_constant<is_integral<Hal_T>::value || is_floating_point<Hal_T>::value> {};
template <class Hal_T> struct is_scalar :
    bool_constant<is_arithmetic<Hal_T>::value || is_enum<Hal_T>::value || is_pointer<Hal_T>::value ||
                  is_same<remove_cv_t<Hal_T>, nullptr_t>::value> {};
template <class Hal_T, bool = is_arithmetic<Hal_T>::value> struct is_signed : false_type {};
template <class Hal_T> struct is_signed<Hal_T, true> : bool_constant<(Hal_T(-1) < Hal_T(0))> {};
template <class Hal_T, bool = is_arithmetic<Hal_T>::value> struct is_unsigned : false_type {};
template <class Hal_T> struct is_unsigned<Hal_T, true> : bool_constant<(Hal_T(0) < Hal_T(-1))> {};

template <class From, class To> struct hal_converts {
  template <class Hal_T> static HAL_DECLARED void take(Hal_T) noexcept;
  template <class Hal_F, class Hal_T, class = decltype(take<Hal_T>(declval<Hal_F>()))> static HAL_ANYWHERE bool test(int) { return true; }
  template <class, class> static HAL_ANYWHERE bool test(long) { return false; }
};
template <class From, class To>
struct is_convertible : bool_constant<hal_converts<From, To>::template test<From, To>(0)> {};
template <class From> struct is_convertible<From, void> : is_void<From> {};
template <class Hal_F, class... Hal_A> struct hal_called {
  template <class Hal_G> static HAL_DECLARED auto test(int) -> decltype(declval<Hal_G>()(declval<Hal_A>()...), true_type());
  template <class> static HAL_DECLARED false_type test(long);
};
template <class Hal_F, class... Hal_A> struct is_invocable : decltype(hal_called<Hal_F, Hal_A...>::template test<Hal_F>(0)) {};
template <class Hal_F, class... Hal_A> struct invoke_result { typedef decltype(declval<Hal_F>()(declval<Hal_A>()...)) type; };
template <class Hal_F, class... Hal_A> using invoke_result_t = typename invoke_result<Hal_F, Hal_A...>::type;
template <class Hal_T> struct decay {
  typedef remove_reference_t<Hal_T> bare;
  typedef conditional_t<is_array<bare>::value, remove_extent_t<bare>*, remove_cv_t<bare>> type;
};
template <class Hal_R, class... Hal_A> struct decay<Hal_R(Hal_A...)> { typedef Hal_R (*type)(Hal_A...); };
template <class Hal_R, class... Hal_A> struct decay<Hal_R (&)(Hal_A...)> { typedef Hal_R (*type)(Hal_A...); };
template <class Hal_T> using decay_t = typename decay<Hal_T>::type;
template <class... Hal_T> struct common_type {};
template <class Hal_T> struct common_type<Hal_T> { typedef decay_t<Hal_T> type; };
template <class Hal_A, class Hal_B> struct common_type<Hal_A, Hal_B> { typedef decay_t<decltype(true ? declval<Hal_A>() : declval<Hal_B>())> type; };
template <class Hal_A, class Hal_B, class... Hal_C>
struct common_type<Hal_A, Hal_B, Hal_C...> : common_type<typename common_type<Hal_A, Hal_B>::type, Hal_C...> {};
template <class... Hal_T> using common_type_t = typename common_type<Hal_T...>::type;
template <class Hal_T> struct underlying_type { typedef __underlying_type(Hal_T) type; };
template <class Hal_T> using underlying_type_t = typename underlying_type<Hal_T>::type;
template <class... Hal_B> struct conjunction : bool_constant<(Hal_B::value && ...)> {};
template <class... Hal_B> struct disjunction : bool_constant<(Hal_B::value || ...)> {};
template <class Hal_B> struct negation : bool_constant<!Hal_B::value> {};

template <class Hal_T, size_t size = sizeof(Hal_T)> struct hal_unsigned_of { typedef unsigned long long type; };
template <class Hal_T> struct hal_unsigned_of<Hal_T, 1> { typedef unsigned char type; };
template <class Hal_T> struct hal_unsigned_of<Hal_T, 2> { typedef unsigned short type; };
template <class Hal_T> struct hal_unsigned_of<Hal_T, 4> { typedef unsigned type; };
template <> struct hal_unsigned_of<long, 8> { typedef unsigned long type; };
template <> struct hal_unsigned_of<unsigned long, 8> { typedef unsigned long type; };
template <class Hal_T> struct make_unsigned : hal_unsigned_of<remove_cv_t<Hal_T>> {};
template <class Hal_T> struct hal_signed_of { typedef long long type; };
template <> struct hal_signed_of<unsigned char> { typedef signed char type; };
template <> struct hal_signed_of<unsigned short> { typedef short type; };
template <> struct hal_signed_of<unsigned> { typedef int type; };
template <> struct hal_signed_of<unsigned long> { typedef long type; };
template <class Hal_T> struct make_signed : hal_signed_of<typename make_unsigned<Hal_T>::type> {};
template <class Hal_T> using make_unsigned_t = typename make_unsigned<Hal_T>::type;
template <class Hal_T> using make_signed_t = typename make_signed<Hal_T>::type;

#define HAL_TRAIT(name) \
  template <class Hal_T> inline constexpr bool name##_v = name<Hal_T>::value;
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
template <class Hal_A, class Hal_B> inline constexpr bool is_same_v = is_same<Hal_A, Hal_B>::value;
template <class Hal_A, class Hal_B> inline constexpr bool is_base_of_v = is_base_of<Hal_A, Hal_B>::value;
template <class Hal_A, class Hal_B> inline constexpr bool is_convertible_v = is_convertible<Hal_A, Hal_B>::value;
template <class Hal_F, class... Hal_A> inline constexpr bool is_invocable_v = is_invocable<Hal_F, Hal_A...>::value;
template <class... Hal_B> inline constexpr bool conjunction_v = conjunction<Hal_B...>::value;
template <class... Hal_B> inline constexpr bool disjunction_v = disjunction<Hal_B...>::value;
template <class Hal_B> inline constexpr bool negation_v = negation<Hal_B>::value;

// <utility>

template <class Hal_T> HAL_ANYWHERE remove_reference_t<Hal_T>&& move(Hal_T&& x) noexcept { return static_cast<remove_reference_t<Hal_T>&&>(x); }
template <class Hal_T> HAL_ANYWHERE Hal_T&& forward(remove_reference_t<Hal_T>& x) noexcept { return static_cast<Hal_T&&>(x); }
template <class Hal_T> HAL_ANYWHERE Hal_T&& forward(remove_reference_t<Hal_T>&& x) noexcept { return static_cast<Hal_T&&>(x); }
template <class Hal_T> HAL_ANYWHERE void swap(Hal_T& a, Hal_T& b) {
  Hal_T kept = move(a);
  a = move(b);
  b = move(kept);
}
template <class Hal_T, class Hal_U = Hal_T> HAL_ANYWHERE Hal_T exchange(Hal_T& at, Hal_U&& value) {
  Hal_T kept = move(at);
  at = forward<Hal_U>(value);
  return kept;
}
template <class Hal_A, class Hal_B> struct pair {
  Hal_A first;
  Hal_B second;
  HAL_ANYWHERE pair() : first(), second() {}
  HAL_ANYWHERE pair(const Hal_A& a, const Hal_B& b) : first(a), second(b) {}
};
template <class Hal_A, class Hal_B> HAL_ANYWHERE pair<decay_t<Hal_A>, decay_t<Hal_B>> make_pair(Hal_A&& a, Hal_B&& b) {
  return pair<decay_t<Hal_A>, decay_t<Hal_B>>(forward<Hal_A>(a), forward<Hal_B>(b));
}
template <class Hal_T, Hal_T...> struct integer_sequence {};
template <size_t... Hal_I> using index_sequence = integer_sequence<size_t, Hal_I...>;
template <class Hal_T, size_t Hal_N, Hal_T... Hal_I> struct hal_sequence : hal_sequence<Hal_T, Hal_N - 1, (Hal_T)(Hal_N - 1), Hal_I...> {};
template <class Hal_T, Hal_T... Hal_I> struct hal_sequence<Hal_T, 0, Hal_I...> { typedef integer_sequence<Hal_T, Hal_I...> type; };
template <class Hal_T, Hal_T Hal_N> using make_integer_sequence = typename hal_sequence<Hal_T, (size_t)Hal_N>::type;
template <size_t Hal_N> using make_index_sequence = typename hal_sequence<size_t, Hal_N>::type;

// <algorithm>

template <class Hal_T> HAL_ANYWHERE const Hal_T& min(const Hal_T& a, const Hal_T& b) { return b < a ? b : a; }
template <class Hal_T> HAL_ANYWHERE const Hal_T& max(const Hal_T& a, const Hal_T& b) { return a < b ? b : a; }
template <class Hal_T, class Hal_F> HAL_ANYWHERE const Hal_T& min(const Hal_T& a, const Hal_T& b, Hal_F less) { return less(b, a) ? b : a; }
template <class Hal_T, class Hal_F> HAL_ANYWHERE const Hal_T& max(const Hal_T& a, const Hal_T& b, Hal_F less) { return less(a, b) ? b : a; }
template <class Hal_T> HAL_ANYWHERE const Hal_T& clamp(const Hal_T& x, const Hal_T& low, const Hal_T& high) { return x < low ? low : high < x ? high : x; }
template <class Hal_I, class Hal_T> HAL_ANYWHERE void fill(Hal_I from, Hal_I to, const Hal_T& value) {
  for (; from != to; ++from) *from = value;
}

// <limits>

enum float_round_style { round_toward_zero = 0, round_to_nearest = 1 };
struct hal_no_limits {
  static constexpr bool is_specialized = false, is_signed = false, is_integer = false, is_exact = false, is_bounded = false,
                        has_infinity = false, has_quiet_NaN = false, is_iec559 = false, is_modulo = false;
  static constexpr int digits = 0, digits10 = 0, max_digits10 = 0, radix = 0, min_exponent = 0, max_exponent = 0;
};
template <class Hal_T> struct hal_limits : hal_no_limits {};
template <class Hal_T, Hal_T Least, Hal_T Most, int Digits> struct hal_integer_limits : hal_no_limits {
  static constexpr bool is_specialized = true, is_signed = Least != 0, is_integer = true, is_exact = true, is_bounded = true,
                        is_modulo = Least == 0 && Digits > 1;
  static constexpr int digits = Digits, digits10 = Digits * 30103ll / 100000, radix = 2;
  static HAL_ANYWHERE Hal_T min() noexcept { return Least; }
  static HAL_ANYWHERE Hal_T max() noexcept { return Most; }
  static HAL_ANYWHERE Hal_T lowest() noexcept { return Least; }
  static HAL_ANYWHERE Hal_T epsilon() noexcept { return 0; }
  static HAL_ANYWHERE Hal_T infinity() noexcept { return 0; }
  static HAL_ANYWHERE Hal_T quiet_NaN() noexcept { return 0; }
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
template <class Hal_T> struct numeric_limits : hal_limits<remove_cv_t<Hal_T>> {};

// <array> and <span>

template <class Hal_T, size_t Hal_N> struct array {
  typedef Hal_T value_type;
  typedef size_t size_type;
  typedef Hal_T* iterator;
  typedef const Hal_T* const_iterator;
  Hal_T hal_elements[Hal_N > 0 ? Hal_N : 1];
  HAL_ANYWHERE Hal_T& operator[](size_t i) { return hal_elements[i]; }
  HAL_ANYWHERE const Hal_T& operator[](size_t i) const { return hal_elements[i]; }
  HAL_ANYWHERE Hal_T& front() { return hal_elements[0]; }
  HAL_ANYWHERE const Hal_T& front() const { return hal_elements[0]; }
  HAL_ANYWHERE Hal_T& back() { return hal_elements[Hal_N - 1]; }
  HAL_ANYWHERE const Hal_T& back() const { return hal_elements[Hal_N - 1]; }
  HAL_ANYWHERE Hal_T* data() { return hal_elements; }
  HAL_ANYWHERE const Hal_T* data() const { return hal_elements; }
  HAL_ANYWHERE Hal_T* begin() { return hal_elements; }
  HAL_ANYWHERE const Hal_T* begin() const { return hal_elements; }
  HAL_ANYWHERE Hal_T* end() { return hal_elements + Hal_N; }
  HAL_ANYWHERE const Hal_T* end() const { return hal_elements + Hal_N; }
  HAL_ANYWHERE size_t size() const { return Hal_N; }
  HAL_ANYWHERE bool empty() const { return Hal_N == 0; }
  HAL_ANYWHERE void fill(const Hal_T& value) {
    for (size_t i = 0; i < Hal_N; i++) hal_elements[i] = value;
  }
};
template <class Hal_T, class... Hal_U> HAL_DECLARED array(Hal_T, Hal_U...) -> array<Hal_T, 1 + sizeof...(Hal_U)>;
template <size_t Hal_I, class Hal_T, size_t Hal_N> HAL_ANYWHERE Hal_T& get(array<Hal_T, Hal_N>& all) { return all[Hal_I]; }
template <size_t Hal_I, class Hal_T, size_t Hal_N> HAL_ANYWHERE const Hal_T& get(const array<Hal_T, Hal_N>& all) { return all[Hal_I]; }
#if __cplusplus >= 202002L
inline constexpr size_t dynamic_extent = ~(size_t)0;
template <class Hal_T, size_t Extent = dynamic_extent> class span {
  Hal_T* hal_at = nullptr;
  size_t hal_length = Extent == dynamic_extent ? 0 : Extent;

 public:
  typedef Hal_T element_type;
  typedef remove_cv_t<Hal_T> value_type;
  typedef Hal_T* iterator;
  static constexpr size_t extent = Extent;
  constexpr span() = default;
  HAL_ANYWHERE span(Hal_T* at, size_t length) : hal_at(at), hal_length(length) {}
  HAL_ANYWHERE span(Hal_T* at, Hal_T* end) : hal_at(at), hal_length((size_t)(end - at)) {}
  template <size_t Hal_N> HAL_ANYWHERE span(Hal_T (&all)[Hal_N]) : hal_at(all), hal_length(Hal_N) {}
  template <class Hal_U, size_t Hal_N> HAL_ANYWHERE span(array<Hal_U, Hal_N>& all) : hal_at(all.data()), hal_length(Hal_N) {}
  template <class Hal_U, size_t Hal_N> HAL_ANYWHERE span(const array<Hal_U, Hal_N>& all) : hal_at(all.data()), hal_length(Hal_N) {}
  template <class Hal_U, size_t Hal_N> HAL_ANYWHERE span(const span<Hal_U, Hal_N>& other) : hal_at(other.data()), hal_length(other.size()) {}
  HAL_ANYWHERE Hal_T& operator[](size_t i) const { return hal_at[i]; }
  HAL_ANYWHERE Hal_T& front() const { return hal_at[0]; }
  HAL_ANYWHERE Hal_T& back() const { return hal_at[hal_length - 1]; }
  HAL_ANYWHERE Hal_T* data() const { return hal_at; }
  HAL_ANYWHERE Hal_T* begin() const { return hal_at; }
  HAL_ANYWHERE Hal_T* end() const { return hal_at + hal_length; }
  HAL_ANYWHERE size_t size() const { return hal_length; }
  HAL_ANYWHERE size_t size_bytes() const { return hal_length * sizeof(Hal_T); }
  HAL_ANYWHERE bool empty() const { return hal_length == 0; }
  HAL_ANYWHERE span<Hal_T> subspan(size_t from, size_t count = dynamic_extent) const {
    return span<Hal_T>(hal_at + from, count == dynamic_extent ? hal_length - from : count);
  }
  HAL_ANYWHERE span<Hal_T> first(size_t count) const { return span<Hal_T>(hal_at, count); }
  HAL_ANYWHERE span<Hal_T> last(size_t count) const { return span<Hal_T>(hal_at + (hal_length - count), count); }
};
template <class Hal_T, size_t Hal_N> HAL_DECLARED span(Hal_T (&)[Hal_N]) -> span<Hal_T, Hal_N>;
template <class Hal_T, size_t Hal_N> HAL_DECLARED span(array<Hal_T, Hal_N>&) -> span<Hal_T, Hal_N>;
template <class Hal_T, size_t Hal_N> HAL_DECLARED span(const array<Hal_T, Hal_N>&) -> span<const Hal_T, Hal_N>;
template <class Hal_T> HAL_DECLARED span(Hal_T*, size_t) -> span<Hal_T>;
#endif
}  // namespace std
#endif
