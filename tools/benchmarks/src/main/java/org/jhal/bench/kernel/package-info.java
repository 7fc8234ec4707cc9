// SPDX-License-Identifier: Apache-2.0
/** The kernel that cases and their baselines launch. */
@NullMarked
package org.jhal.bench.kernel;

import org.jspecify.annotations.NullMarked;
