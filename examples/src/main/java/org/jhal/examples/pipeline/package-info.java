/** A program that uses two devices. */
@NullMarked
package org.jhal.examples.pipeline;

import org.jspecify.annotations.NullMarked;
