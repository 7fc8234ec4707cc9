// SPDX-License-Identifier: Apache-2.0
/** Tests of the CUDA driver. */
@NullMarked
package org.jhal.cuda;

import org.jspecify.annotations.NullMarked;
