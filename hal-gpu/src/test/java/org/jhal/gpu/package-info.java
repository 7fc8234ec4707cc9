/** What drivers of GPUs share, as far as it needs no runtime. */
@NullMarked
package org.jhal.gpu;

import org.jspecify.annotations.NullMarked;
