// SPDX-License-Identifier: Apache-2.0
/** {@code hal bench}: what submissions cost, measured. */
@NullMarked
package org.jhal.bench;

import org.jspecify.annotations.NullMarked;
