/** What a kernel written in Java is given when it runs. */
@NullMarked
package org.jhal.kernel;

import org.jspecify.annotations.NullMarked;
