// SPDX-License-Identifier: Apache-2.0
/**
 * What the engine knows of collectives: the hook by which it meets the module that carries them
 * out, {@code org.jhal.collectives}.
 */
@NullMarked
package org.jhal.engine.collective;

import org.jspecify.annotations.NullMarked;
