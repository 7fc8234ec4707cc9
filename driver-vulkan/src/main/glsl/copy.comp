// SPDX-License-Identifier: Apache-2.0
// Copies a range of memory whose target is a multiple of 16 bytes, 16 bytes at a time; make.sh compiles it.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require

// CopyKernels has the same numbers.
const uint GROUP = 256;
const uint CHUNKS = 4; // of a work item

// What is done: 0 copies from a multiple of 16 bytes; 1 copies from any address.
layout(constant_id = 0) const uint KIND = 0;

layout(local_size_x = GROUP) in;
layout(buffer_reference, buffer_reference_align = 16, std430) buffer Chunks { uvec4 at[]; };
layout(buffer_reference, buffer_reference_align = 4, std430) buffer Words { uint at[]; };
layout(push_constant) uniform Range {
  uint64_t source;
  uint64_t target;
  uint count; // of chunks
};

// Reads a chunk. From any address: of the words that have a byte of it, and of no other.
uvec4 read(uint chunk) {
  if (KIND == 0) {
    return Chunks(source).at[chunk];
  }
  Words words = Words(source & ~uint64_t(3));
  uint first = 4 * chunk;
  uvec4 low = uvec4(words.at[first], words.at[first + 1], words.at[first + 2], words.at[first + 3]);
  uint shift = 8 * (uint(source) & 3);
  if (shift == 0) {
    return low;
  }
  return low >> shift | uvec4(low.yzw, words.at[first + 4]) << 32 - shift;
}

void main() {
  uint chunk = gl_WorkGroupID.x * GROUP * CHUNKS + gl_LocalInvocationID.x;
  Chunks to = Chunks(target);
  if (chunk + (CHUNKS - 1) * GROUP < count) { // all reads before the first write, so that they overlap
    uvec4 values[CHUNKS];
    for (uint i = 0; i < CHUNKS; i++) {
      values[i] = read(chunk + i * GROUP);
    }
    for (uint i = 0; i < CHUNKS; i++) {
      to.at[chunk + i * GROUP] = values[i];
    }
    return;
  }
  for (; chunk < count; chunk += GROUP) {
    to.at[chunk] = read(chunk);
  }
}
