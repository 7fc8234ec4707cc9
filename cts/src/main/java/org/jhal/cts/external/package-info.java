/** Tests of work that the program hands to the device's own runtime (rule Q11). */
@NullMarked
package org.jhal.cts.external;

import org.jspecify.annotations.NullMarked;
