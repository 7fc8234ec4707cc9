// SPDX-License-Identifier: Apache-2.0
/** What the engine tells of a device, on its way into the file. */
@NullMarked
package org.jhal.recording.capture;

import org.jspecify.annotations.NullMarked;
