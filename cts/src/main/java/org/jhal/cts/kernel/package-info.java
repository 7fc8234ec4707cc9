// SPDX-License-Identifier: Apache-2.0
/** Tests of executables and dispatches (rules M5, M6 and M8). */
@NullMarked
package org.jhal.cts.kernel;

import org.jspecify.annotations.NullMarked;
