// SPDX-License-Identifier: Apache-2.0
/**
 * The copies of native streams, as the rings of {@code org.jhal.driver.transfer} and what is freed
 * later need them.
 *
 * <p>In it comes what copies between staging memory and the device. What decides how a command's
 * bytes go is in {@code org.jhal.gpu.stream}.
 */
@NullMarked
package org.jhal.gpu.transfer;

import org.jspecify.annotations.NullMarked;
