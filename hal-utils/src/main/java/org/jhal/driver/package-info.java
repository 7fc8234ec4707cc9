// SPDX-License-Identifier: Apache-2.0
/** The interfaces that a driver implements, and those through which the engine talks to it. */
@NullMarked
package org.jhal.driver;

import org.jspecify.annotations.NullMarked;
