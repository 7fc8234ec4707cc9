// SPDX-License-Identifier: Apache-2.0
/**
 * The API for programs: choose a driver by name at run time, open a device, and submit work to its
 * queues, in an order that only timeline semaphores define. Start at {@link org.jhal.Hal}.
 */
@NullMarked
package org.jhal;

import org.jspecify.annotations.NullMarked;
