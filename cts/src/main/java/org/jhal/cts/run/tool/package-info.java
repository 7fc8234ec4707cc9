// SPDX-License-Identifier: Apache-2.0
/**
 * The suite as the command {@code hal cts}: what it can be asked for, what it prints, and its exit
 * codes.
 *
 * <p>Here belongs what only a user of the command sees. No other package uses this one.
 */
@NullMarked
package org.jhal.cts.run.tool;

import org.jspecify.annotations.NullMarked;
