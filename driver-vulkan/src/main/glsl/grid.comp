// SPDX-License-Identifier: Apache-2.0
// Copies the numbers of workgroups of an indirect dispatch, for the host, and to where the dispatch reads them: as
// zeros if the device does not take them. make.sh makes the module.
#version 460
#extension GL_EXT_buffer_reference : require

layout(local_size_x = 1) in;

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Counts { uint x, y, z; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Slot {
  uint gridX, gridY, gridZ, unused;
  uint readX, readY, readZ;
};

layout(push_constant, std430) uniform Arguments {
  Counts counts;
  Slot slot;
  uint mostX, mostY, mostZ;
};

void main() {
  uvec3 read = uvec3(counts.x, counts.y, counts.z);
  bool fits = all(lessThanEqual(read, uvec3(mostX, mostY, mostZ)));
  slot.readX = read.x;
  slot.readY = read.y;
  slot.readZ = read.z;
  slot.gridX = fits ? read.x : 0;
  slot.gridY = fits ? read.y : 0;
  slot.gridZ = fits ? read.z : 0;
}
