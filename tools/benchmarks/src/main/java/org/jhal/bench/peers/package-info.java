/** What JHAL is compared with: the same work in C, through JCuda, and with what the JDK has. */
@NullMarked
package org.jhal.bench.peers;

import org.jspecify.annotations.NullMarked;
