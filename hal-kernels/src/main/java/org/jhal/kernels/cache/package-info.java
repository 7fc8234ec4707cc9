// SPDX-License-Identifier: Apache-2.0
/**
 * Compiled kernels that outlive the process: the folder that holds them, the format of its files,
 * and {@code hal cache}. Knows nothing of compilers.
 *
 * <p>Code from the folder runs on the device, so the folder is the boundary of trust: {@link
 * org.jhal.kernels.cache.PrivateFolder} decides which files are read, and {@link
 * org.jhal.kernels.cache.CacheEntry} which contents are accepted.
 */
@NullMarked
package org.jhal.kernels.cache;

import org.jspecify.annotations.NullMarked;
