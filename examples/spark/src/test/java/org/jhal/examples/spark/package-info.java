@NullMarked
package org.jhal.examples.spark;

import org.jspecify.annotations.NullMarked;
