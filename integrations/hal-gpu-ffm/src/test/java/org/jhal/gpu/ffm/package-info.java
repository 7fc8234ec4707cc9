// SPDX-License-Identifier: Apache-2.0
/** Tests of the binding. */
@NullMarked
package org.jhal.gpu.ffm;

import org.jspecify.annotations.NullMarked;
