/**
 * What happened, for the flight recorder of the JDK. {@link
 * org.jhal.engine.flightrecorder.FlightRecorder} is the only class that others use; it works
 * without the module {@code jdk.jfr}, too.
 */
@NullMarked
package org.jhal.engine.flightrecorder;

import org.jspecify.annotations.NullMarked;
