/**
 * Writes results down: tables for people, JSON for programs, and what machine they are from.
 *
 * <p>In files and on pages, a baseline is called {@code peer}, as in those that were recorded
 * before.
 */
@NullMarked
package org.jhal.bench.report;

import org.jspecify.annotations.NullMarked;
