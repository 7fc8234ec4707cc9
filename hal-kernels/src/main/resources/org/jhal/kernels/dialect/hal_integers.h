// SPDX-License-Identifier: Apache-2.0
// Integers by their sizes.
#ifndef HAL_INTEGERS_H
#define HAL_INTEGERS_H
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
#if defined(_WIN32) || defined(HAL_HIP) && !defined(HAL_HOST)
typedef long long int64_t;  // a compiler that has these types has them like this
typedef unsigned long long uint64_t;
#else
typedef long int64_t;
typedef unsigned long uint64_t;
#endif
#ifdef _WIN32
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
#else
typedef long intptr_t;
typedef unsigned long uintptr_t;
#endif
#endif
