// SPDX-License-Identifier: Apache-2.0
/** The kernels that the suite's tests run, written once for each executable format. */
@NullMarked
package org.jhal.cts.kernels;

import org.jspecify.annotations.NullMarked;
