// SPDX-License-Identifier: Apache-2.0
/**
 * Tools for the tests of the suite. {@link org.jhal.cts.support.Cts} provides the device; the
 * others wait, compare bytes, run a second thread, and hold device work.
 */
@NullMarked
package org.jhal.cts.support;

import org.jspecify.annotations.NullMarked;
