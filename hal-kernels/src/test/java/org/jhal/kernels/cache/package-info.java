// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.jhal.kernels.cache;

import org.jspecify.annotations.NullMarked;
