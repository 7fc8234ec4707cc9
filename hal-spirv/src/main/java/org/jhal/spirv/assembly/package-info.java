// SPDX-License-Identifier: Apache-2.0
/** A module of SPIR-V in the making. */
@NullMarked
package org.jhal.spirv.assembly;

import org.jspecify.annotations.NullMarked;
