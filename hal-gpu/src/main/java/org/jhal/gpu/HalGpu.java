// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu;

import org.jhal.spi.BoundModule;

/** Binds this module beside drivers that are automatic modules. */
public final class HalGpu implements BoundModule {}
