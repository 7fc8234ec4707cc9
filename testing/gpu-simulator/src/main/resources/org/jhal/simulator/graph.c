// SPDX-License-Identifier: Apache-2.0
// Graphs of work. A launch runs an instance's nodes one at a time; which one comes next among those whose predecessors
// are over is left to chance, so that a missing edge shows.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

typedef struct {
  gs_object object;
  struct gs_node** nodes;  // each referred to; a node's predecessors come before it
  size_t count, capacity;
  uint64_t stamp;
  gs_captured* captured;  // instead of nodes, or null
} gs_graph;

typedef struct gs_node {
  gs_object object;
  gs_graph* graph;  // which takes the node out of the table when it goes
  size_t index;     // in the graph and in its instances
  gs_work* work;
  size_t before_count;
  uint64_t stamp;  // the graph's, when the node was last named as a predecessor
  size_t before[];
} gs_node;

typedef struct {
  gs_work* work;
  size_t waits;        // for so many others
  size_t next, until;  // those that wait for it: a range of successors
} exec_node;

typedef struct {
  gs_object object;
  gs_handle graph;
  size_t count;
  exec_node* nodes;
  size_t* successors;
  gs_captured* captured;
  uint64_t launched, finished;  // launches run in the order of their calls, one at a time
  uint64_t random;
} gs_exec;

typedef struct {
  gs_op op;
  gs_exec* exec;
  uint64_t turn;
  gs_work* work[];  // what the launch runs, by index
} launch_op;

// A node's work; another thread's launch may hold it too.
static gs_work* hold(gs_work* work) {
  if (work->function) work->function->module->nodes++;
  return work;
}

static void release(gs_work* work) {
  if (work->function) work->function->module->nodes--;
  gs_work_unref(work);
}

static void captured_unref(gs_captured* captured) {
  if (captured && --captured->refs == 0) captured->destroy(captured);
}

// ---- graphs ----

static void node_free(gs_object* object) {
  release(((gs_node*)object)->work);
  free(object);
}

static void graph_free(gs_object* object) {
  gs_graph* graph = (gs_graph*)object;
  for (size_t i = 0; i < graph->count; i++) {
    gs_object_remove(&graph->nodes[i]->object);
    gs_unref(&graph->nodes[i]->object);
  }
  captured_unref(graph->captured);
  free(graph->nodes);
  free(graph);
}

int gs_graph_create(gs_context* context, gs_handle* handle) {
  gs_graph* graph = calloc(1, sizeof *graph);
  gs_object_add(&graph->object, GS_GRAPH, context, graph_free);
  *handle = graph->object.id;
  return GS_OK;
}

int gs_graph_destroy(gs_handle handle) {
  gs_graph* graph = gs_find(handle, GS_GRAPH);
  if (!graph) return GS_INVALID_HANDLE;
  gs_object_remove(&graph->object);
  return GS_OK;
}

static int belongs(gs_work* work, gs_object* object) {
  if (work->context == object->context) return 1;
  gs_misuse("the %s and what the node shall do are of different contexts", gs_kind_name(object->kind));
  return 0;
}

static gs_node* node_make(gs_graph* graph, const gs_handle* dependencies, size_t count) {
  gs_node* node = calloc(1, sizeof *node + count * sizeof *node->before);
  graph->stamp++;
  for (size_t i = 0; i < count; i++) {
    gs_node* before = gs_find(dependencies[i], GS_GRAPH_NODE);
    unsigned long long handle = dependencies[i];
    if (before && before->graph != graph) gs_misuse("the node %#llx is of another graph", handle);
    if (before && before->stamp == graph->stamp) gs_misuse("the node %#llx is named twice", handle);
    if (!before || before->graph != graph || before->stamp == graph->stamp) {
      free(node);
      return NULL;
    }
    before->stamp = graph->stamp;
    node->before[node->before_count++] = before->index;
  }
  node->graph = graph;
  return node;
}

int gs_graph_add(gs_handle handle, const gs_handle* dependencies, size_t count, gs_work* work, gs_handle* result) {
  gs_graph* graph = gs_find(handle, GS_GRAPH);
  gs_node* node = NULL;
  if (graph && belongs(work, &graph->object) && (dependencies || !count)) node = node_make(graph, dependencies, count);
  if (!node) {
    gs_work_unref(work);
    return graph ? GS_INVALID_VALUE : GS_INVALID_HANDLE;
  }
  if (graph->count == graph->capacity) {
    graph->capacity = graph->capacity ? graph->capacity * 2 : 16;
    graph->nodes = realloc(graph->nodes, graph->capacity * sizeof *graph->nodes);
  }
  node->work = hold(work);
  node->index = graph->count;
  graph->nodes[graph->count++] = node;
  gs_object_add(&node->object, GS_GRAPH_NODE, graph->object.context, node_free);
  gs_ref(&node->object);
  *result = node->object.id;
  return GS_OK;
}

int gs_graph_give(gs_handle handle, gs_captured* captured) {
  gs_graph* graph = gs_find(handle, GS_GRAPH);
  captured->refs++;
  if (graph && !graph->captured) {
    graph->captured = captured;
    return GS_OK;
  }
  if (graph) gs_misuse("only one group of collectives can be captured in a graph");
  captured_unref(captured);
  return GS_INVALID_VALUE;
}

// ---- instances ----

static void exec_free(gs_object* object) {
  gs_exec* exec = (gs_exec*)object;
  for (size_t i = 0; i < exec->count; i++) release(exec->nodes[i].work);
  captured_unref(exec->captured);
  free(exec->nodes);
  free(exec->successors);
  free(exec);
}

static int loaded(gs_work* work) {
  if (!work->function || !work->function->module->unloaded) return 1;
  gs_misuse("the module of %s was unloaded, which a node has as its function", work->function->name);
  return 0;
}

// Turns the predecessors of each node into successors of others.
static void turn_edges(gs_exec* exec, gs_graph* graph) {
  size_t edges = 0;
  for (size_t i = 0; i < graph->count; i++) {
    gs_node* node = graph->nodes[i];
    exec->nodes[i].waits = node->before_count;
    edges += node->before_count;
    for (size_t k = 0; k < node->before_count; k++) exec->nodes[node->before[k]].until++;
  }
  size_t from = 0;
  for (size_t i = 0; i < graph->count; i++) {
    size_t own = exec->nodes[i].until;
    exec->nodes[i].next = exec->nodes[i].until = from;
    from += own;
  }
  exec->successors = calloc(edges + 1, sizeof *exec->successors);
  for (size_t i = 0; i < graph->count; i++) {
    gs_node* node = graph->nodes[i];
    for (size_t k = 0; k < node->before_count; k++) exec->successors[exec->nodes[node->before[k]].until++] = i;
  }
}

int gs_graph_instantiate(gs_handle handle, gs_handle* result) {
  gs_graph* graph = gs_find(handle, GS_GRAPH);
  if (!graph) return GS_INVALID_HANDLE;
  int code = gs_idle(1u << graph->object.context->device);
  if (code) return code;
  for (size_t i = 0; i < graph->count; i++) {
    if (!loaded(graph->nodes[i]->work)) return GS_INVALID_VALUE;
  }
  gs_exec* exec = calloc(1, sizeof *exec);
  exec->graph = handle;
  exec->count = graph->count;
  exec->nodes = calloc(graph->count + 1, sizeof *exec->nodes);
  for (size_t i = 0; i < graph->count; i++) exec->nodes[i].work = hold(gs_work_ref(graph->nodes[i]->work));
  turn_edges(exec, graph);
  exec->captured = graph->captured;
  if (exec->captured) exec->captured->refs++;
  gs_object_add(&exec->object, GS_GRAPH_EXEC, graph->object.context, exec_free);
  exec->random = gs.seed * 0x9E3779B97F4A7C15u + exec->object.id;
  *result = exec->object.id;
  return GS_OK;
}

int gs_exec_destroy(gs_handle handle) {
  gs_exec* exec = gs_find(handle, GS_GRAPH_EXEC);
  if (!exec) return GS_INVALID_HANDLE;
  int code = gs_idle(1u << exec->object.context->device);
  if (code) return code;
  gs_object_remove(&exec->object);
  return GS_OK;
}

// The node of the instance that the work may go to, or null.
static exec_node* settable(gs_exec* exec, gs_handle handle, gs_work* work) {
  gs_node* node = gs_find(handle, GS_GRAPH_NODE);
  if (!node || !belongs(work, &exec->object)) return NULL;
  if (node->graph->object.id != exec->graph || node->index >= exec->count) {
    gs_misuse("the node %#llx is not one of the instance's", (unsigned long long)handle);
    return NULL;
  }
  gs_work* old = exec->nodes[node->index].work;
  if (strcmp(old->what, work->what)) {
    gs_misuse("the node %#llx is a %s, not a %s", (unsigned long long)handle, old->what + 1, work->what + 1);
    return NULL;
  }
  if (old->units != work->units) gs_misuse("the node %#llx is of another place", (unsigned long long)handle);
  return old->places == work->places && old->units == work->units ? &exec->nodes[node->index] : NULL;
}

int gs_exec_set(gs_handle handle, gs_handle node_handle, gs_work* work) {
  gs_exec* exec = gs_find(handle, GS_GRAPH_EXEC);
  exec_node* node = exec ? settable(exec, node_handle, work) : NULL;
  int stale = node && gs.graph_faults & GS_GRAPHS_STALE_NODES && node - exec->nodes >= GS_STALE_FROM;
  if (!node || stale) {
    gs_work_unref(work);
    return stale ? GS_OK : exec ? GS_INVALID_VALUE : GS_INVALID_HANDLE;
  }
  hold(work);
  release(node->work);
  node->work = work;
  return GS_OK;
}

// ---- launches ----

static void drop(launch_op* op) {
  for (size_t i = 0; i < op->exec->count; i++) {
    if (!op->work[i]) continue;
    gs_work_launched(op->work[i], -1);
    gs_work_unref(op->work[i]);
    op->work[i] = NULL;
  }
}

// Takes what the nodes have now.
static int take(launch_op* op) {
  for (size_t i = 0; i < op->exec->count; i++) {
    int code = gs_work_again(op->exec->nodes[i].work, &op->work[i]);
    gs_work_launched(op->work[i], 1);
    if (code) return code;
  }
  return GS_OK;
}

static int run_nodes(launch_op* op) {
  gs_exec* exec = op->exec;
  gs_context* context = exec->object.context;
  size_t* waits = calloc(2 * exec->count + 1, sizeof *waits);
  size_t *ready = waits + exec->count, ready_count = 0;
  for (size_t i = 0; i < exec->count; i++) {
    waits[i] = exec->nodes[i].waits;
    if (!waits[i]) ready[ready_count++] = i;
  }
  int code = GS_OK;
  while (ready_count && !code) {
    size_t at = gs_random(&exec->random) % ready_count, index = ready[at];
    ready[at] = ready[--ready_count];
    code = gs_work_begin(context, op->work[index]->what, &exec->random);
    if (context->sticky) break;
    if (!code) {
      pthread_mutex_unlock(&gs.lock);
      code = gs_work_run(op->work[index]);
      pthread_mutex_lock(&gs.lock);
    }
    for (size_t k = exec->nodes[index].next; k < exec->nodes[index].until; k++) {
      if (!--waits[exec->successors[k]]) ready[ready_count++] = exec->successors[k];
    }
  }
  free(waits);
  return code;
}

static int launch_run(gs_op* o) {
  launch_op* op = (launch_op*)o;
  gs_context* context = op->exec->object.context;
  pthread_mutex_lock(&gs.lock);
  while (op->exec->finished < op->turn && !context->sticky) gs_wait_change(UINT64_MAX);
  int code = GS_OK;
  if (gs.graph_faults & GS_GRAPHS_CHANGE_IN_FLIGHT) {
    drop(op);
    code = take(op);
  }
  if (!code && !context->sticky) code = run_nodes(op);
  pthread_mutex_unlock(&gs.lock);
  return code;
}

static void launch_finish(gs_op* o) {
  launch_op* op = (launch_op*)o;
  drop(op);
  op->exec->finished++;
  gs_unref(&op->exec->object);
}

// The instance, if it and the stream are there and of this context.
static gs_exec* launchable(gs_context* context, gs_handle handle, gs_handle stream_handle, gs_stream** stream) {
  gs_exec* exec = gs_find(handle, GS_GRAPH_EXEC);
  *stream = gs_stream_of(context, stream_handle);
  if (!exec || !*stream) return NULL;
  if (exec->object.context != context) {
    gs_misuse("the %s and the current context do not belong together", gs_kind_name(GS_GRAPH_EXEC));
    return NULL;
  }
  for (size_t i = 0; i < exec->count; i++) {
    if (!loaded(exec->nodes[i].work)) return NULL;
  }
  return exec;
}

// It may let the lock go meanwhile.
static int launch_captured(gs_exec* exec, gs_stream* stream) {
  gs_handle handle = exec->object.id;
  gs_ref(&exec->object);
  gs_ref(&stream->object);
  int code = exec->captured->launch(exec->captured, stream);
  gs_unref(&stream->object);
  gs_unref(&exec->object);
  return code || gs_find(handle, GS_GRAPH_EXEC) ? code : GS_INVALID_HANDLE;  // it was destroyed meanwhile
}

int gs_exec_launch(gs_context* context, gs_handle handle, gs_handle stream_handle) {
  gs_stream* stream;
  gs_exec* exec = launchable(context, handle, stream_handle, &stream);
  if (!exec) return GS_INVALID_HANDLE;
  if (exec->captured) return launch_captured(exec, stream);
  launch_op* op = calloc(1, sizeof *op + exec->count * sizeof *op->work);
  op->op.what = "@graph";
  op->op.run = launch_run;
  op->op.finish = launch_finish;
  op->exec = exec;
  int code = take(op);
  if (code) {
    drop(op);
    free(op);
    return code;
  }
  for (size_t i = 0; i < exec->count; i++) {
    if (exec->nodes[i].work->function) gs_place_count(exec->nodes[i].work->units);
  }
  op->turn = exec->launched++;
  gs_ref(&exec->object);
  return gs_enqueue(stream, &op->op);
}

void gs_exec_not_launched(gs_handle handle) {
  gs_exec* exec = gs_find(handle, GS_GRAPH_EXEC);
  if (exec && exec->captured) exec->captured->leave(exec->captured);
}

static void uploaded(gs_op* op) { gs_unref(&((launch_op*)op)->exec->object); }

int gs_exec_upload(gs_context* context, gs_handle handle, gs_handle stream_handle) {
  gs_stream* stream;
  gs_exec* exec = launchable(context, handle, stream_handle, &stream);
  if (!exec) return GS_INVALID_HANDLE;
  launch_op* op = calloc(1, sizeof *op);
  op->op.what = "@upload";
  op->op.finish = uploaded;
  op->exec = exec;
  gs_ref(&exec->object);
  return gs_enqueue(stream, &op->op);
}
