// SPDX-License-Identifier: Apache-2.0
/**
 * The file of a recording: blocks, what is in them, writing and reading. docs/recording.md
 * describes it.
 */
@NullMarked
package org.jhal.recording.format;

import org.jspecify.annotations.NullMarked;
