/** Tests of the CUDA driver. */
@NullMarked
package org.jhal.cuda;

import org.jspecify.annotations.NullMarked;
