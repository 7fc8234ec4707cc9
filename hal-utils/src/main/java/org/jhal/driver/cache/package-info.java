/**
 * Compiled kernels that outlive the process: the folder that holds them, the format of its files,
 * and {@code hal cache}. Knows nothing of compilers.
 *
 * <p>What is loaded from the folder runs on the device, so the folder is the boundary of trust: see
 * {@link org.jhal.driver.cache.PrivateFolder} for what is read, and {@link
 * org.jhal.driver.cache.CacheEntry} for what is believed.
 */
@NullMarked
package org.jhal.driver.cache;

import org.jspecify.annotations.NullMarked;
