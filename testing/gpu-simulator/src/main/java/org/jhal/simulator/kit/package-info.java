// SPDX-License-Identifier: Apache-2.0
/**
 * Shared by the tests of drivers of GPUs: a driver over simulated devices, its backend for the
 * conformance suite, paused streams, a failing native call, and helpers to watch the log, a
 * deadline or a process.
 *
 * <p>Here belong helpers that more than one of the packages with tests needs, and interfaces that a
 * driver's own tests implement. No test is here, and nothing here uses the packages with tests.
 */
@NullMarked
package org.jhal.simulator.kit;

import org.jspecify.annotations.NullMarked;
