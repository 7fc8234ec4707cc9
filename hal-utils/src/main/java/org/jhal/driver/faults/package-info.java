// SPDX-License-Identifier: Apache-2.0
/** Makes calls of a driver fail on purpose, for tests of failures. */
@NullMarked
package org.jhal.driver.faults;

import org.jspecify.annotations.NullMarked;
