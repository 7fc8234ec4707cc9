/** The CUDA driver as the conformance suite sees it. */
@NullMarked
package org.jhal.cuda.cts;

import org.jspecify.annotations.NullMarked;
