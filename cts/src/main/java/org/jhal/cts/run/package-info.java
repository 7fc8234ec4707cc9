/**
 * Runs the suite: finds its tests, checks opt-outs and needs, runs each test with a deadline,
 * checks what it leaves, and reports. {@link org.jhal.cts.run.CtsTool} is the command, and {@link
 * org.jhal.cts.run.CtsRun} its equivalent for programs. {@link org.jhal.cts.run.CtsSuite} applies
 * the runner to a class of tests that another launcher runs.
 */
@NullMarked
package org.jhal.cts.run;

import org.jspecify.annotations.NullMarked;
