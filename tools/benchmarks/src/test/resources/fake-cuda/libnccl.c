// SPDX-License-Identifier: Apache-2.0
/* A libnccl.so.2 for the two devices of the fake driver: it sums when a group ends. */
#include <cuda.h>

enum { SUCCESS = 0, INVALID_USAGE = 5, SUM = 0, FLOAT32 = 7 };

struct ncclComm {
  int device;
};

static struct ncclComm made[2] = {{-1}, {-1}};

/* What the open group has, by rank. */
static struct {
  const float *source;
  float *target;
  size_t count;
} ranks[2];

static int is_open;

static int test(int good) { return good ? SUCCESS : INVALID_USAGE; }

const char *ncclGetErrorString(int result) { return result == SUCCESS ? "no error" : "invalid usage"; }

int ncclCommInitAll(struct ncclComm **communicators, int count, const int *devices) {
  if (count != 2 || devices[0] == devices[1]) {
    return INVALID_USAGE;
  }
  for (int i = 0; i < 2; i++) {
    made[i].device = devices[i];
    communicators[i] = &made[i];
  }
  return SUCCESS;
}

int ncclGroupStart(void) {
  int good = !is_open;
  is_open = 1;
  ranks[0].source = NULL;
  ranks[1].source = NULL;
  return test(good);
}

int ncclAllReduce(const void *source, void *target, size_t count, int type, int reduction,
                  struct ncclComm *communicator, CUstream stream) {
  int rank = communicator == &made[1];
  int good = is_open && type == FLOAT32 && reduction == SUM && ranks[rank].source == NULL && stream != NULL &&
             communicator == &made[rank] && communicator->device >= 0;
  ranks[rank].source = source;
  ranks[rank].target = target;
  ranks[rank].count = count;
  return test(good);
}

int ncclGroupEnd(void) {
  if (!is_open || ranks[0].source == NULL || ranks[1].source == NULL || ranks[0].count != ranks[1].count) {
    return INVALID_USAGE;
  }
  is_open = 0;
  for (size_t i = 0; i < ranks[0].count; i++) {
    float sum = ranks[0].source[i] + ranks[1].source[i];
    ranks[0].target[i] = sum;
    ranks[1].target[i] = sum;
  }
  return SUCCESS;
}
