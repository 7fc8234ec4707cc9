// SPDX-License-Identifier: Apache-2.0
/** A module of SPIR-V as it is read. */
@NullMarked
package org.jhal.spirv.module;

import org.jspecify.annotations.NullMarked;
