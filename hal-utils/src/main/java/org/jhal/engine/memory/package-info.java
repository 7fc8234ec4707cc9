// SPDX-License-Identifier: Apache-2.0
/**
 * The memory of buffers, the buffers that users see, and how they map it.
 *
 * <p>Memory of other devices belongs here, as a stand-in; work on memory does not.
 */
@NullMarked
package org.jhal.engine.memory;

import org.jspecify.annotations.NullMarked;
