// SPDX-License-Identifier: Apache-2.0
/** Tests that docs/results and the page made of it agree. */
@NullMarked
package org.jhal.bench.results;

import org.jspecify.annotations.NullMarked;
