// SPDX-License-Identifier: Apache-2.0
/** The mock driver's side of the conformance suite. */
@NullMarked
package org.jhal.mock.cts;

import org.jspecify.annotations.NullMarked;
