// SPDX-License-Identifier: Apache-2.0
// Output of kernels. Each thread collects the text of the workgroups that it runs, without a lock. When all workgroups of the
// grid have ended, the text is written to the standard output in the order of the workgroups. The text of another dispatch
// comes before or after it, never in between.
#include "hal_runtime.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 1 << 20 };  // how many bytes a dispatch may print

struct hal_printed {
  hal_printed* next;
  unsigned long long first;  // of the workgroups
  size_t length;
  char text[];
};

void hal_output_begin(hal_output* output) {
  atomic_init(&output->pieces, NULL);
  atomic_init(&output->room, ROOM);
  atomic_init(&output->unprinted, 0);
}

void hal_print_begin(hal_thread* thread, hal_output* output) {
  thread->printed_length = 0;
  thread->print_room = &output->room;
  thread->unprinted = &output->unprinted;
}

// Text that does not fit is dropped and counted, because a kernel must not wait for the reader of the output. After the first
// drop all later text is dropped too, even if it is shorter.
void hal_print(const char* text, unsigned long length) {
  hal_thread* thread = hal_current();
  if (!thread->printed) {  // unused pages take no memory
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* made = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, flags, -1, 0);
    thread->printed = made == MAP_FAILED ? NULL : made;
  }
  long taken = length > ROOM ? ROOM + 1 : (long)length;
  if (!thread->printed || atomic_load(thread->print_room) < 0 || atomic_fetch_sub(thread->print_room, taken) < taken) {
    atomic_fetch_add(thread->unprinted, 1);
    return;
  }
  memcpy(thread->printed + thread->printed_length, text, length);
  thread->printed_length += length;
}

void hal_print_end(hal_thread* thread, hal_output* output, unsigned long long first) {
  if (thread->printed_length == 0) return;
  hal_printed* piece = malloc(sizeof *piece + thread->printed_length);
  if (!piece) {
    atomic_fetch_add(&output->unprinted, 1);
    return;
  }
  piece->first = first;
  piece->length = thread->printed_length;
  memcpy(piece->text, thread->printed, piece->length);
  piece->next = atomic_load(&output->pieces);
  while (!atomic_compare_exchange_weak(&output->pieces, &piece->next, piece)) {
  }
}

void hal_print_free(hal_thread* thread) {
  if (thread->printed) munmap(thread->printed, ROOM);
}

static void write_all(const char* text, size_t length) {
  while (length > 0) {
    ssize_t n = write(STDOUT_FILENO, text, length);
    if (n >= 0) {
      text += n;
      length -= (size_t)n;
    } else if (errno == EAGAIN) {
      struct pollfd room = {.fd = STDOUT_FILENO, .events = POLLOUT};
      poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return;  // the output has no reader
    }
  }
}

static int by_first(const void* a, const void* b) {
  unsigned long long one = (*(hal_printed* const*)a)->first, other = (*(hal_printed* const*)b)->first;
  return one < other ? -1 : one > other;
}

// Returns whether the text ends within a line.
static int write_pieces(hal_printed* pieces) {
  size_t count = 0, at = 0;
  for (hal_printed* piece = pieces; piece; piece = piece->next) count++;
  hal_printed** sorted = malloc((count + 1) * sizeof *sorted);
  for (hal_printed* piece = pieces; piece && sorted; piece = piece->next) sorted[at++] = piece;
  if (sorted) qsort(sorted, count, sizeof *sorted, by_first);
  for (size_t i = 0; i < at; i++) write_all(sorted[i]->text, sorted[i]->length);
  int is_within = at > 0 && sorted[at - 1]->text[sorted[at - 1]->length - 1] != '\n';
  free(sorted);
  return is_within;
}

int hal_has_output(hal_output* output) { return atomic_load(&output->pieces) || atomic_load(&output->unprinted); }

void hal_output_write(hal_output* output) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  if (!hal_has_output(output)) return;
  hal_printed* pieces = atomic_load(&output->pieces);
  long unprinted = atomic_load(&output->unprinted);
  pthread_mutex_lock(&lock);
  int is_within = write_pieces(pieces);
  if (unprinted > 0) {
    char note[128];
    int length = snprintf(note, sizeof note, "%s... %ld more calls of printf had no room: a dispatch prints %d bytes at most\n",
                          is_within ? "\n" : "", unprinted, ROOM);
    write_all(note, (size_t)length);
  }
  pthread_mutex_unlock(&lock);
  while (pieces) {
    hal_printed* next = pieces->next;
    free(pieces);
    pieces = next;
  }
}
