// SPDX-License-Identifier: Apache-2.0
/** The driver for the processors of this machine. */
@NullMarked
package org.jhal.cpu;

import org.jspecify.annotations.NullMarked;
