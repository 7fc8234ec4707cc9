/** Tests of the binding. */
@NullMarked
package org.jhal.gpu.ffm;

import org.jspecify.annotations.NullMarked;
