// SPDX-License-Identifier: Apache-2.0
// assert() for compilers that lack it.
#ifndef HAL_ASSERT_H
#define HAL_ASSERT_H
#ifndef assert
#ifdef HAL_HIP
#define HAL_TRAP() __builtin_trap()
#else
#define HAL_TRAP() __trap()
#endif
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) \
  ((condition) ? (void)0 : ((void)printf("%s:%d: '%s' is false\n", __FILE__, __LINE__, #condition), HAL_TRAP()))
#endif
#endif
#endif
