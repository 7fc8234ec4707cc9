// SPDX-License-Identifier: Apache-2.0
// Kernels with their arguments: what is checked and copied when one is made, and how it runs.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

typedef struct {
  gs_work work;
  unsigned grid[3], block[3], shared;
  int is_cooperative;
  void** arguments;  // into values
  unsigned total;
  struct {
    void** arguments;
    const void* packed;
  } given;  // by the caller, if GS_GRAPHS_KEEP_POINTERS, else null
  unsigned char values[];
} kernel;

// Pointers among the arguments must not be to freed memory, nor to that of a device out of reach.
static int check(gs_work* work, int running) {
  if (!running) return GS_OK;
  kernel* k = (kernel*)work;
  gs_function* function = work->function;
  const gpusim_args* args = function->args;
  int code = GS_OK;
  for (unsigned i = 0; i < args->count; i++) {
    if (!args->arg[i].pointer) continue;
    uint64_t address;
    memcpy(&address, k->arguments[i], sizeof address);
    gs_block* block = gs_block_at(address);
    if (!block) continue;
    unsigned long long at = address;
    if (block->state == GS_FREED || block->state == GS_PENDING) {
      gs_misuse("argument %u of %s, %#llx, is in memory that %s", i, function->name, at,
                block->state == GS_FREED ? "was freed" : "is not allocated yet");
      code = GS_ILLEGAL_ADDRESS;
    } else if (!gs_reaches(work->context, block)) {
      gs_misuse("argument %u of %s, %#llx, is in memory of device %d, which device %d has no access to", i,
                function->name, at, block->device, work->context->device);
      code = GS_ILLEGAL_ADDRESS;
    }
  }
  return code;
}

static int run(gs_work* work) {
  kernel* k = (kernel*)work;
  if (k->is_cooperative) return gs_crew_run(work->function->run, k->arguments, k->grid, k->block, k->shared);
  return gs_grid_run(work->function->run, k->arguments, k->grid, k->block, k->shared);
}

static void destroy(gs_work* work) {
  gs_unref(&work->function->object);
  free(((kernel*)work)->arguments);
  free(work);
}

static int check_shape(gs_function* function, const unsigned grid[3], const unsigned block[3], unsigned shared) {
  if (!grid[0] || !grid[1] || !grid[2] || !block[0] || !block[1] || !block[2]) return GS_INVALID_VALUE;
  if (grid[0] > INT32_MAX || grid[1] > 65535 || grid[2] > 65535) return GS_INVALID_VALUE;
  if (block[0] > 1024 || block[1] > 1024 || block[2] > 64) return GS_INVALID_VALUE;
  if ((uint64_t)block[0] * block[1] * block[2] > GS_MAX_THREADS) return GS_INVALID_VALUE;
  return shared > function->max_dynamic_shared ? GS_INVALID_VALUE : GS_OK;
}

static kernel* make(gs_function* function, const unsigned grid[3], const unsigned block[3], unsigned shared) {
  const gpusim_args* args = function->args;
  unsigned total = args->arg[args->count].offset;
  kernel* k = calloc(1, sizeof *k + total + 16);
  k->work = (gs_work){.refs = 1,
                      .what = "@kernel",
                      .context = function->object.context,
                      .function = function,
                      .check = check,
                      .run = run,
                      .destroy = destroy};
  memcpy(k->grid, grid, sizeof k->grid);
  memcpy(k->block, block, sizeof k->block);
  k->shared = shared;
  k->total = total;
  k->arguments = calloc(args->count + 1, sizeof *k->arguments);
  unsigned char* values = (unsigned char*)(((uintptr_t)k->values + 15) / 16 * 16);
  for (unsigned i = 0; i < args->count; i++) k->arguments[i] = values + args->arg[i].offset;
  gs_ref(&function->object);
  return k;
}

static void read_values(kernel* k, void** arguments, const void* packed) {
  const gpusim_args* args = k->work.function->args;
  if (packed && args->count) memcpy(k->arguments[0] - args->arg[0].offset, packed, k->total);
  for (unsigned i = 0; i < args->count && !packed; i++) memcpy(k->arguments[i], arguments[i], args->arg[i].size);
}

int gs_work_kernel(gs_context* context, gs_handle handle, const unsigned grid[3], const unsigned block[3],
                   unsigned shared, void** arguments, const void* packed, size_t packed_size, gs_work** work) {
  gs_function* function = gs_find(handle, GS_FUNCTION);
  if (!function) return GS_INVALID_HANDLE;
  if (function->object.context != context) {
    gs_misuse("the function and the current context do not belong together");
    return GS_INVALID_HANDLE;
  }
  int code = check_shape(function, grid, block, shared);
  if (code) return code;
  const gpusim_args* args = function->args;
  if (packed && packed_size != args->arg[args->count].offset) return GS_OUT_OF_RESOURCES;
  if (args->count && !arguments && !packed) return GS_INVALID_VALUE;
  kernel* k = make(function, grid, block, shared);
  read_values(k, arguments, packed);
  if (gs.graph_faults & GS_GRAPHS_KEEP_POINTERS) {
    k->given.arguments = arguments;
    k->given.packed = packed;
  }
  *work = &k->work;
  return GS_OK;
}

static int read_given(void* argument) {
  kernel* k = argument;
  read_values(k, k->given.arguments, k->given.packed);
  return GS_OK;
}

int gs_work_again(gs_work* work, gs_work** again) {
  kernel* k = (kernel*)work;
  *again = NULL;
  int given = work->function && (k->given.arguments || k->given.packed);
  if (!given || !(gs.graph_faults & GS_GRAPHS_KEEP_POINTERS)) {
    *again = gs_work_ref(work);
    return GS_OK;
  }
  kernel* copy = make(work->function, k->grid, k->block, k->shared);
  copy->given = k->given;
  *again = &copy->work;
  return gs_guarded(read_given, copy);
}

int gs_launch(gs_context* context, gs_handle function, const unsigned grid[3], const unsigned block[3], unsigned shared,
              gs_handle stream_handle, void** arguments, const void* packed, size_t packed_size) {
  gs_stream* stream = gs_stream_of(context, stream_handle);
  if (!stream) return GS_INVALID_HANDLE;
  gs_work* work;
  int code = gs_work_kernel(context, function, grid, block, shared, arguments, packed, packed_size, &work);
  return code ? code : gs_work_enqueue(stream, work);
}

int gs_occupancy(gs_handle handle, int threads, size_t shared, int* blocks) {
  gs_function* function = gs_find(handle, GS_FUNCTION);
  if (!function) return GS_INVALID_HANDLE;
  if (threads <= 0) return GS_INVALID_VALUE;
  int fits = threads <= GS_MAX_THREADS && shared <= (size_t)function->max_dynamic_shared;
  *blocks = fits ? GS_BLOCKS : 0;
  return GS_OK;
}

int gs_launch_cooperative(gs_context* context, gs_handle function, const unsigned grid[3],
                          const unsigned block[3], unsigned shared, gs_handle stream_handle, void** arguments) {
  gs_stream* stream = gs_stream_of(context, stream_handle);
  if (!stream) return GS_INVALID_HANDLE;
  gs_work* work;
  int code = gs_work_kernel(context, function, grid, block, shared, arguments, NULL, 0, &work);
  if (code) return code;
  int most;
  code = gs_occupancy(function, (int)(block[0] * block[1] * block[2]), shared, &most);
  if (!code && (uint64_t)grid[0] * grid[1] * grid[2] > (uint64_t)most * GS_MULTIPROCESSORS) code = GS_TOO_LARGE;
  if (code) {
    gs_work_unref(work);
    return code;
  }
  ((kernel*)work)->is_cooperative = 1;
  return gs_work_enqueue(stream, work);
}
