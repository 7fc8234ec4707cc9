// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#include "cuda_face.h"

CU cuStreamCreateWithPriority(gs_handle* stream, unsigned flags, int priority) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(stream);
  return gs_stream_create(frame.context, flags, priority > 0 ? 0 : priority < -5 ? -5 : priority, stream);
}

CU cuStreamCreate(gs_handle* stream, unsigned flags) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(stream);
  return gs_stream_create(frame.context, flags, 0, stream);
}

CU cuStreamDestroy_v2(gs_handle stream) { RELEASE(gs_stream_destroy(stream)); }

CU cuStreamSynchronize(gs_handle stream) {
  GS_CALL(GS_CURRENT)
  return gs_stream_synchronize(stream);
}

CU cuStreamQuery(gs_handle stream) {
  GS_CALL(GS_CURRENT)
  return gs_stream_query(stream);
}

CU cuStreamGetFlags(gs_handle stream, unsigned* flags) {
  GS_CALL(GS_CURRENT)
  return gs_stream_info(stream, flags, NULL, NULL);
}

CU cuStreamGetPriority(gs_handle stream, int* priority) {
  GS_CALL(GS_CURRENT)
  return gs_stream_info(stream, NULL, priority, NULL);
}

CU cuStreamGetCtx(gs_handle stream, gs_handle* context) {
  GS_CALL(GS_CURRENT)
  return gs_stream_info(stream, NULL, NULL, context);
}

CU cuStreamIsCapturing(gs_handle stream, int* status) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(status);
  return gs_stream_is_capturing(stream, status);
}

CU cuStreamWaitEvent(gs_handle stream, gs_handle event, unsigned flags) {
  GS_CALL(GS_CURRENT)
  return flags ? GS_INVALID_VALUE : gs_stream_wait_event(stream, event);
}

CU cuLaunchHostFunc(gs_handle stream, void (*function)(void*), void* data) {
  GS_CALL(GS_CURRENT)
  return gs_stream_host_function(stream, function, data);
}

CU cuStreamWaitValue32_v2(gs_handle stream, CUdeviceptr address, uint32_t value, unsigned flags) {
  GS_CALL(GS_CURRENT)
  return flags > GS_NOR ? GS_INVALID_VALUE : gs_stream_wait_value(stream, address, value, 4, (enum gs_compare)flags);
}

CU cuStreamWaitValue64_v2(gs_handle stream, CUdeviceptr address, uint64_t value, unsigned flags) {
  GS_CALL(GS_CURRENT)
  return flags > GS_NOR ? GS_INVALID_VALUE : gs_stream_wait_value(stream, address, value, 8, (enum gs_compare)flags);
}

CU cuStreamWriteValue32_v2(gs_handle stream, CUdeviceptr address, uint32_t value, unsigned flags) {
  GS_CALL(GS_CURRENT)
  return flags ? GS_INVALID_VALUE : gs_stream_write_value(stream, address, value, 4);
}

CU cuStreamWriteValue64_v2(gs_handle stream, CUdeviceptr address, uint64_t value, unsigned flags) {
  GS_CALL(GS_CURRENT)
  return flags ? GS_INVALID_VALUE : gs_stream_write_value(stream, address, value, 8);
}

// ---- events ----

enum { EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4, EVENT_FLAGS = 7 };

CU cuEventCreate(gs_handle* event, unsigned flags) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(event);
  if (flags & ~(unsigned)EVENT_FLAGS) return GS_INVALID_VALUE;
  if (flags & EVENT_INTERPROCESS && !(flags & EVENT_DISABLE_TIMING)) return GS_INVALID_VALUE;
  return gs_event_create(frame.context, flags & EVENT_DISABLE_TIMING ? GS_EVENT_NO_TIMING : 0, event);
}

CU cuEventDestroy_v2(gs_handle event) { RELEASE(gs_event_destroy(event)); }

CU cuEventRecord(gs_handle event, gs_handle stream) {
  GS_CALL(GS_CURRENT)
  return gs_event_record(event, stream);
}

CU cuEventQuery(gs_handle event) {
  GS_CALL(GS_CURRENT)
  return gs_event_query(event);
}

CU cuEventSynchronize(gs_handle event) {
  GS_CALL(GS_CURRENT)
  return gs_event_synchronize(event);
}

CU cuEventElapsedTime(float* milliseconds, gs_handle from, gs_handle to) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(milliseconds);
  return gs_event_elapsed(from, to, milliseconds);
}
