/** Tests of groups of devices that exchange data together. */
@NullMarked
package org.jhal.cts.collective;

import org.jspecify.annotations.NullMarked;
