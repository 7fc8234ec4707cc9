// SPDX-License-Identifier: Apache-2.0
// The core of the GPU simulator as its faces see it. A face exports the functions of one vendor's
// driver library and maps them to these; result codes are those that the vendors have in common.
#ifndef GPUSIM_H
#define GPUSIM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define GS_EXPORT __attribute__((visibility("default")))

enum gs_code {
  GS_OK = 0,
  GS_INVALID_VALUE = 1,
  GS_OUT_OF_MEMORY = 2,
  GS_NOT_INITIALIZED = 3,
  GS_NO_DEVICE = 100,
  GS_INVALID_DEVICE = 101,
  GS_INVALID_IMAGE = 200,
  GS_INVALID_CONTEXT = 201,
  GS_NO_BINARY_FOR_DEVICE = 209,
  GS_PEER_UNSUPPORTED = 217,
  GS_INVALID_TEXT = 218,
  GS_UNSUPPORTED_TEXT = 222,
  GS_INVALID_HANDLE = 400,
  GS_NOT_FOUND = 500,
  GS_NOT_READY = 600,
  GS_ILLEGAL_ADDRESS = 700,
  GS_OUT_OF_RESOURCES = 701,
  GS_PEER_ENABLED = 704,
  GS_PEER_NOT_ENABLED = 705,
  GS_CONTEXT_DESTROYED = 709,
  GS_ALREADY_REGISTERED = 712,
  GS_NOT_REGISTERED = 713,
  GS_LAUNCH_FAILED = 719,
  GS_TOO_LARGE = 720,  // a cooperative launch
  GS_NOT_SUPPORTED = 801,
};

enum {
  GS_MAX_DEVICES = 8,
  GS_MAX_THREADS = 1024,
  GS_MULTIPROCESSORS = 4,
  GS_BLOCKS = 16,  // of one of them, of whatever size
  GS_SHARED_DEFAULT = 48 << 10,
  GS_SHARED_OPT_IN = 227 << 10,
};

typedef uint64_t gs_handle;
typedef struct gs_context gs_context;

// ---- entering a function of the face ----

// What a function needs before it does anything.
enum gs_need {
  GS_NOTHING,   // may be called at any time
  GS_INIT,      // the library is initialised
  GS_CURRENT,   // a current context that is alive and well
  GS_RELEASE,   // a current context; does its work on a failed one too, and then returns its code
  GS_DEVICE,    // like GS_CURRENT, where threads have devices: the context is the device's primary one
  GS_DEVICE_RELEASE,  // likewise
};

// One per function; counts its calls and holds what was asked to go wrong there.
typedef struct gs_site gs_site;
struct gs_site {
  const char* name;
  gs_site* next;
  uint64_t calls;
  int registered;
};

typedef struct {
  gs_context* context;  // the current context, or null
  int sticky;           // the code of a failed context, for GS_RELEASE
  int locked;
  const char* outer;
} gs_frame;

// Begins a function: counts, delays, fails as asked, checks what is needed, takes the lock.
int gs_enter(gs_site* site, gs_frame* frame, enum gs_need need);
void gs_leave(gs_frame* frame);

#define GS_CALL(need) GS_CALL_ELSE(need, (void)0)

// The same, for a function that has an effect even if it fails.
#define GS_CALL_ELSE(need, effect)                          \
  static gs_site site_ = {__func__, 0, 0, 0};               \
  __attribute__((cleanup(gs_leave))) gs_frame frame = {0};  \
  {                                                         \
    int entered_ = gs_enter(&site_, &frame, need);          \
    if (entered_) {                                         \
      effect;                                               \
      return entered_;                                      \
    }                                                       \
  }

// Everything below is called between gs_enter and gs_leave, with the lock held; what waits lets
// the lock go meanwhile. Unless said otherwise the result is a gs_code.

void gs_misuse(const char* format, ...) __attribute__((format(printf, 1, 2)));

// ---- devices and contexts ----

void gs_initialise(void);
int gs_device_count(void);
int gs_driver_version(int otherwise);  // unless another one was asked for
void gs_device_name(char* text, size_t size, int device);
void gs_device_uuid(char bytes[16], int device);
void gs_gpu_uuid(char bytes[16], int device);  // of the GPU that the device is an instance of, or is
uint64_t gs_device_memory(void);
uint64_t gs_device_memory_free(int device);

int gs_primary_retain(int device, gs_handle* context);
int gs_primary_release(int device);
int gs_primary_reset(int device);
int gs_primary_active(int device);
int gs_context_create(int device, gs_handle* context);
int gs_context_destroy(gs_handle context);
int gs_context_synchronize(gs_context* context);
int gs_context_device(gs_context* context);
gs_handle gs_context_handle(gs_context* context);
gs_context* gs_context_find(gs_handle handle);

// Access of a device's context to the memory of another one.
int gs_peer_possible(int device, int peer);
int gs_peer_set(gs_context* context, int peer, int enable);

// The calling thread's stack of contexts; 0 means none.
int gs_current_set(gs_handle context);
int gs_current_push(gs_handle context);
int gs_current_pop(gs_handle* context);
gs_handle gs_current(void);

// The calling thread's device, where those are chosen and not contexts; 0 at first.
int gs_device_set(int device);
int gs_device_get(void);

// ---- memory ----

enum gs_memory_kind { GS_DEVICE_MEMORY, GS_HOST_MEMORY, GS_REGISTERED_MEMORY, GS_GLOBAL_MEMORY };

typedef struct {
  enum gs_memory_kind kind;
  uint64_t base, size, id;
  int device;
  unsigned flags;
  gs_handle context, pool;
} gs_memory_info;

int gs_memory_alloc(gs_context* context, uint64_t* address, size_t size);
int gs_memory_free(uint64_t address);
int gs_memory_alloc_async(gs_handle stream, gs_handle pool, uint64_t* address, size_t size);
int gs_memory_free_async(gs_handle stream, uint64_t address);
int gs_host_alloc(gs_context* context, void** address, size_t size, unsigned flags);
int gs_host_free(void* address);
// With again, what is registered already may be so again: under another address as one more registration, under the
// same one as the first, which stays.
int gs_host_register(gs_context* context, void* address, size_t size, unsigned flags, int again);
int gs_host_unregister(void* address);
int gs_memory_info_of(uint64_t address, gs_memory_info* info);

// The beginning of what the vendors call MemPoolProps, which is 88 bytes long.
typedef struct {
  int allocation, handles, location, device;
  void* security;
  size_t most;
} gs_pool_properties;

// The vendors' attributes of pools from 4 on; those before are about how memory is used again, which it never is.
enum gs_pool_value {
  GS_POOL_THRESHOLD = 4,
  GS_POOL_RESERVED,
  GS_POOL_RESERVED_HIGH,
  GS_POOL_USED,
  GS_POOL_USED_HIGH
};

int gs_pool_create(const gs_pool_properties* properties, gs_handle* pool);
int gs_pool_destroy(gs_handle pool);
int gs_pool_trim(gs_handle pool, uint64_t keep);
int gs_pool_get(gs_handle pool, int attribute, void* value);
int gs_pool_set(gs_handle pool, int attribute, const void* value);
int gs_pool_default(int device, gs_handle* pool);
int gs_pool_current(int device, gs_handle* pool);
int gs_pool_make_current(int device, gs_handle pool);

// What the vendors call MemAccessDesc: a device, and what it may do with a pool's memory.
typedef struct {
  int location, device, flags;
} gs_access;

int gs_pool_access(gs_handle pool, const gs_access* list, size_t count);

// One side of a copy: what the caller says that the address is.
enum gs_side { GS_SIDE_DEVICE, GS_SIDE_HOST, GS_SIDE_ANY };

// A stream of 0 means: wait for it here, as the calls without a stream do.
int gs_copy(gs_context* context, gs_handle stream, uint64_t to, enum gs_side to_side, uint64_t from,
            enum gs_side from_side, size_t size);
// Sets count units of width 1, 2 or 4 bytes.
int gs_fill(gs_context* context, gs_handle stream, uint64_t to, uint32_t pattern, int width, size_t count);

// ---- streams and events ----

enum { GS_STREAM_NON_BLOCKING = 1, GS_EVENT_NO_TIMING = 2 };

int gs_stream_create(gs_context* context, unsigned flags, int priority, gs_handle* stream);

// Parts of a device's compute units, each with one bit, and streams whose kernels run there.
int gs_place_create(gs_context* context, uint64_t units, gs_handle* place);
int gs_place_destroy(gs_handle place);
int gs_place_stream(gs_handle place, unsigned flags, int priority, gs_handle* stream);
int gs_stream_place(gs_handle stream, uint64_t units);  // the same for a stream that is there, without a place
int gs_is_place(gs_handle handle);
gs_context* gs_place_find(gs_handle place, uint64_t* units);  // null and a misuse, if there is none
int gs_stream_destroy(gs_handle stream);
int gs_stream_synchronize(gs_handle stream);
int gs_stream_query(gs_handle stream);
// Between the two, what collectives the stream is given becomes a graph. Nothing else can be captured.
int gs_stream_begin_capture(gs_context* context, gs_handle stream);
int gs_stream_end_capture(gs_context* context, gs_handle stream, gs_handle* graph);
void gs_stream_drop_capture(gs_handle stream);
int gs_stream_is_capturing(gs_handle stream, int* is);
int gs_stream_info(gs_handle stream, unsigned* flags, int* priority, gs_handle* context);
int gs_stream_wait_event(gs_handle stream, gs_handle event);
int gs_stream_host_function(gs_handle stream, void (*function)(void*), void* data);

enum gs_compare { GS_AT_LEAST, GS_EQUAL, GS_AND, GS_NOR };

int gs_stream_wait_value(gs_handle stream, uint64_t address, uint64_t value, int width, enum gs_compare compare);
int gs_stream_write_value(gs_handle stream, uint64_t address, uint64_t value, int width);

int gs_event_create(gs_context* context, unsigned flags, gs_handle* event);
int gs_event_destroy(gs_handle event);
int gs_event_record(gs_handle event, gs_handle stream);
int gs_event_query(gs_handle event);
int gs_event_synchronize(gs_handle event);
int gs_event_elapsed(gs_handle from, gs_handle to, float* milliseconds);

// ---- modules and launches ----

// The image's length is found in its headers; a reason for refusal is written to text. One that was made for an
// architecture must have been made for this one, if one is given, with the same features or without naming any.
int gs_module_load(gs_context* context, const void* image, const char* architecture, gs_handle* module, char* text,
                   size_t text_size);
int gs_module_unload(gs_handle module);
int gs_module_function(gs_handle module, const char* name, gs_handle* function);
int gs_module_global(gs_handle module, const char* name, uint64_t* address, size_t* size);

typedef struct {
  unsigned static_shared, max_dynamic_shared, parameters;
} gs_function_info;

int gs_function_info_of(gs_handle function, gs_function_info* info);
int gs_function_module(gs_handle function, gs_handle* module);
int gs_function_parameter(gs_handle function, unsigned index, size_t* offset, size_t* size);
int gs_function_max_dynamic_shared(gs_handle function, int bytes);

// Arguments come either as one pointer each, or packed.
int gs_launch(gs_context* context, gs_handle function, const unsigned grid[3], const unsigned block[3],
              unsigned shared, gs_handle stream, void** arguments, const void* packed, size_t packed_size);

// How many blocks of a function a multiprocessor holds.
int gs_occupancy(gs_handle function, int threads, size_t shared, int* blocks);
// All blocks run at the same time, and can wait for each other.
int gs_launch_cooperative(gs_context* context, gs_handle function, const unsigned grid[3],
                          const unsigned block[3], unsigned shared, gs_handle stream, void** arguments);

// ---- graphs ----

// A kernel with its arguments, a copy or a fill. What takes one takes it in any case, even where it fails.
typedef struct gs_work gs_work;
void gs_work_place(gs_work* work, uint64_t units);  // for a node of a graph, see gs_place_create

int gs_work_kernel(gs_context* context, gs_handle function, const unsigned grid[3], const unsigned block[3],
                   unsigned shared, void** arguments, const void* packed, size_t packed_size, gs_work** work);
int gs_work_copy(gs_context* context, uint64_t to, enum gs_side to_side, uint64_t from, enum gs_side from_side,
                 size_t size, gs_work** work);
int gs_work_fill(gs_context* context, uint64_t to, uint32_t pattern, int width, size_t count, gs_work** work);

// A graph belongs to the context that was current when it was made, and so does all that it consists of. Nodes go with
// their graph; an instance (exec) is a copy of the graph that goes on without it.
int gs_graph_create(gs_context* context, gs_handle* graph);
int gs_graph_destroy(gs_handle graph);
int gs_graph_add(gs_handle graph, const gs_handle* dependencies, size_t count, gs_work* work, gs_handle* node);
int gs_graph_instantiate(gs_handle graph, gs_handle* exec);
int gs_exec_set(gs_handle exec, gs_handle node, gs_work* work);  // for the launches from now on
int gs_exec_upload(gs_context* context, gs_handle exec, gs_handle stream);
int gs_exec_launch(gs_context* context, gs_handle exec, gs_handle stream);
void gs_exec_not_launched(gs_handle exec);  // whoever launches it with others goes no further
int gs_exec_destroy(gs_handle exec);

#endif
