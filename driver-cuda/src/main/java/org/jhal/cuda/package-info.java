/** A driver for NVIDIA devices, on the CUDA driver API. */
@NullMarked
package org.jhal.cuda;

import org.jspecify.annotations.NullMarked;
