// SPDX-License-Identifier: Apache-2.0
/**
 * What JHAL is compared with: the same work in C, through JCuda, and with the JDK alone.
 *
 * <p>Nothing here uses a device of JHAL. Each case selects its baselines, and sets its aims.
 */
@NullMarked
package org.jhal.bench.baselines;

import org.jspecify.annotations.NullMarked;
