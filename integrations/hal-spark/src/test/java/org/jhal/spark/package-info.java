// SPDX-License-Identifier: Apache-2.0
/** Tests of JHAL in tasks of Spark. */
@NullMarked
package org.jhal.spark;

import org.jspecify.annotations.NullMarked;
