@NullMarked
package org.jhal.cpu.translate;

import org.jspecify.annotations.NullMarked;
