// SPDX-License-Identifier: Apache-2.0
/** Timeline semaphores, those who wait for them, and what becomes of the waits. */
@NullMarked
package org.jhal.engine.timeline;

import org.jspecify.annotations.NullMarked;
