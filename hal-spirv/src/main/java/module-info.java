// SPDX-License-Identifier: Apache-2.0
/** Kernels for Vulkan, from the SPIR-V that compilers make of kernels in C++. */
module org.jhal.spirv {
  requires transitive org.jhal;
  requires transitive org.jhal.kernels;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;

  exports org.jhal.spirv;
}
