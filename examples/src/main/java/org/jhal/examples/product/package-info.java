// SPDX-License-Identifier: Apache-2.0
/** A matrix product by a vendor's library, in the order of a timeline. */
@NullMarked
package org.jhal.examples.product;

import org.jspecify.annotations.NullMarked;
