@NullMarked
package org.jhal.cpu.runtime;

import org.jspecify.annotations.NullMarked;
