// SPDX-License-Identifier: Apache-2.0
/** Structured control flow from branches between blocks. */
@NullMarked
package org.jhal.spirv.flow;

import org.jspecify.annotations.NullMarked;
