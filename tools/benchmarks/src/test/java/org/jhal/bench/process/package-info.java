// SPDX-License-Identifier: Apache-2.0
/** Processes with devices: their exit, and the unloading of an application. */
@NullMarked
package org.jhal.bench.process;

import org.jspecify.annotations.NullMarked;
