/** Writes results down: tables for people, JSON for programs, and what machine they are from. */
@NullMarked
package org.jhal.bench.report;

import org.jspecify.annotations.NullMarked;
