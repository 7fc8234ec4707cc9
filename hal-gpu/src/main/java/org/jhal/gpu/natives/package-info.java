// SPDX-License-Identifier: Apache-2.0
/**
 * The native functions, and code without an open device: native libraries and the search for them,
 * result codes, a vendor's runtime with what its devices share, devices before they are opened, and
 * memory for native structures.
 *
 * <p>The lowest package, for use by drivers and all other packages of this module. Calls on an open
 * device are in {@code org.jhal.gpu.runtime}, compilers in {@code org.jhal.gpu.compile}.
 */
@NullMarked
package org.jhal.gpu.natives;

import org.jspecify.annotations.NullMarked;
