/** The conformance suite that holds all drivers to one contract. */
@NullMarked
package org.jhal.cts;

import org.jspecify.annotations.NullMarked;
