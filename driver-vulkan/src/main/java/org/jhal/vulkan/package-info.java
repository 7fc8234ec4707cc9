// SPDX-License-Identifier: Apache-2.0
/** The driver for devices with a Vulkan 1.2 driver. */
@NullMarked
package org.jhal.vulkan;

import org.jspecify.annotations.NullMarked;
