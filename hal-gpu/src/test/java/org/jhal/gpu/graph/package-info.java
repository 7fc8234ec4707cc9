// SPDX-License-Identifier: Apache-2.0
/** Tests of graphs on a runtime that does nothing. */
@NullMarked
package org.jhal.gpu.graph;

import org.jspecify.annotations.NullMarked;
