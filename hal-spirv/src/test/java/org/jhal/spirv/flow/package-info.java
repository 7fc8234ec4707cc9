// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.jhal.spirv.flow;

import org.jspecify.annotations.NullMarked;
