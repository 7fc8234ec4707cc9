// SPDX-License-Identifier: Apache-2.0
/** Programs that forget to wait, with their sound twins. */
@NullMarked
package org.jhal.faults.order;

import org.jspecify.annotations.NullMarked;
