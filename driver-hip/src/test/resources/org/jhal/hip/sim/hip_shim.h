// A HIP runtime for NVIDIA devices, so that what is written for HIP runs on real streams, events, pools and kernels where
// there is no AMD device. It forwards each function that org.jhal.hip.jna maps to the CUDA driver API. Not the runtime of
// a device at all, it calls itself 6.3.0; the architecture of a device is sm_90 or the like.
#ifndef HIP_SHIM_H
#define HIP_SHIM_H

#include <stddef.h>
#include <stdint.h>

#define HIP __attribute__((visibility("default"))) int

// Opens the library that an environment variable names, or the first of the names that there is; null if none.
void* shim_open(const char* variable, const char* const* names);

#endif
