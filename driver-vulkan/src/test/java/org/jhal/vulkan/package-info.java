// SPDX-License-Identifier: Apache-2.0
/** Tests of the driver for Vulkan. */
@NullMarked
package org.jhal.vulkan;

import org.jspecify.annotations.NullMarked;
