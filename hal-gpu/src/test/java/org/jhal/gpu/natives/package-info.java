// SPDX-License-Identifier: Apache-2.0
/** Tests that need no open device. */
@NullMarked
package org.jhal.gpu.natives;

import org.jspecify.annotations.NullMarked;
