// SPDX-License-Identifier: Apache-2.0
// Modules, functions and launches.
#include "hip_face.h"

HIP hipModuleLoadData(gs_handle* module, const void* image) {
  GS_CALL(GS_DEVICE)
  NOT_NULL(module);
  int code = gs_module_load(frame.context, image, HIP_ARCHITECTURE, module, NULL, 0);
  return code == GS_INVALID_TEXT ? GS_INVALID_IMAGE : code;  // no text is ever compiled here
}

HIP hipModuleUnload(gs_handle module) { RELEASE(gs_module_unload(module)); }

// A workgroup may use all of the shared memory without asking for it.
HIP hipModuleGetFunction(gs_handle* function, gs_handle module, const char* name) {
  GS_CALL(GS_DEVICE)
  NOT_NULL(function);
  int code = gs_module_function(module, name, function);
  gs_function_info info;
  if (!code) code = gs_function_info_of(*function, &info);
  return code ? code : gs_function_max_dynamic_shared(*function, HIP_LDS - (int)info.static_shared);
}

HIP hipModuleGetGlobal(uint64_t* address, size_t* size, gs_handle module, const char* name) {
  GS_CALL(GS_DEVICE)
  return gs_module_global(module, name, address, size);
}

HIP hipFuncGetAttribute(int* value, int attribute, gs_handle function) {
  GS_CALL(GS_DEVICE)
  NOT_NULL(value);
  gs_function_info info;
  int code = gs_function_info_of(function, &info);
  if (code) return code;
  switch (attribute) {
    case 0: *value = GS_MAX_THREADS; break;
    case 1: *value = (int)info.static_shared; break;
    case 4: *value = 32; break;  // registers
    case 8: *value = (int)info.max_dynamic_shared; break;
    default:
      if (attribute < 0 || attribute > 9) return GS_INVALID_VALUE;
      *value = 0;
  }
  return GS_OK;
}

// The list of packed arguments has all its words, in order.
enum { PACKED_BUFFER = 1, PACKED_SIZE = 2, PACKED_END = 3 };

int hip_packed(void** arguments, void** extra, const void** packed, size_t* size) {
  *packed = NULL;
  *size = 0;
  if (!extra) return GS_OK;
  if (arguments || extra[0] != (void*)PACKED_BUFFER || extra[2] != (void*)PACKED_SIZE ||
      extra[4] != (void*)PACKED_END) {
    return GS_INVALID_VALUE;
  }
  *packed = extra[1];
  *size = *(size_t*)extra[3];
  return GS_OK;
}

HIP hipModuleLaunchKernel(gs_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared, gs_handle stream, void** arguments,
                          void** extra) {
  GS_CALL(GS_DEVICE)
  const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
  const void* packed;
  size_t packed_size;
  int code = hip_packed(arguments, extra, &packed, &packed_size);
  if (code) return code;
  return gs_launch(frame.context, function, grid, block, shared, stream, arguments, packed, packed_size);
}

HIP hipModuleLaunchCooperativeKernel(gs_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                     gs_handle stream, void** arguments) {
  GS_CALL(GS_DEVICE)
  const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
  return gs_launch_cooperative(frame.context, function, grid, block, shared, stream, arguments);
}

HIP hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, gs_handle function, int threads, size_t shared) {
  GS_CALL(GS_DEVICE)
  NOT_NULL(blocks);
  return gs_occupancy(function, threads, shared, blocks);
}
