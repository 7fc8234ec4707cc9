/**
 * What the tests of drivers of GPUs share: a driver over simulated devices, its backend for the
 * conformance suite, streams that stand still, one native call that fails, and how to watch the
 * log, the deadline or a process.
 *
 * <p>Here belongs what more than one of the packages with tests needs, and what a driver's own
 * tests implement. No test is here, and nothing here uses the packages with tests.
 */
@NullMarked
package org.jhal.simulator.kit;

import org.jspecify.annotations.NullMarked;
