// SPDX-License-Identifier: Apache-2.0
/**
 * Collectives of several devices: the group, its life, and the two forms in which a collective is
 * carried out, by a driver's library and through the host.
 *
 * <p>The arithmetic of the latter is in {@code org.jhal.engine.collective}.
 */
@NullMarked
package org.jhal.engine.group;

import org.jspecify.annotations.NullMarked;
