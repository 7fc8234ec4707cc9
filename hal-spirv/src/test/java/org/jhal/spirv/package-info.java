// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.jhal.spirv;

import org.jspecify.annotations.NullMarked;
