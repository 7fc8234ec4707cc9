// SPDX-License-Identifier: Apache-2.0
/** The interfaces that drivers implement to be found, and what the engine and the API share. */
@NullMarked
package org.jhal.spi;

import org.jspecify.annotations.NullMarked;
