// SPDX-License-Identifier: Apache-2.0
/** Tests of reports and pages. */
@NullMarked
package org.jhal.bench.report;

import org.jspecify.annotations.NullMarked;
