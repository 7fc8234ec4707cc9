/** Tests of what tasks of Spark have of JHAL. */
@NullMarked
package org.jhal.spark;

import org.jspecify.annotations.NullMarked;
