// SPDX-License-Identifier: Apache-2.0
/**
 * Commands that are checked once and issued later, alone or as a recording.
 *
 * <p>Only this package checks commands against buffers and kernels.
 */
@NullMarked
package org.jhal.engine.recording;

import org.jspecify.annotations.NullMarked;
