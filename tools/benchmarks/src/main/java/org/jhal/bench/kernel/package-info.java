/** The kernel that cases and their peers launch. */
@NullMarked
package org.jhal.bench.kernel;

import org.jspecify.annotations.NullMarked;
