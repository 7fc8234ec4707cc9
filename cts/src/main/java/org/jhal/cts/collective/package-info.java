// SPDX-License-Identifier: Apache-2.0
/** Tests of groups of devices that exchange data together (rules G1 to G6). */
@NullMarked
package org.jhal.cts.collective;

import org.jspecify.annotations.NullMarked;
