/** What a driver author implements. */
@NullMarked
package org.jhal.spi;

import org.jspecify.annotations.NullMarked;
