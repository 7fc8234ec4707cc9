/** What a user calls: devices, queues, semaphores, buffers, executables. */
@NullMarked
package org.jhal;

import org.jspecify.annotations.NullMarked;
