// SPDX-License-Identifier: Apache-2.0
/** Clang and LLVM, which make the SPIR-V that is translated. */
@NullMarked
package org.jhal.spirv.compile;

import org.jspecify.annotations.NullMarked;
