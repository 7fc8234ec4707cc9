// SPDX-License-Identifier: Apache-2.0
/**
 * Writes pages that need neither a network nor a script, for the reports of this and other modules,
 * and checks beforehand whether a report can be written.
 */
@NullMarked
package org.jhal.cts.html;

import org.jspecify.annotations.NullMarked;
