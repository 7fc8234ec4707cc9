// SPDX-License-Identifier: Apache-2.0
/**
 * Runs tests of the suite: {@link org.jhal.cts.run.CtsRun} runs many, and {@link
 * org.jhal.cts.run.CtsSuite} applies the runner to a class of tests that another launcher runs.
 *
 * <p>Here belongs what happens around each test: its devices, its deadline, its process, the check
 * of what it leaves, and the record of a run. What a run consists of is in {@code plan}, its result
 * in {@code report}, and what users type and read in {@code tool}, which this package must not use.
 */
@NullMarked
package org.jhal.cts.run;

import org.jspecify.annotations.NullMarked;
