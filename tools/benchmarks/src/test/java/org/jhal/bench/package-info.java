/** Tests of the benchmarks. */
@NullMarked
package org.jhal.bench;

import org.jspecify.annotations.NullMarked;
