/** What the process around devices must be able to do: exit, and unload an application. */
@NullMarked
package org.jhal.bench.process;

import org.jspecify.annotations.NullMarked;
