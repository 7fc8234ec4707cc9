// SPDX-License-Identifier: Apache-2.0
/** The arithmetic of collectives, without devices: which parts are combined, how, and to where. */
@NullMarked
package org.jhal.collectives.arithmetic;

import org.jspecify.annotations.NullMarked;
