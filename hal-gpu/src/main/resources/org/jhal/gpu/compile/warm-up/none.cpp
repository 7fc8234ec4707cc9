// SPDX-License-Identifier: Apache-2.0
#define JOINED \
  1
extern "C" __global__ void none(unsigned int* target, unsigned int value) { *target = value + JOINED; }
