/** Tests of command buffers and binding tables: recording, order, reuse (rules M2 to M5). */
@NullMarked
package org.jhal.cts.command;

import org.jspecify.annotations.NullMarked;
