// SPDX-License-Identifier: Apache-2.0
// Copies and fills.
#include "cuda_face.h"

#define COPY(stream, to, to_side, from, from_side, size) \
  GS_CALL(GS_CURRENT)                                    \
  return gs_copy(frame.context, stream, (uint64_t)(to), to_side, (uint64_t)(from), from_side, size)

// Stream 0 is the default stream in a call that takes one, and no stream in one that does not.
#define COPY_ASYNC(stream, to, to_side, from, from_side, size) \
  COPY((stream) ? (stream) : 1, to, to_side, from, from_side, size)

CU cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t size) { COPY(0, to, GS_SIDE_ANY, from, GS_SIDE_ANY, size); }

CU cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t size, gs_handle stream) {
  COPY_ASYNC(stream, to, GS_SIDE_ANY, from, GS_SIDE_ANY, size);
}

CU cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t size) {
  COPY(0, to, GS_SIDE_DEVICE, from, GS_SIDE_HOST, size);
}

CU cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t size, gs_handle stream) {
  COPY_ASYNC(stream, to, GS_SIDE_DEVICE, from, GS_SIDE_HOST, size);
}

CU cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t size) {
  COPY(0, to, GS_SIDE_HOST, from, GS_SIDE_DEVICE, size);
}

CU cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t size, gs_handle stream) {
  COPY_ASYNC(stream, to, GS_SIDE_HOST, from, GS_SIDE_DEVICE, size);
}

CU cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t size) {
  COPY(0, to, GS_SIDE_DEVICE, from, GS_SIDE_DEVICE, size);
}

CU cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, gs_handle stream) {
  COPY_ASYNC(stream, to, GS_SIDE_DEVICE, from, GS_SIDE_DEVICE, size);
}

#define PEER(to_context, from_context, copy)                                                        \
  GS_CALL(GS_CURRENT)                                                                               \
  if (!gs_context_find(to_context) || !gs_context_find(from_context)) return GS_INVALID_CONTEXT;    \
  return copy

CU cuMemcpyPeer(CUdeviceptr to, gs_handle to_context, CUdeviceptr from, gs_handle from_context, size_t size) {
  PEER(to_context, from_context, gs_copy(frame.context, 0, to, GS_SIDE_DEVICE, from, GS_SIDE_DEVICE, size));
}

CU cuMemcpyPeerAsync(CUdeviceptr to, gs_handle to_context, CUdeviceptr from, gs_handle from_context, size_t size,
                     gs_handle stream) {
  PEER(to_context, from_context,
       gs_copy(frame.context, stream ? stream : 1, to, GS_SIDE_DEVICE, from, GS_SIDE_DEVICE, size));
}

#define FILL(stream, to, pattern, width, count) \
  GS_CALL(GS_CURRENT)                           \
  return gs_fill(frame.context, stream, to, pattern, width, count)

CU cuMemsetD8_v2(CUdeviceptr to, uint8_t pattern, size_t count) { FILL(0, to, pattern, 1, count); }
CU cuMemsetD16_v2(CUdeviceptr to, uint16_t pattern, size_t count) { FILL(0, to, pattern, 2, count); }
CU cuMemsetD32_v2(CUdeviceptr to, uint32_t pattern, size_t count) { FILL(0, to, pattern, 4, count); }

CU cuMemsetD8Async(CUdeviceptr to, uint8_t pattern, size_t count, gs_handle stream) {
  FILL(stream ? stream : 1, to, pattern, 1, count);
}

CU cuMemsetD16Async(CUdeviceptr to, uint16_t pattern, size_t count, gs_handle stream) {
  FILL(stream ? stream : 1, to, pattern, 2, count);
}

CU cuMemsetD32Async(CUdeviceptr to, uint32_t pattern, size_t count, gs_handle stream) {
  FILL(stream ? stream : 1, to, pattern, 4, count);
}
