// SPDX-License-Identifier: Apache-2.0
/** Watches the devices of a running process through JMX. */
@NullMarked
package org.jhal.cli.top;

import org.jspecify.annotations.NullMarked;
