/**
 * How something is measured: cases, their series and subjects, rounds of samples, and what comes of
 * them. Knows no case.
 */
@NullMarked
package org.jhal.bench.measure;

import org.jspecify.annotations.NullMarked;
