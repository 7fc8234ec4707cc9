// SPDX-License-Identifier: Apache-2.0
/** A driver that runs everything on the CPU, asynchronously, and can fail on purpose. */
@NullMarked
package org.jhal.mock;

import org.jspecify.annotations.NullMarked;
