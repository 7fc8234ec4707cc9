// SPDX-License-Identifier: Apache-2.0
/** Tests of the HIP driver. */
@NullMarked
package org.jhal.hip;

import org.jspecify.annotations.NullMarked;
