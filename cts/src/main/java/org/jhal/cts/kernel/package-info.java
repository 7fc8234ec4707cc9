/** Tests of executables and dispatches (rules M6 and M8). */
@NullMarked
package org.jhal.cts.kernel;

import org.jspecify.annotations.NullMarked;
