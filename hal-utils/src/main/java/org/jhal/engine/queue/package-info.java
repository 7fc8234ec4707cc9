/** Timelines, and the operations that wait for them and signal them. */
@NullMarked
package org.jhal.engine.queue;

import org.jspecify.annotations.NullMarked;
