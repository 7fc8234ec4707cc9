// SPDX-License-Identifier: Apache-2.0
/** Memory segments as host memory. */
@NullMarked
package org.jhal.segments;

import org.jspecify.annotations.NullMarked;
