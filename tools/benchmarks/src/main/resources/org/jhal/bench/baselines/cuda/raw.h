// SPDX-License-Identifier: Apache-2.0
/* What the cases of the raw program share. */
#ifndef RAW_H
#define RAW_H

#include "driver.h"
#include <stddef.h>

enum { VALUE = 42 }; /* what the kernel writes, or the first value of several */

extern CUdevice first_device;
extern CUstream stream;
extern CUcontext context;
extern CUfunction touch; /* the kernel: writes a word */
extern const char *kernel_text; /* its PTX */
extern CUdeviceptr target; /* a word for it */
extern const char *other_address; /* the PCI address of the second device, or NULL */

/* Nanoseconds of a clock that only goes forward. */
long long now(void);

/* Sets a word of the device's memory, and waits for that. */
void write_word(CUdeviceptr address, unsigned word);

/* Waits for the stream, and ends the program unless a word of the device's memory is as expected. */
void expect_word(CUdeviceptr address, unsigned expected);

/* Launches the kernel into a stream; it writes a value to a word. */
void launch(CUstream into, CUdeviceptr address, unsigned value);

/* Waits for an event by asking again and again. */
void poll_event(CUevent event);

/*
 * The cases of the other files. Each returns whether it knows a case of that name. One that does has either timed each
 * step, or, if there is a sum, put the time of all steps there.
 */
int chain_case(const char *name, size_t bytes, int steps, long long *times, long long *sum);
int collective_case(const char *name, size_t bytes, int steps, long long *times, long long *sum);
int graph_case(const char *name, size_t commands, int steps, long long *times, long long *sum);
int library_case(const char *name, size_t rows, int steps, long long *sum);
int pageable_case(const char *name, size_t bytes, int steps, long long *times);
int peer_case(const char *name, size_t bytes, int steps, long long *times, long long *sum);

#endif
