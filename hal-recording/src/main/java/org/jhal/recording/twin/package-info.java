// SPDX-License-Identifier: Apache-2.0
/** The driver {@code twin}, whose device does everything on two others and compares the results. */
@NullMarked
package org.jhal.recording.twin;

import org.jspecify.annotations.NullMarked;
