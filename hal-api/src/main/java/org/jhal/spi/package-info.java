/** What a driver implements to be found. */
@NullMarked
package org.jhal.spi;

import org.jspecify.annotations.NullMarked;
