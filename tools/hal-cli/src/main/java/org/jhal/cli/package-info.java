// SPDX-License-Identifier: Apache-2.0
/** The hal command. */
@NullMarked
package org.jhal.cli;

import org.jspecify.annotations.NullMarked;
