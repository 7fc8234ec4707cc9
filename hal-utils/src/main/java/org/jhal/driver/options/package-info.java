// SPDX-License-Identifier: Apache-2.0
/** Options of a driver, settings of a device and their origins, and the engine's configuration. */
@NullMarked
package org.jhal.driver.options;

import org.jspecify.annotations.NullMarked;
