/** What is measured: all cases of hal bench. */
@NullMarked
package org.jhal.bench.cases;

import org.jspecify.annotations.NullMarked;
