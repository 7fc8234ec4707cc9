// Launches: what is checked and copied at the call, and the operation in the stream.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

typedef struct {
  gs_op op;
  gs_function* function;
  gs_context* context;
  unsigned grid[3], block[3], shared;
  void** arguments;  // into values
  unsigned char values[];
} launch_op;

// Pointers among the arguments must not be to freed memory, nor to that of a device out of reach.
static int check_pointers(launch_op* op) {
  const gpusim_args* args = op->function->args;
  int code = GS_OK;
  for (unsigned i = 0; i < args->count; i++) {
    if (!args->arg[i].pointer) continue;
    uint64_t address;
    memcpy(&address, op->arguments[i], sizeof address);
    gs_block* block = gs_block_at(address);
    if (!block) continue;
    unsigned long long at = address;
    if (block->state == GS_FREED || block->state == GS_PENDING) {
      gs_misuse("argument %u of %s, %#llx, is in memory that %s", i, op->function->name, at,
                block->state == GS_FREED ? "was freed" : "is not allocated yet");
      code = GS_ILLEGAL_ADDRESS;
    } else if (block->kind == GS_DEVICE_MEMORY && block->device != op->context->device &&
               !(op->context->peers >> block->device & 1)) {
      gs_misuse("argument %u of %s, %#llx, is in memory of device %d, which device %d has no access to", i,
                op->function->name, at, block->device, op->context->device);
      code = GS_ILLEGAL_ADDRESS;
    }
  }
  return code;
}

static int launch_run(gs_op* o) {
  launch_op* op = (launch_op*)o;
  pthread_mutex_lock(&gs.lock);
  int code = check_pointers(op);
  pthread_mutex_unlock(&gs.lock);
  return code ? code : gs_grid_run(op->function->run, op->arguments, op->grid, op->block, op->shared);
}

static void launch_finish(gs_op* o) {
  launch_op* op = (launch_op*)o;
  op->function->module->launches--;
  gs_unref(&op->function->object);
  free(op->arguments);
}

static int check_shape(gs_function* function, const unsigned grid[3], const unsigned block[3], unsigned shared) {
  if (!grid[0] || !grid[1] || !grid[2] || !block[0] || !block[1] || !block[2]) return GS_INVALID_VALUE;
  if (grid[0] > INT32_MAX || grid[1] > 65535 || grid[2] > 65535) return GS_INVALID_VALUE;
  if (block[0] > 1024 || block[1] > 1024 || block[2] > 64) return GS_INVALID_VALUE;
  if ((uint64_t)block[0] * block[1] * block[2] > GS_MAX_THREADS) return GS_INVALID_VALUE;
  return shared > function->max_dynamic_shared ? GS_INVALID_VALUE : GS_OK;
}

int gs_launch(gs_context* context, gs_handle handle, const unsigned grid[3], const unsigned block[3], unsigned shared,
              gs_handle stream_handle, void** arguments, const void* packed, size_t packed_size) {
  gs_function* function = gs_find(handle, GS_FUNCTION);
  gs_stream* stream = gs_stream_find(stream_handle);
  if (!function || !stream) return GS_INVALID_HANDLE;
  if (stream->object.context != context || function->object.context != context) {
    gs_misuse("the function, the stream and the current context do not belong together");
    return GS_INVALID_HANDLE;
  }
  int code = check_shape(function, grid, block, shared);
  if (code) return code;
  const gpusim_args* args = function->args;
  unsigned total = args->arg[args->count].offset;
  if (packed && packed_size != total) return GS_OUT_OF_RESOURCES;
  if (args->count && !arguments && !packed) return GS_INVALID_VALUE;

  launch_op* op = calloc(1, sizeof *op + total + 16);
  op->op.what = "@kernel";
  op->op.run = launch_run;
  op->op.finish = launch_finish;
  op->function = function;
  op->context = context;
  memcpy(op->grid, grid, sizeof op->grid);
  memcpy(op->block, block, sizeof op->block);
  op->shared = shared;
  op->arguments = calloc(args->count + 1, sizeof *op->arguments);
  unsigned char* values = (unsigned char*)(((uintptr_t)op->values + 15) / 16 * 16);
  if (packed) memcpy(values, packed, total);
  for (unsigned i = 0; i < args->count; i++) {
    op->arguments[i] = values + args->arg[i].offset;
    if (!packed) memcpy(op->arguments[i], arguments[i], args->arg[i].size);
  }
  gs_ref(&function->object);
  function->module->launches++;
  return gs_enqueue(stream, &op->op);
}
