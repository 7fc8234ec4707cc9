/** Tests of what finds and asks the HIP runtime. */
@NullMarked
package org.jhal.hip;

import org.jspecify.annotations.NullMarked;
