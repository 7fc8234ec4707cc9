// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.jhal.driver.cache;

import org.jspecify.annotations.NullMarked;
