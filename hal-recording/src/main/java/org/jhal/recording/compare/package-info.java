// SPDX-License-Identifier: Apache-2.0
/** Dispatches on two devices, and whether both have written the same. */
@NullMarked
package org.jhal.recording.compare;

import org.jspecify.annotations.NullMarked;
