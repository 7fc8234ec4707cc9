/**
 * The memory of buffers, the buffers that users see, and how they map it.
 *
 * <p>Memory of other devices comes in here, as a storage that stands for another one. What is done
 * with the memory does not.
 */
@NullMarked
package org.jhal.engine.memory;

import org.jspecify.annotations.NullMarked;
