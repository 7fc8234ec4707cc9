// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.jhal.spirv.compile;

import org.jspecify.annotations.NullMarked;
