// SPDX-License-Identifier: Apache-2.0
/** How the engine finds modules of JHAL that a program may leave out. */
@NullMarked
package org.jhal.engine.module;

import org.jspecify.annotations.NullMarked;
