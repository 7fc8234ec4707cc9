// SPDX-License-Identifier: Apache-2.0
/** Formats what commands print for people. */
@NullMarked
package org.jhal.cli.text;

import org.jspecify.annotations.NullMarked;
