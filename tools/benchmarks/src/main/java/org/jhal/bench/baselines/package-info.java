/**
 * What JHAL is compared with: the same work in C, through JCuda, and with what the JDK has.
 *
 * <p>Nothing here uses a device of JHAL. Which baseline a case has, and what it may cost beside it,
 * is up to the case.
 */
@NullMarked
package org.jhal.bench.baselines;

import org.jspecify.annotations.NullMarked;
