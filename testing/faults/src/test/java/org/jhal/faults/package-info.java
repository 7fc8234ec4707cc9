// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.jhal.faults;

import org.jspecify.annotations.NullMarked;
