/**
 * Moves bytes between memory that is not page-locked and the device: a ring for each stream for
 * what is captured while it is issued, and a ring for each device, with threads of its own, for the
 * rest.
 *
 * <p>In it comes what stages, and what says how far the device has read it. What decides how a
 * command's bytes go is in {@code org.jhal.gpu.stream}.
 */
@NullMarked
package org.jhal.gpu.transfer;

import org.jspecify.annotations.NullMarked;
