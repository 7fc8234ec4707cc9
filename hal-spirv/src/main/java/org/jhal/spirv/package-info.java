// SPDX-License-Identifier: Apache-2.0
/** Kernels for Vulkan, from the SPIR-V that compilers make of kernels in C++. */
@NullMarked
package org.jhal.spirv;

import org.jspecify.annotations.NullMarked;
