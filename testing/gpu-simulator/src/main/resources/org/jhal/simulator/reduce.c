// SPDX-License-Identifier: Apache-2.0
// What collectives compute: always in the order of the ranks. The result is made apart and then goes to the targets, so
// that they may be the sources.
#include <stdlib.h>
#include <string.h>

#include "collective.h"

static float from_f16(uint16_t bits) {
  uint32_t sign = (uint32_t)(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 0x3FF;
  float value;
  if (exponent == 0) {
    value = (float)fraction * 0x1p-24f;
    return sign ? -value : value;
  }
  uint32_t word = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
  memcpy(&value, &word, sizeof value);
  return value;
}

// The upper bits of a word, rounded to the nearest, to even where two are near.
static uint32_t rounded(uint32_t word, unsigned lost) {
  return (word + (1u << (lost - 1)) - 1 + (word >> lost & 1)) >> lost;
}

static uint16_t to_f16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  uint32_t sign = word >> 16 & 0x8000, rest = word & 0x7FFFFFFF;
  if (rest > 0x7F800000) return (uint16_t)(sign | 0x7E00);
  if (rest >= 0x47800000) return (uint16_t)(sign | 0x7C00);
  if (rest >= 0x38800000) return (uint16_t)(sign | rounded(rest - 0x38000000, 13));
  if (rest < 0x33000000) return (uint16_t)sign;
  return (uint16_t)(sign | rounded((rest & 0x7FFFFF) | 0x800000, 126 - (rest >> 23)));
}

static float from_bf16(uint16_t bits) {
  uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static uint16_t to_bf16(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  if ((word & 0x7FFFFFFF) > 0x7F800000) return (uint16_t)(word >> 16 | 0x40);
  return (uint16_t)rounded(word, 16);
}

#define SAME(x) (x)

// Sums and products of integers wrap, as those of WIDE do.
#define FOLD(T, WIDE, GET, PUT)                                                            \
  for (size_t i = 0; i < count; i++) {                                                     \
    WIDE all = (WIDE)GET(((const T*)from[0])[i]);                                          \
    for (int rank = 1; rank < ranks; rank++) {                                             \
      WIDE next = (WIDE)GET(((const T*)from[rank])[i]);                                    \
      switch (reduction) {                                                                 \
        case GS_PRODUCT: all *= next; break;                                               \
        case GS_MAX: all = next > all ? next : all; break;                                 \
        case GS_MIN: all = next < all ? next : all; break;                                 \
        default: all += next;                                                              \
      }                                                                                    \
    }                                                                                      \
    if (reduction == GS_AVERAGE) all /= (WIDE)ranks;                                       \
    ((T*)to)[i] = (T)PUT(all);                                                             \
  }                                                                                        \
  break

static void fold(int type, int reduction, const void** from, int ranks, size_t count, void* to) {
  switch (type) {
    case GS_I8: FOLD(int8_t, int32_t, SAME, SAME);
    case GS_U8: FOLD(uint8_t, uint32_t, SAME, SAME);
    case GS_I32: FOLD(int32_t, int32_t, SAME, SAME);
    case GS_U32: FOLD(uint32_t, uint32_t, SAME, SAME);
    case GS_I64: FOLD(int64_t, int64_t, SAME, SAME);
    case GS_U64: FOLD(uint64_t, uint64_t, SAME, SAME);
    case GS_F16: FOLD(uint16_t, float, from_f16, to_f16);
    case GS_F32: FOLD(float, float, SAME, SAME);
    case GS_F64: FOLD(double, double, SAME, SAME);
    case GS_BF16: FOLD(uint16_t, float, from_bf16, to_bf16);
  }
}

// Of all ranks, from an element of their sources on.
static void fold_from(gs_meeting* meeting, size_t first, size_t count, void* to) {
  const gs_call* call = meeting->call;
  const void* from[GS_MAX_DEVICES];
  for (int i = 0; i < meeting->members; i++) {
    from[i] = (const char*)meeting->call[i].from + first * gs_element_size(call->type);
  }
  fold(call->type, call->reduction, from, meeting->members, count, to);
}

static void put(const gs_call* call, const void* result) {
  if (gs_call_received(call)) memcpy((void*)call->to, result, gs_call_received(call));
}

static void compute(gs_meeting* meeting, char* result) {
  const gs_call* call = meeting->call;
  size_t count = call->count, bytes = count * gs_element_size(call->type);
  int members = meeting->members;
  switch (call->kind) {
    case GS_ALL_REDUCE:
    case GS_REDUCE: fold_from(meeting, 0, count, result); break;
    case GS_REDUCE_SCATTER: fold_from(meeting, 0, count * (size_t)members, result); break;
    case GS_BROADCAST: memcpy(result, (const void*)meeting->call[call->root].from, bytes); break;
    case GS_ALL_GATHER:
      for (int i = 0; i < members; i++) memcpy(result + (size_t)i * bytes, (const void*)meeting->call[i].from, bytes);
      break;
    default: memcpy(result, (const void*)call->from, bytes);  // of the send, for the receive
  }
  for (int i = 0; i < members; i++) {
    put(&meeting->call[i], call->kind == GS_REDUCE_SCATTER ? result + (size_t)i * bytes : result);
  }
}

int gs_meeting_compute(void* argument) {
  gs_meeting* meeting = argument;
  size_t bytes = meeting->call->count * gs_element_size(meeting->call->type) * (size_t)meeting->members;
  char* result = malloc(bytes);
  if (!result) return GS_OUT_OF_MEMORY;
  compute(meeting, result);
  free(result);
  return GS_OK;
}
