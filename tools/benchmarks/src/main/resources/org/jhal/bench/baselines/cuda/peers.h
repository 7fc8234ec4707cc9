// SPDX-License-Identifier: Apache-2.0
/* Both devices of the cases that need two: the first is that of the other cases. */
#ifndef PEERS_H
#define PEERS_H

#include "raw.h"

struct side {
  CUdevice device;
  CUcontext context;
  CUstream stream;
  CUevent event;
  CUfunction touch;
};

extern struct side sides[2];

/* Makes them, if that has not been done. Afterwards each can use the memory of the other one's context. */
void open_sides(void);

/* Makes the context of a side current. */
void enter(const struct side *side);

/* Lets the second one use the memory of a pool of the first. */
void share_pool(CUmemoryPool pool, const struct side *user);

/* Sets words of the side's memory, and waits for that. */
void set_words(const struct side *side, CUdeviceptr address, unsigned word, size_t count);

/* Waits for the side's stream, and ends the program unless a word of its memory is as expected. */
void expect_on(const struct side *side, CUdeviceptr address, unsigned expected);

#endif
