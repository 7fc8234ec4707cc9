/**
 * Runs the suite: finds its tests, checks opt-outs and needs, runs each test with a deadline and
 * checks what it leaves, and reports. {@link org.jhal.cts.run.CtsTool} is the command, {@link
 * org.jhal.cts.run.CtsRun} the same for programs; {@link org.jhal.cts.run.CtsSuite} brings the
 * runner to a class of tests that another launcher runs.
 */
@NullMarked
package org.jhal.cts.run;

import org.jspecify.annotations.NullMarked;
