// SPDX-License-Identifier: Apache-2.0
/** The files that {@code hal run} reads and writes: .npy, .png and raw bytes. */
@NullMarked
package org.jhal.cli.data;

import org.jspecify.annotations.NullMarked;
