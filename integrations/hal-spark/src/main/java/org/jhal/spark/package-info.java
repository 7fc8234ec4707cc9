// SPDX-License-Identifier: Apache-2.0
/** Devices of JHAL as resources of Apache Spark: Spark places the work, JHAL runs it. */
@NullMarked
package org.jhal.spark;

import org.jspecify.annotations.NullMarked;
