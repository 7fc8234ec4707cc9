// SPDX-License-Identifier: Apache-2.0
// A kernel with more arguments than push constants hold: the address of its result, and forty numbers.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Int { int value; };
layout(buffer_reference, scalar, buffer_reference_align = 8) buffer Arguments {
  uint64_t result;
  int numbers[40];
};
layout(push_constant, scalar) uniform Address { Arguments arguments; };

void weigh() {
  int sum = 0;
  for (int i = 0; i < 40; i++) {
    sum += (i + 1) * arguments.numbers[i];
  }
  Int(arguments.result).value = sum;
}

void main() { weigh(); }
