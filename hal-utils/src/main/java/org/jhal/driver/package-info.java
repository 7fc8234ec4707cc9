/** What a driver implements, and what the engine hands it. */
@NullMarked
package org.jhal.driver;

import org.jspecify.annotations.NullMarked;
