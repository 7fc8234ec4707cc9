// SPDX-License-Identifier: Apache-2.0
// Modules, functions and launches.
#include "cuda_face.h"

// Options of the run-time linker that are answered.
enum { INFO_LOG = 3, INFO_LOG_SIZE = 4, ERROR_LOG = 5, ERROR_LOG_SIZE = 6 };

CU cuModuleLoadDataEx(gs_handle* module, const void* image, unsigned count, int* options, void** values) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(module);
  char text[512];
  int code = gs_module_load(frame.context, image, NULL, module, text, sizeof text);
  char *info = NULL, *error = NULL;
  for (unsigned i = 0; i < count; i++) {
    if (options[i] == INFO_LOG) info = values[i];
    if (options[i] == ERROR_LOG) error = values[i];
  }
  for (unsigned i = 0; i < count; i++) {
    if (options[i] != INFO_LOG_SIZE && options[i] != ERROR_LOG_SIZE) continue;
    char* buffer = options[i] == INFO_LOG_SIZE ? info : error;
    size_t size = (size_t)values[i] & 0xFFFFFFFF;
    if (!buffer || !size) continue;
    snprintf(buffer, size, "%s", buffer == error ? text : "");
    values[i] = (void*)strlen(buffer);  // how much of it was used
  }
  return code;
}

CU cuModuleLoadData(gs_handle* module, const void* image) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(module);
  return gs_module_load(frame.context, image, NULL, module, NULL, 0);
}

CU cuModuleLoadFatBinary(gs_handle* module, const void* image) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(module);
  return gs_module_load(frame.context, image, NULL, module, NULL, 0);
}

CU cuModuleUnload(gs_handle module) { RELEASE(gs_module_unload(module)); }

CU cuModuleGetFunction(gs_handle* function, gs_handle module, const char* name) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(function);
  return gs_module_function(module, name, function);
}

CU cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* size, gs_handle module, const char* name) {
  GS_CALL(GS_CURRENT)
  return gs_module_global(module, name, address, size);
}

// ---- functions ----

CU cuFuncGetAttribute(int* value, int attribute, gs_handle function) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(value);
  gs_function_info info;
  int code = gs_function_info_of(function, &info);
  if (code) return code;
  switch (attribute) {
    case 0: *value = GS_MAX_THREADS; break;
    case 1: *value = (int)info.static_shared; break;
    case 2: *value = 0; break;   // constant memory
    case 3: *value = 0; break;   // local memory
    case 4: *value = 32; break;  // registers
    case 5: *value = 90; break;  // virtual architecture
    case 6: *value = 90; break;  // architecture
    case 7: *value = 0; break;   // cache mode
    case 8: *value = (int)info.max_dynamic_shared; break;
    case 9: *value = -1; break;  // carve-out
    default:
      if (attribute < 0 || attribute > 15) return GS_INVALID_VALUE;
      *value = 0;
  }
  return GS_OK;
}

CU cuFuncSetAttribute(gs_handle function, int attribute, int value) {
  GS_CALL(GS_CURRENT)
  gs_function_info info;
  if (attribute == 8) return gs_function_max_dynamic_shared(function, value);
  return attribute == 9 ? gs_function_info_of(function, &info) : GS_INVALID_VALUE;
}

CU cuFuncGetParamInfo(gs_handle function, size_t index, size_t* offset, size_t* size) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(offset);
  return gs_function_parameter(function, index > 4096 ? 4096 : (unsigned)index, offset, size);
}

CU cuFuncGetModule(gs_handle* module, gs_handle function) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(module);
  return gs_function_module(function, module);
}

// ---- launches ----

enum { PACKED_END, PACKED_BUFFER, PACKED_SIZE };

int cuda_packed(void** arguments, void** extra, const void** packed, size_t* size) {
  *packed = NULL;
  *size = 0;
  if (arguments && extra) return GS_INVALID_VALUE;
  for (void** at = extra; at && *at != (void*)PACKED_END; at += 2) {
    if (*at == (void*)PACKED_BUFFER) {
      *packed = at[1];
    } else if (*at == (void*)PACKED_SIZE) {
      *size = *(size_t*)at[1];
    } else {
      return GS_INVALID_VALUE;
    }
  }
  return GS_OK;
}

CU cuLaunchKernel(gs_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared, gs_handle stream, void** arguments,
                  void** extra) {
  GS_CALL(GS_CURRENT)
  const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
  const void* packed;
  size_t packed_size;
  int code = cuda_packed(arguments, extra, &packed, &packed_size);
  if (code) return code;
  return gs_launch(frame.context, function, grid, block, shared, stream, arguments, packed, packed_size);
}

CU cuLaunchCooperativeKernel(gs_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                             unsigned block_y, unsigned block_z, unsigned shared, gs_handle stream, void** arguments) {
  GS_CALL(GS_CURRENT)
  const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
  return gs_launch_cooperative(frame.context, function, grid, block, shared, stream, arguments);
}

CU cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, gs_handle function, int threads, size_t shared) {
  GS_CALL(GS_CURRENT)
  NOT_NULL(blocks);
  return gs_occupancy(function, threads, shared, blocks);
}
