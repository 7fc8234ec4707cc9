/**
 * The API that programs use: choose a driver by name at run time, open a device, and give its
 * queues work that only timeline semaphores order. Start at {@link org.jhal.Hal}.
 */
@NullMarked
package org.jhal;

import org.jspecify.annotations.NullMarked;
