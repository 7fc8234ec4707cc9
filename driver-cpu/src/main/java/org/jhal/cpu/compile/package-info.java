@NullMarked
package org.jhal.cpu.compile;

import org.jspecify.annotations.NullMarked;
