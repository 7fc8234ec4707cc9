/** Settings of a device: what may be set, where a value came from, and what the engine needs. */
@NullMarked
package org.jhal.driver.options;

import org.jspecify.annotations.NullMarked;
