// SPDX-License-Identifier: Apache-2.0
/**
 * From a variant of a bundle to loaded kernels: sources and their includes, run-time compilers, the
 * cache of compiled code, and the comparison of kernels with the manifest.
 *
 * <p>Code for kernels before their launch belongs here. It sees neither the calls on a device nor
 * its streams: a driver's {@link org.jhal.gpu.compile.KernelLoader} makes these calls, and the
 * caller says how to free a module.
 */
@NullMarked
package org.jhal.gpu.compile;

import org.jspecify.annotations.NullMarked;
