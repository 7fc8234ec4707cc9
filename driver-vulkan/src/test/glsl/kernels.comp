// SPDX-License-Identifier: Apache-2.0
// The kernels of the conformance suite in the format vulkan-spirv; each means the same as the method of its name in
// CtsKernels.java. make.sh makes an entry point of each function that main calls.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(constant_id = 3) const uint sharedBytes = 0;

shared int scratch[sharedBytes / 4 + 1];

// The arguments, as words: where each lies is that of a C struct of the kernel's parameters.
layout(push_constant, scalar) uniform Arguments { uint words[32]; };

// One element; the others are reached by their addresses, since GLSL has no indices of 64 bits.
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Int { int value; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Float { float value; };
layout(buffer_reference, scalar, buffer_reference_align = 4) volatile buffer Flag { int value; };
layout(buffer_reference, scalar, buffer_reference_align = 1) buffer Byte { uint8_t value; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Long { uint64_t value; };

#define INT(address, index) Int((address) + 4 * uint64_t(index)).value
#define FLOAT(address, index) Float((address) + 4 * uint64_t(index)).value
#define FLAG(address, index) Flag((address) + 4 * uint64_t(index)).value
#define BYTE(address, index) Byte((address) + uint64_t(index)).value
#define LONG(address, index) Long((address) + 8 * uint64_t(index)).value

uint64_t linear() {
  return gl_WorkGroupID.x +
         uint64_t(gl_NumWorkGroups.x) *
             (gl_WorkGroupID.y + uint64_t(gl_NumWorkGroups.y) * gl_WorkGroupID.z);
}

uint64_t pair(uint word) { return packUint2x32(uvec2(words[word], words[word + 1])); }

float number(uint word) { return uintBitsToFloat(words[word]); }

uint unsigned8(uint offset) { return words[offset / 4] >> 8 * (offset % 4) & 0xFF; }

void absolute() {
  uint64_t i = linear();
  FLOAT(pair(2), i) = abs(FLOAT(pair(0), i));
}

void write_constants() {
  uint64_t target = pair(0);
  for (uint i = 0; i < 4; i++) {
    INT(target, i) = int(words[2 + i]);
  }
}

void scale_and_offset() {
  uint64_t i = linear();
  INT(pair(2), i) = INT(pair(0), i) * int(words[4]) + int(words[5]);
}

void negate() {
  uint64_t i = linear();
  INT(pair(2), i) = -INT(pair(0), i);
}

void twice() {
  uint64_t i = linear();
  INT(pair(2), i) = 2 * INT(pair(0), i);
}

void write_group_ids() {
  uint64_t i = 3 * linear();
  uint64_t ids = pair(0);
  INT(ids, i) = int(gl_WorkGroupID.x);
  INT(ids, i + 1) = int(gl_WorkGroupID.y);
  INT(ids, i + 2) = int(gl_WorkGroupID.z);
}

void write_parameters() {
  uint64_t target = pair(0);
  for (uint i = 0; i < 3; i++) {
    INT(target, i) = int(words[2 + i]);
  }
}

void reflected() {
  uint64_t i = linear();
  double b = packDouble2x32(uvec2(words[4], words[5]));
  INT(pair(6), i) = int(words[0] + uint(b) + uint(BYTE(pair(2), i)));
}

void all_constants() {
  uint64_t target = pair(0);
  LONG(target, 0) = uint64_t(int64_t(bitfieldExtract(int(words[2]), 0, 8)));
  LONG(target, 1) = pair(4);
  LONG(target, 2) = words[6] & 0xFF;
  LONG(target, 3) = pair(8);
  LONG(target, 4) = uint64_t(int64_t(bitfieldExtract(int(words[10]), 0, 16)));
  LONG(target, 5) = words[11];
  LONG(target, 6) = words[12] & 0xFFFF;
  LONG(target, 7) = words[13];
  LONG(target, 8) = pair(14);
  LONG(target, 9) = uint64_t(int64_t(int(words[16])));
}

// The struct Mixed begins at byte 40; its members are at 0, 4, 16, 24 and 32.
void write_structs() {
  uint64_t target = pair(20);
  double zoom = packDouble2x32(uvec2(words[16], words[17]));
  FLOAT(target, 0) = float(unsigned8(0));
  for (uint i = 0; i < 4; i++) {
    FLOAT(target, 1 + i) = number(4 + i);
  }
  FLOAT(target, 5) = float(words[8] & 0xFFFF);
  FLOAT(target, 6) = float(unsigned8(40));
  for (uint i = 0; i < 3; i++) {
    FLOAT(target, 7 + i) = number(11 + i);
  }
  FLOAT(target, 10) = float(int(words[14]));
  FLOAT(target, 11) = float(int(words[15]));
  FLOAT(target, 12) = float(zoom);
  FLOAT(target, 13) = float(unsigned8(72));
  for (uint i = 0; i < 3; i++) {
    FLOAT(target, 14 + i) = float(words[22 + i]);
  }
  FLOAT(target, 17) = float(unsigned8(100));
}

void spin() {
  uint64_t seen = pair(0);
  uint64_t iterations = pair(2);
  FLAG(seen, 1) = 1;
  memoryBarrierBuffer();
  for (uint64_t i = 0; i < iterations; i++) {
    if (FLAG(seen, 0) != 0) {
      FLAG(seen, 1) = 2;
      return;
    }
  }
  FLAG(seen, 1) = 3;
}

void reverse() {
  uint64_t data = pair(0);
  uint size = gl_WorkGroupSize.x;
  uint64_t first = linear() * size;
  uint item = gl_LocalInvocationID.x;
  scratch[item] = INT(data, first + item);
  barrier();
  INT(data, first + item) = scratch[size - 1 - item];
}

void append() {
  uint64_t list = pair(0);
  int size = INT(list, 0);
  INT(list, 1 + size) = int(words[2]);
  INT(list, 0) = size + 1;
}

// A kernel cannot give up in Vulkan.
void trap() {}

void main() {
  absolute();
  write_constants();
  scale_and_offset();
  negate();
  twice();
  write_group_ids();
  write_parameters();
  reflected();
  all_constants();
  write_structs();
  spin();
  reverse();
  append();
  trap();
}
