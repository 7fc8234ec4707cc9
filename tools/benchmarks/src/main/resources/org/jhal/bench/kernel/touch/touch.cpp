// SPDX-License-Identifier: Apache-2.0
// Writes a word.
extern "C" __global__ void touch(unsigned int* target, unsigned int value) { *target = value; }
