// SPDX-License-Identifier: Apache-2.0
/** Libraries that stand in for the HIP runtime and HIPRTC. */
@NullMarked
package org.jhal.hip.sim;

import org.jspecify.annotations.NullMarked;
