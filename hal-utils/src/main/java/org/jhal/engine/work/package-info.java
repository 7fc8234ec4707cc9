// SPDX-License-Identifier: Apache-2.0
/**
 * The work of operations, a class for each kind, which keeps its resources alive.
 *
 * <p>Work on files and in groups is in their rooms.
 */
@NullMarked
package org.jhal.engine.work;

import org.jspecify.annotations.NullMarked;
