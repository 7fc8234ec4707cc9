// SPDX-License-Identifier: Apache-2.0
/**
 * What the engine knows of collectives: the hook by which it meets what carries them out. And their
 * arithmetic, without devices: which parts are combined, how, and to where.
 */
@NullMarked
package org.jhal.engine.collective;

import org.jspecify.annotations.NullMarked;
