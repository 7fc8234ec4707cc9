// SPDX-License-Identifier: Apache-2.0
/**
 * What all parts of a device share: its core, the calls into its backend, its threads, what users
 * own of it, who holds it, and the checks of arguments that need no more than that.
 *
 * <p>The lowest room of the engine over the queues. Each part gets a {@code DeviceCore} in its
 * constructor; nothing here knows a buffer, a kernel, an operation's work or a group.
 */
@NullMarked
package org.jhal.engine.base;

import org.jspecify.annotations.NullMarked;
