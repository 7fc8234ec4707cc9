/**
 * What all parts of a device share: its core, the calls into its backend, its threads, what users
 * own of it, who holds it, and the checks of arguments that need no more than that.
 *
 * <p>The lowest room of the engine over the queues. Parts get a {@code DeviceCore} from whoever
 * makes them; nothing here knows a buffer, a kernel, an operation's work or a group.
 */
@NullMarked
package org.jhal.engine.base;

import org.jspecify.annotations.NullMarked;
