// SPDX-License-Identifier: Apache-2.0
/** An application that computes on the devices of a Spark cluster. */
@NullMarked
package org.jhal.examples.spark;

import org.jspecify.annotations.NullMarked;
