/** The Java kernels of the example bundles, and the program that made their inputs. */
@NullMarked
package org.jhal.examples;

import org.jspecify.annotations.NullMarked;
