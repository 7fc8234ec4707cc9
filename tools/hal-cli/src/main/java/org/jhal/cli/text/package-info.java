/** Formats what commands print for people. */
@NullMarked
package org.jhal.cli.text;

import org.jspecify.annotations.NullMarked;
