/**
 * The native functions, and what needs no open device: native libraries and how they are found,
 * result codes, what a device is like before it is opened, memory for structures of native
 * functions, and the gate through which native calls go.
 *
 * <p>The lowest package. In it comes what drivers and all other packages of this module may use,
 * and what could also serve a library that has nothing to do with a device. What calls the
 * functions of an open device is in {@code org.jhal.gpu.runtime}; what compiles is in {@code
 * org.jhal.gpu.compile}.
 */
@NullMarked
package org.jhal.gpu.natives;

import org.jspecify.annotations.NullMarked;
