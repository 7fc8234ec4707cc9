// SPDX-License-Identifier: Apache-2.0
/** The simulator by itself, with the smallest faces. */
@NullMarked
package org.jhal.simulator;

import org.jspecify.annotations.NullMarked;
