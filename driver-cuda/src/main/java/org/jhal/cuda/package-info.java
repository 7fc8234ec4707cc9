// SPDX-License-Identifier: Apache-2.0
/** The driver for NVIDIA devices, over the CUDA driver API. */
@NullMarked
package org.jhal.cuda;

import org.jspecify.annotations.NullMarked;
