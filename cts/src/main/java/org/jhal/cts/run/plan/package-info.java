// SPDX-License-Identifier: Apache-2.0
/**
 * What a complete run consists of: the tests with their names, invocations, rules and needs, the
 * rules of the contract, and the reasons for which a test may be skipped.
 *
 * <p>Here belongs what can be known without a device and without running a test. This is the lowest
 * package of the runner: it uses none of the others.
 */
@NullMarked
package org.jhal.cts.run.plan;

import org.jspecify.annotations.NullMarked;
