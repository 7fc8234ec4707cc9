// SPDX-License-Identifier: Apache-2.0
/**
 * The order of operations and the memory that they touch, for {@code validate=hazards}: finds two
 * operations that touch the same bytes, one of them writing, without a path of waits between them.
 *
 * <p>An operation is <em>recorded</em> when it is enqueued, and <em>placed</em> when each of its
 * waits has a signal that is recorded: then it is known what comes before it, and it is compared
 * with what was placed earlier and has touched the same bytes. So producers are placed before their
 * consumers, in whichever order they were enqueued, and nothing depends on when devices run them.
 */
@NullMarked
package org.jhal.engine.hazard;

import org.jspecify.annotations.NullMarked;
