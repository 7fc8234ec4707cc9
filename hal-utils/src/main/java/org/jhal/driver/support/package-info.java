// SPDX-License-Identifier: Apache-2.0
/** Small tools for threads and events, for drivers and the engine. */
@NullMarked
package org.jhal.driver.support;

import org.jspecify.annotations.NullMarked;
