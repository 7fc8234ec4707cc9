// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.jhal.kotlin;

import org.jspecify.annotations.NullMarked;
