// SPDX-License-Identifier: Apache-2.0
/**
 * The report of a run: its data, how it is written as JSON, XML and a page, how it is read, and
 * what it must contain to prove conformance.
 *
 * <p>Here belongs what needs a report only. Nothing here runs a test or opens a device. It uses
 * {@code plan}, with which it compares a report, and no other package of the runner.
 */
@NullMarked
package org.jhal.cts.run.report;

import org.jspecify.annotations.NullMarked;
