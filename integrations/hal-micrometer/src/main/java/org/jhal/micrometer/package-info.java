// SPDX-License-Identifier: Apache-2.0
/** The state of open devices as meters of Micrometer: {@link org.jhal.micrometer.JhalMetrics}. */
@NullMarked
package org.jhal.micrometer;

import org.jspecify.annotations.NullMarked;
