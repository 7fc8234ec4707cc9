// SPDX-License-Identifier: Apache-2.0
// What the files of the core share among themselves. One lock guards all state; the stream threads
// let it go while they work.
#ifndef GPUSIM_INTERNAL_H
#define GPUSIM_INTERNAL_H

#include "gpusim.h"
#include "gpusim_kernel.h"

enum gs_kind {
  GS_CONTEXT,
  GS_STREAM,
  GS_EVENT,
  GS_MODULE,
  GS_FUNCTION,
  GS_POOL,
  GS_GRAPH,
  GS_GRAPH_NODE,
  GS_GRAPH_EXEC,
  GS_COMMUNICATOR,
  GS_PLACE,
  GS_KINDS
};

// Things counted in the reports beside the kinds of handles.
enum gs_count {
  GS_COUNT_MEMORY = GS_KINDS,
  GS_COUNT_HOST_MEMORY,
  GS_COUNT_REGISTRATION,
  GS_COUNT_OPERATION,
  GS_COUNTS
};

// The head of everything that a handle stands for. Handles are never given twice.
typedef struct gs_object gs_object;
struct gs_object {
  gs_handle id;
  enum gs_kind kind;
  gs_context* context;
  int refs;
  gs_object* next;
  void (*destroy)(gs_object*);  // frees it, once nobody refers to it any more
};

struct gs_context {
  gs_object object;
  int device;
  int primary;
  int retains;
  int sticky;  // the code that all calls return from now on, or 0
  int destroyed;
  unsigned peers;  // devices to whose memory it has access, one bit each; to that of pools if they give it too
};

typedef struct gs_pool {
  gs_object object;
  int device;
  int is_default;
  unsigned access;  // other devices that may use its memory, one bit each
  uint64_t most, threshold, reserved, reserved_high, used, used_high;
} gs_pool;

// A point in a stream that an event was recorded at.
typedef struct {
  int refs;
  int done;
  uint64_t nanos;
  gs_context* context;
} gs_mark;

typedef struct gs_event {
  gs_object object;
  unsigned flags;
  gs_mark* mark;  // of the last record, or null
} gs_event;

typedef struct gs_op gs_op;
struct gs_op {
  gs_op* next;
  const char* what;          // "@kernel", "@copy", ...: the name under which it can be failed or delayed
  const char* call;          // the function that enqueued it
  uint64_t place;            // in the order in which all streams' operations were enqueued
  int (*run)(gs_op*);        // without the lock; what it returns, other than 0, fails the context
  void (*finish)(gs_op*);    // with the lock, run or not; releases what it holds, but not the op
};

typedef struct gs_stream {
  gs_object object;
  unsigned flags;
  int priority;
  int paused, closing;
  gs_op *head, *tail;
  uint64_t enqueued, completed;
  uint64_t running;  // the place of the operation that runs, or 0
  int hardware_queue;
  uint64_t freeing;  // bytes whose release is enqueued here and not done
  uint64_t random;
  gs_handle captured;  // the graph that its calls become, or 0
  gs_handle place;     // of its kernels, or 0
  uint64_t units;      // of the place, one bit each; 0 for all
  int launching;       // calls of collectives that another thread is about to give it
  pthread_cond_t wake;
} gs_stream;

enum gs_block_state { GS_PENDING, GS_LIVE, GS_FREEING, GS_FREED };

typedef struct gs_block {
  enum gs_memory_kind kind;
  enum gs_block_state state;
  uint64_t base, size, id;
  void* map;
  size_t map_size;
  int device;
  unsigned flags;
  gs_context* context;
  gs_pool* pool;
} gs_block;

typedef struct gs_module {
  gs_object object;
  void* library;
  int file;      // of the library; open, so that no other is loaded under the same name
  int launches;  // enqueued and not finished
  int nodes;     // of graphs and of their instances, with one of its functions
  int unloaded;
} gs_module;

typedef struct gs_function {
  gs_object object;
  gs_module* module;
  gpusim_run* run;
  const gpusim_args* args;
  unsigned static_shared;
  unsigned max_dynamic_shared;
  char name[];
} gs_function;

// The head of a kernel with its arguments, a copy or a fill: ready to run any number of times, and never changed.
struct gs_work {
  int refs;
  const char* what;       // as in gs_op
  gs_context* context;    // alive as long as what holds the work
  gs_function* function;  // referred to; null if it is no kernel
  uint64_t units;         // that a kernel of a graph runs on, one bit each; 0 for all
  unsigned places;        // where the memory of a copy or a fill is, which other parameters of a node must not change
  int (*check)(gs_work*, int running);  // with the lock
  int (*run)(gs_work*);                 // without the lock
  void (*destroy)(gs_work*);
};

// What a captured stream was given by a library. Launches of the graph's instances launch it as a whole.
typedef struct gs_captured gs_captured;
struct gs_captured {
  int refs;  // of graphs and of their instances
  int (*launch)(gs_captured*, gs_stream*);
  void (*leave)(gs_captured*);  // its launch has failed, and those of other ranks stay without it
  void (*destroy)(gs_captured*);
};

// Faults of real runtimes that graphs can be given, one bit each.
enum gs_graph_fault {
  GS_GRAPHS_KEEP_POINTERS = 1,     // arguments are read at each launch, from where they were when they were given
  GS_GRAPHS_CHANGE_IN_FLIGHT = 2,  // parameters are read when a launch runs
  GS_GRAPHS_STALE_NODES = 4,       // setting has no effect on nodes from GS_STALE_FROM on
};
enum { GS_STALE_FROM = 200 };

typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;  // a mark is done, a stream went on, a context failed
  int initialised;
  int devices;
  int driver_version;  // 0: that of the face
  int instances;       // whether the devices are instances of one GPU
  uint64_t memory;
  uint64_t seed;
  unsigned graph_faults;
  int waits_for_quiet;  // whether calls that need a device where nothing runs wait for that
  uint64_t clock_start;  // when the devices' clock was set, by the host's
  uint64_t clock_offset;
  int64_t clock_drift;  // nanoseconds that it gains in a second
  int hardware_queues;  // of each device, which its streams share in turn; 0: each stream has its own
  int opened;           // streams since the last reset
  uint64_t places;
  unsigned paused;  // devices whose streams all stand still, one bit each
  uint64_t generation;
  unsigned apart[GS_MAX_DEVICES];  // of each, the devices to which it can have no access, one bit each
  gs_context* primary[GS_MAX_DEVICES];
  gs_pool* default_pool[GS_MAX_DEVICES];
  gs_pool* current_pool[GS_MAX_DEVICES];
  uint64_t direct[GS_MAX_DEVICES];  // bytes allocated outside pools
  uint64_t abandoned[GS_COUNTS];
  int half[GS_MAX_DEVICES];  // parts that run there of groups that are launched in part
  int held;                  // calls that wait for those
  int locked[GS_MAX_DEVICES];  // calls that wait there with a lock, see gs_quiet_locked
} gs_state;

extern gs_state gs;

uint64_t gs_nanos(void);

// The devices' clock, which events are stamped with.
uint64_t gs_device_nanos(void);
uint64_t gs_random(uint64_t* state);
void gs_sleep(uint64_t nanos);
// Waits until something changed, at most so long; lock held.
void gs_wait_change(uint64_t nanos);
void gs_changed(void);

// faults.c; lock held
int gs_fault(const char* name, int* for_good);
uint64_t gs_delay_of(const char* name);
// Waits if work with this name is to be held, until it is let go or its context is lost; lock held.
void gs_hold(gs_context* context, const char* name);
void gs_faults_clear(void);
void gs_call_begin(const char* name);  // names the call for misuses on this thread
const char* gs_call_name(void);

// handles.c
void gs_object_add(gs_object* object, enum gs_kind kind, gs_context* context, void (*destroy)(gs_object*));
void gs_object_remove(gs_object* object);
void gs_ref(gs_object* object);
void gs_unref(gs_object* object);
void* gs_find(gs_handle handle, enum gs_kind kind);  // null and a misuse, if there is none
gs_object* gs_first(gs_object* after);
const char* gs_kind_name(int count);
int gs_is_part(gs_object* object);  // of something else, with which it goes: not counted in the reports

// context.c
void gs_context_kill(gs_context* context, int code);
void gs_context_end(gs_context* context);
gs_context* gs_current_context(void);
int gs_device_of_thread(void);
void gs_context_ensure(void);
gs_context* gs_device_context(void);  // the primary one of the thread's device, which is current then; made anew if it has ended
void gs_contexts_reset(void);

// memory.c
gs_block* gs_block_at(uint64_t address);
gs_block* gs_block_each(size_t index);
void gs_block_release(gs_block* block);
void gs_blocks_end(gs_context* context, int leak);
gs_block* gs_block_make(gs_context* context, enum gs_memory_kind kind, uint64_t base, size_t size);
gs_block* gs_block_map(gs_context* context, enum gs_memory_kind kind, int device, size_t size);
int gs_range_check(gs_context* context, uint64_t address, size_t size, enum gs_side side, int running);

// peer.c
void gs_peers_end(gs_context* context);
int gs_reaches(gs_context* context, gs_block* block);

// pool.c
int gs_pool_take(gs_pool* pool, uint64_t size, uint64_t credit);
void gs_pool_give(gs_pool* pool, uint64_t size);
int gs_direct_take(int device, uint64_t size);
void gs_pools_settle(int device);
void gs_pools_reset(void);

// place.c
void gs_place_count(uint64_t units);  // a kernel was given to them
void gs_places_reset(void);

// stream.c
gs_stream* gs_stream_find(gs_handle handle);
gs_stream* gs_stream_of(gs_context* context, gs_handle handle);  // null and a misuse, if it is another context's
int gs_enqueue(gs_stream* stream, gs_op* op);
int gs_stream_drain(gs_stream* stream);
void gs_stream_end(gs_stream* stream);

// idle.c: what calls do that on real devices wait until some are idle, and meanwhile hold a lock that launches need. A code
// if all was reset meanwhile.
enum { GS_EVERY_DEVICE = (1 << GS_MAX_DEVICES) - 1 };
int gs_idle(unsigned devices);  // one bit each
void gs_hop(int from, int to);  // a stream of a device is to wait for another one
int gs_idle_gate(void);         // before a launch: until none of them waits
int gs_quiet(int device);       // if asked for, waits for all that is enqueued on it, by any context
int gs_quiet_locked(int device);  // the same, with a lock of the device
int gs_lock_gate(int device);     // for a call that needs that lock

// collective_control.c
void gs_collectives_release(void);  // lets everything go that is held up on purpose
void gs_collectives_reset(void);

// graph.c
int gs_graph_give(gs_handle graph, gs_captured* captured);  // takes it, also where it fails

// work.c
gs_work* gs_work_ref(gs_work* work);
void gs_work_unref(gs_work* work);  // null is allowed
// Lingers as asked, without the lock; then what was asked to go wrong with work of that name, 0 on a failed context.
int gs_work_begin(gs_context* context, const char* what, uint64_t* random);
int gs_work_run(gs_work* work);  // without the lock
void gs_work_launched(gs_work* work, int by);
int gs_work_enqueue(gs_stream* stream, gs_work* work);  // takes the work

// launch.c: the same work, or with GS_GRAPHS_KEEP_POINTERS a copy whose arguments are read anew; to be released in any case
int gs_work_again(gs_work* work, gs_work** again);

// grid.c: runs with faults turned into codes
int gs_guarded(int (*function)(void*), void* argument);
int gs_grid_run(gpusim_run* run, void** arguments, const unsigned grid[3], const unsigned block[3],
                unsigned shared);
void gs_grid_thread_end(void);
// The same for one block of a cooperative launch, counted along the first axis first.
typedef struct gs_crew gs_crew;
int gs_grid_run_block(gpusim_run* run, void** arguments, const unsigned grid[3], const unsigned block[3],
                      unsigned shared, unsigned long long index, gs_crew* crew);

// crew.c: a cooperative launch, each block on a thread of its own
int gs_crew_run(gpusim_run* run, void** arguments, const unsigned grid[3], const unsigned block[3], unsigned shared);
int gs_crew_meet(gs_crew* crew);  // waits for all blocks; returns the code to end with if they do not come
void gs_guard_install(void);

#endif
