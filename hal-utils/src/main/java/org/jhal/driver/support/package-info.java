/** Small tools for threads that drivers need as well as the engine. */
@NullMarked
package org.jhal.driver.support;

import org.jspecify.annotations.NullMarked;
