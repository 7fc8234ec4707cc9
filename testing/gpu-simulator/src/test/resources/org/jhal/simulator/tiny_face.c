// SPDX-License-Identifier: Apache-2.0
// The smallest face there is: one device, and calls that each do a few things.
#include "gpusim.h"

GS_EXPORT int tinyOpen(uint64_t* stream) {
  GS_CALL(GS_NOTHING)
  gs_handle context;
  gs_initialise();
  int code = gs_primary_retain(0, &context);
  if (!code) code = gs_current_set(context);
  return code ? code : gs_stream_create(gs_context_find(context), GS_STREAM_NON_BLOCKING, 0, stream);
}

GS_EXPORT int tinyAlloc(uint64_t* address, size_t size) {
  GS_CALL(GS_CURRENT)
  return gs_memory_alloc(frame.context, address, size);
}

GS_EXPORT int tinyFree(uint64_t address) {
  GS_CALL(GS_RELEASE)
  int code = gs_memory_free(address);
  return frame.sticky ? frame.sticky : code;
}

GS_EXPORT int tinyWrite(uint64_t to, const void* from, size_t size) {
  GS_CALL(GS_CURRENT)
  return gs_copy(frame.context, 0, to, GS_SIDE_DEVICE, (uint64_t)from, GS_SIDE_HOST, size);
}

GS_EXPORT int tinyRead(void* to, uint64_t from, size_t size) {
  GS_CALL(GS_CURRENT)
  return gs_copy(frame.context, 0, (uint64_t)to, GS_SIDE_HOST, from, GS_SIDE_DEVICE, size);
}

GS_EXPORT int tinyFunction(uint64_t* function, const void* image, const char* name) {
  GS_CALL(GS_CURRENT)
  gs_handle module;
  char text[256];
  int code = gs_module_load(frame.context, image, NULL, &module, text, sizeof text);
  return code ? code : gs_module_function(module, name, function);
}

GS_EXPORT int tinyLaunch(uint64_t function, const unsigned* shape, unsigned shared, uint64_t stream, const void* packed,
                         size_t size) {
  GS_CALL(GS_CURRENT)
  return gs_launch(frame.context, function, shape, shape + 3, shared, stream, 0, packed, size);
}

GS_EXPORT int tinySync(uint64_t stream) {
  GS_CALL(GS_CURRENT)
  return gs_stream_synchronize(stream);
}
