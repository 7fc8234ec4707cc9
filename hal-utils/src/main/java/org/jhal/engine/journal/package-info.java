// SPDX-License-Identifier: Apache-2.0
/**
 * The hook for recordings: what the engine tells the module that writes them, and how it finds that
 * module. Nothing is called on a device that is not recorded.
 */
@NullMarked
package org.jhal.engine.journal;

import org.jspecify.annotations.NullMarked;
