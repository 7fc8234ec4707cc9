// SPDX-License-Identifier: Apache-2.0
/** The translation of kernels into those of Vulkan. */
@NullMarked
package org.jhal.spirv.translate;

import org.jspecify.annotations.NullMarked;
