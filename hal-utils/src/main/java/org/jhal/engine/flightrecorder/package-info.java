// SPDX-License-Identifier: Apache-2.0
/**
 * Events for the flight recorder of the JDK. {@link org.jhal.engine.flightrecorder.FlightRecorder}
 * is the only class for other packages; it also works without the module {@code jdk.jfr}.
 */
@NullMarked
package org.jhal.engine.flightrecorder;

import org.jspecify.annotations.NullMarked;
