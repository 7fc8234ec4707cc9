/**
 * What tests of the suite work with: {@link org.jhal.cts.support.Cts} gives the device, the others
 * wait, compare bytes, run a second thread, and hold device work.
 */
@NullMarked
package org.jhal.cts.support;

import org.jspecify.annotations.NullMarked;
