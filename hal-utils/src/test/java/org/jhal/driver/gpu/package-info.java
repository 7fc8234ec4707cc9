/** What drivers of GPUs share, as far as it needs no runtime. */
@NullMarked
package org.jhal.driver.gpu;

import org.jspecify.annotations.NullMarked;
