/**
 * What the cases share: pieces of work on a device, and where to find the program in C.
 *
 * <p>The cases themselves are in {@code host}, {@code vendor}, {@code bulk} and {@code peer}, by
 * what they measure. They do not use each other; what two of them need comes here. A case does not.
 */
@NullMarked
package org.jhal.bench.cases;

import org.jspecify.annotations.NullMarked;
