// SPDX-License-Identifier: Apache-2.0
// Collectives of the devices of a process, as NCCL and RCCL offer them: their functions, types and result codes are the
// same. They are part of the core, since each rank's part is work in a stream; a library with the vendor's name forwards
// to them (nccl.c).
#ifndef GPUSIM_COLLECTIVE_H
#define GPUSIM_COLLECTIVE_H

#include "internal.h"

enum gs_collective_code {
  GS_CO_OK = 0,
  GS_CO_DEVICE_ERROR = 1,
  GS_CO_SYSTEM_ERROR = 2,
  GS_CO_INTERNAL_ERROR = 3,
  GS_CO_INVALID_ARGUMENT = 4,
  GS_CO_INVALID_USAGE = 5,
  GS_CO_REMOTE_ERROR = 6,
  GS_CO_IN_PROGRESS = 7,
};

enum gs_collective_kind { GS_ALL_REDUCE, GS_BROADCAST, GS_REDUCE, GS_ALL_GATHER, GS_REDUCE_SCATTER, GS_SEND, GS_RECEIVE };

enum gs_element {
  GS_I8,
  GS_U8,
  GS_I32,
  GS_U32,
  GS_I64,
  GS_U64,
  GS_F16,
  GS_F32,
  GS_F64,
  GS_BF16,
  GS_ELEMENTS
};

enum gs_reduction { GS_SUM, GS_PRODUCT, GS_MAX, GS_MIN, GS_AVERAGE, GS_REDUCTIONS };

// The communicators that belong together.
typedef struct gs_group_launch gs_group_launch;
typedef struct gs_clique gs_clique;
struct gs_clique {
  int refs;
  int count;
  uint64_t id;      // by which its ranks find it while they are made one by one, or 0
  unsigned joined;  // ranks, one bit each
  gs_group_launch* graphs;  // the launch of all ranks' graphs, while some are not launched
  unsigned launched;        // those that are, one bit each
};

// What its ranks are made with one by one, by value.
typedef struct {
  char internal[128];
} gs_unique_id;

// The first fields of the configuration of a communicator; later versions have more behind them.
typedef struct {
  size_t size;
  unsigned magic, version;
  int blocking;
} gs_comm_config;

typedef struct gs_comm gs_comm;
struct gs_comm {
  gs_object object;
  gs_comm* next;  // of all that are live
  gs_clique* clique;
  int rank, device;
  int aborted;
  int told;         // that it is to be aborted, by a group that has not ended: its parts end
  int captured;     // its parts in graphs and their instances
  gs_group_launch* open;  // its latest one, to which it refers; null if it had none
  int nonblocking;  // what takes time goes on behind the calls, and is asked for
  int making;       // some ranks have not come
  int launching;    // launches that are not over
  int linked;       // what goes on behind the calls lies in memory of the thread that began it
  pthread_t linker;
  int finalized;
  int error;  // what it tells when it is asked for asynchronous ones
  int parts;  // launched and not over
  int used;   // how many calls or groups of a thread hold it
  pthread_t user;
  uint64_t launched;                                            // collectives
  uint64_t sent[GS_MAX_DEVICES], received[GS_MAX_DEVICES];  // to and from each rank
};

// What a rank was called with.
typedef struct {
  gs_comm* comm;
  enum gs_collective_kind kind;
  uint64_t from, to;  // 0 where there is none
  size_t count;       // as it was given
  int type, reduction;
  int root;  // or whom it sends to or receives from
  gs_handle stream;
  gs_stream* launching;  // the stream, referred to, while another thread launches it; or null
  gs_context* context;  // of the stream, once it is launched
} gs_call;

// The calls that belong together: one of each rank, or a send and a receive. Kept for a while when it is over.
typedef struct gs_meeting gs_meeting;
struct gs_meeting {
  int refs;
  gs_meeting* next;
  gs_clique* clique;
  gs_call call[GS_MAX_DEVICES];  // by rank; sends are at 0 and receives at 1
  int sender, receiver;          // their ranks; -1 for what all ranks take part in
  uint64_t number;               // how many of its kind were before it
  int members, joined, begun;
  int computing, done;
  int left;                         // a part has ended without the others: it will never be computed
  int code[GS_MAX_DEVICES];         // how the context of a member fails, or 0
  uint64_t order[GS_MAX_DEVICES];   // by device: when its part was launched there, or 0
  pthread_t thread[GS_MAX_DEVICES];  // by member: who launched it, if not in a group
  int alone[GS_MAX_DEVICES];
};

// A group while it is launched, rank after rank.
struct gs_group_launch {
  int refs;
  int open;  // not all is launched; so long its parts are counted in gs.half
  int running[GS_MAX_DEVICES];
  uint64_t generation;
};

// What a rank does for one group, in one stream.
typedef struct {
  gs_op op;
  gs_group_launch* launch;
  gs_comm* comm;
  gs_context* context;  // of the stream
  int capacity, count;
  struct {
    gs_meeting* meeting;
    int member;
  } at[];
} gs_part;

// Begins a function of the library: like GS_CALL, and hangs if that was asked for.
int gs_collective_enter(gs_site* site, gs_frame* frame);

#define GS_COLLECTIVE_FRAME(name)          \
  static gs_site site_ = {#name, 0, 0, 0}; \
  __attribute__((cleanup(gs_leave))) gs_frame frame = {0}

#define GS_COLLECTIVE(name)                             \
  GS_COLLECTIVE_FRAME(name);                            \
  {                                                     \
    int entered_ = gs_collective_enter(&site_, &frame); \
    if (entered_) return entered_;                      \
  }

// All below with the lock held, unless said otherwise.

// collective_control.c
int gs_collective_hang(const char* name);  // as long as that was asked for; a code if all was reset meanwhile
int gs_collective_hangs(const char* name);
int gs_collective_stalls(int rank);

// collective_group.c
void gs_groups_reset(void);
int gs_group_init(void);              // a rank is made; the code of that call
int gs_group_abort(gs_comm* comm);  // whether the thread's group aborts it when it ends
void gs_group_launched(void);  // by graphs
int gs_group_gap(gs_comm* const* comms, int count);  // a code, if one is aborted

// collective_capture.c
int gs_capture(gs_stream* stream, const gs_call* calls, int count, unsigned ranks);

// communicator.c
void gs_clique_unref(gs_clique* clique);
gs_comm* gs_comm_find(gs_handle handle);  // null and a misuse, if there is none
int gs_comm_ends(gs_comm* comm);          // it is aborted, or is to be
int gs_comm_use(gs_comm* comm);           // a code and a misuse, if another thread does
void gs_comm_link(gs_comm* comm);
void gs_comm_complete(gs_comm* comm);
void gs_comm_unuse(gs_comm* comm);
void gs_comms_reset(void);
int gs_comms_abort(const gs_handle* handles, int count);  // together

// collective_call.c: a call by itself
int gs_call_check(const gs_call* call);
int gs_call_check_memory(const gs_call* call, gs_context* context, int running);  // a gs_code
size_t gs_call_sent(const gs_call* call);                                        // bytes at from
size_t gs_call_received(const gs_call* call);                                    // bytes at to
size_t gs_element_size(int type);

// meeting.c
int gs_meeting_join(gs_part* part, const gs_call* call, int alone);
void gs_meeting_unref(gs_meeting* meeting);
void gs_meetings_forget(void);

// part.c
gs_group_launch* gs_group_launch_open(void);
gs_part* gs_part_make(gs_group_launch* launch, gs_comm* comm, gs_stream* stream, int calls);
void gs_part_launch(gs_part* part, gs_stream* stream);
void gs_part_drop(gs_part* part);  // that was not launched
void gs_group_launch_close(gs_group_launch* launch);
void gs_group_launch_unref(gs_group_launch* launch);
uint64_t gs_parts_aborted(void);
uint64_t gs_parts_reached(void);
void gs_parts_reset(void);

// reduce.c; without the lock, on a stream's thread
int gs_meeting_compute(void* meeting);

#endif
