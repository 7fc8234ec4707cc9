/** What the author of a driver implements so that it is found. */
@NullMarked
package org.jhal.spi;

import org.jspecify.annotations.NullMarked;
