// SPDX-License-Identifier: Apache-2.0
/**
 * Collectives of several devices: the group, its life, and the two forms in which a collective is
 * carried out, by a driver's library and through the host.
 *
 * <p>The engine finds {@link org.jhal.collectives.EngineCollectives} as a service; what it calls is
 * in {@code org.jhal.engine.collective}. The arithmetic is in {@code
 * org.jhal.collectives.arithmetic}.
 */
@NullMarked
package org.jhal.collectives;

import org.jspecify.annotations.NullMarked;
