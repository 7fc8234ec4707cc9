@NullMarked
package org.jhal.driver.cache;

import org.jspecify.annotations.NullMarked;
