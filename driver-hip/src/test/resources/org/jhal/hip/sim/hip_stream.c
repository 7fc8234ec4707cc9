// SPDX-License-Identifier: Apache-2.0
// Streams and events. One that was destroyed is a misuse; from ROCm 7 on a real runtime crashes.
#include "hip_face.h"

HIP hipStreamCreateWithFlags(gs_handle* stream, unsigned flags) {
  GS_CALL(GS_DEVICE)
  NOT_NULL(stream);
  return gs_stream_create(frame.context, flags, 0, stream);
}

HIP hipStreamCreateWithPriority(gs_handle* stream, unsigned flags, int priority) {
  GS_CALL(GS_DEVICE)
  NOT_NULL(stream);
  return gs_stream_create(frame.context, flags, priority > 1 ? 1 : priority < -1 ? -1 : priority, stream);
}

HIP hipExtStreamCreateWithCUMask(gs_handle* stream, unsigned words, const unsigned* mask) {
  GS_CALL(GS_DEVICE)
  NOT_NULL(stream);
  if (!words || !mask) return GS_INVALID_VALUE;
  uint64_t units = mask[0] | (words > 1 ? (uint64_t)mask[1] << 32 : 0);
  if (!units) return GS_INVALID_VALUE;
  int code = gs_stream_create(frame.context, 0, 0, stream);
  return code ? code : gs_stream_place(*stream, units);
}

HIP hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  GS_CALL(GS_DEVICE)
  if (least) *least = 1;
  if (greatest) *greatest = -1;
  return GS_OK;
}

HIP hipStreamDestroy(gs_handle stream) { RELEASE(gs_stream_destroy(stream)); }

HIP hipStreamSynchronize(gs_handle stream) {
  GS_CALL(GS_DEVICE)
  return gs_stream_synchronize(stream);
}

HIP hipStreamQuery(gs_handle stream) {
  GS_CALL(GS_DEVICE)
  return gs_stream_query(stream);
}

HIP hipStreamWaitEvent(gs_handle stream, gs_handle event, unsigned flags) {
  GS_CALL(GS_DEVICE)
  return flags ? GS_INVALID_VALUE : gs_stream_wait_event(stream, event);
}

HIP hipStreamWaitValue32(gs_handle stream, hipDeviceptr_t address, uint32_t value, unsigned flags, uint32_t mask) {
  GS_CALL(GS_DEVICE)
  if (flags > GS_NOR || mask != 0xFFFFFFFFu) return GS_INVALID_VALUE;
  return gs_stream_wait_value(stream, address, value, 4, (enum gs_compare)flags);
}

// ---- events ----

enum {
  EVENT_DISABLE_TIMING = 2,
  EVENT_INTERPROCESS = 4,
  EVENT_FLAGS = 7,
  EVENT_HIGH_FLAGS = 0x20000000 | 0x40000000 | (int)0x80000000,  // how memory is made visible
};

HIP hipEventCreateWithFlags(gs_handle* event, unsigned flags) {
  GS_CALL(GS_DEVICE)
  NOT_NULL(event);
  if (flags & ~(unsigned)(EVENT_FLAGS | EVENT_HIGH_FLAGS)) return GS_INVALID_VALUE;
  if (flags & EVENT_INTERPROCESS && !(flags & EVENT_DISABLE_TIMING)) return GS_INVALID_VALUE;
  return gs_event_create(frame.context, flags & EVENT_DISABLE_TIMING ? GS_EVENT_NO_TIMING : 0, event);
}

HIP hipEventDestroy(gs_handle event) { RELEASE(gs_event_destroy(event)); }

HIP hipEventRecord(gs_handle event, gs_handle stream) {
  GS_CALL(GS_DEVICE)
  return gs_event_record(event, stream);
}

HIP hipEventQuery(gs_handle event) {
  GS_CALL(GS_DEVICE)
  return gs_event_query(event);
}

HIP hipEventElapsedTime(float* milliseconds, gs_handle from, gs_handle to) {
  GS_CALL(GS_DEVICE)
  NOT_NULL(milliseconds);
  return gs_event_elapsed(from, to, milliseconds);
}

HIP hipEventSynchronize(gs_handle event) {
  GS_CALL(GS_DEVICE)
  return gs_event_synchronize(event);
}
