/** What collectives compute, without devices: which parts are combined and written, and how. */
@NullMarked
package org.jhal.engine.collective;

import org.jspecify.annotations.NullMarked;
