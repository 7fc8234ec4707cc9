// SPDX-License-Identifier: Apache-2.0
/** Tests of external work, and of imported memory and events (rules Q11 and M7). */
@NullMarked
package org.jhal.cts.external;

import org.jspecify.annotations.NullMarked;
