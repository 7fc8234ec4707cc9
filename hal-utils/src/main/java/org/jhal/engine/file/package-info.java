// SPDX-License-Identifier: Apache-2.0
/** Files that are read into buffers and written from them, in chunks, by threads of their own. */
@NullMarked
package org.jhal.engine.file;

import org.jspecify.annotations.NullMarked;
