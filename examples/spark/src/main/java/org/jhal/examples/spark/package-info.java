/** An application that computes on the devices of a Spark cluster. */
@NullMarked
package org.jhal.examples.spark;

import org.jspecify.annotations.NullMarked;
