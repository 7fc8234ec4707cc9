/**
 * Options of a driver, the settings of a device and where they came from, and the engine's
 * configuration.
 */
@NullMarked
package org.jhal.driver.options;

import org.jspecify.annotations.NullMarked;
