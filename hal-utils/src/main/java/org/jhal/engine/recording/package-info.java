/**
 * Commands that were checked once and are issued later, alone or as a recording.
 *
 * <p>Each command is checked here, against buffers and kernels, and nowhere else.
 */
@NullMarked
package org.jhal.engine.recording;

import org.jspecify.annotations.NullMarked;
