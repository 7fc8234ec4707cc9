// SPDX-License-Identifier: Apache-2.0
/**
 * For tests of a driver: wraps its backend, so that calls fail, streams are held and devices are
 * lost on purpose. {@link org.jhal.testkit.DeviceControls} is what a driver extends; the
 * conformance suite runs about eighty more tests with it.
 */
@NullMarked
package org.jhal.testkit;

import org.jspecify.annotations.NullMarked;
