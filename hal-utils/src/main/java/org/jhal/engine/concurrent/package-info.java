// SPDX-License-Identifier: Apache-2.0
/** Building blocks for concurrent code: worker threads, gates, reference counts, and a heap. */
@NullMarked
package org.jhal.engine.concurrent;

import org.jspecify.annotations.NullMarked;
