// SPDX-License-Identifier: Apache-2.0
/**
 * What the functions of the dialect compute: their list, operands, and the results that were
 * measured on a device or computed exactly, with which a device is compared.
 */
@NullMarked
package org.jhal.cts.arithmetic;

import org.jspecify.annotations.NullMarked;
