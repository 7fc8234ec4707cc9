// SPDX-License-Identifier: Apache-2.0
/** Tests of streams on a runtime that does nothing by itself. */
@NullMarked
package org.jhal.gpu.stream;

import org.jspecify.annotations.NullMarked;
