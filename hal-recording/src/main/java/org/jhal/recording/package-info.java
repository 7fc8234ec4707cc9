// SPDX-License-Identifier: Apache-2.0
/** The driver {@code record}, which opens a device of another driver and has it recorded. */
@NullMarked
package org.jhal.recording;

import org.jspecify.annotations.NullMarked;
