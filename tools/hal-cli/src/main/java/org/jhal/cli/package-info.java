/** The hal command. */
@NullMarked
package org.jhal.cli;

import org.jspecify.annotations.NullMarked;
