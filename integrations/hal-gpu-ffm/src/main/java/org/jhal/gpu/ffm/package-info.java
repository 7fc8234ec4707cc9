// SPDX-License-Identifier: Apache-2.0
/** Native functions through Java's Foreign Function and Memory API. */
@NullMarked
package org.jhal.gpu.ffm;

import org.jspecify.annotations.NullMarked;
