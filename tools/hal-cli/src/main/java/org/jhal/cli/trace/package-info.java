// SPDX-License-Identifier: Apache-2.0
/** {@code hal trace}: records what a command does, and makes pictures of recordings. */
@NullMarked
package org.jhal.cli.trace;

import org.jspecify.annotations.NullMarked;
