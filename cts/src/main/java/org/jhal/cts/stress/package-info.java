/**
 * Tests of much work at once: long chains, random graphs, many threads (rules K1, K2, and all that
 * they lean on).
 */
@NullMarked
package org.jhal.cts.stress;

import org.jspecify.annotations.NullMarked;
