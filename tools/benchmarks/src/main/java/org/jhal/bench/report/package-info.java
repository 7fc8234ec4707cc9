// SPDX-License-Identifier: Apache-2.0
/**
 * Writes results: tables for people, JSON for programs, and the facts about the machine.
 *
 * <p>In files and on pages, a baseline is called {@code peer}.
 */
@NullMarked
package org.jhal.bench.report;

import org.jspecify.annotations.NullMarked;
