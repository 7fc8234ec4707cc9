// SPDX-License-Identifier: Apache-2.0
/** Runs a recording on any device, and compares two of them. */
@NullMarked
package org.jhal.recording.replay;

import org.jspecify.annotations.NullMarked;
