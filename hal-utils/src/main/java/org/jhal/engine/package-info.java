/**
 * Devices, queues, buffers and recordings as users meet them, over any {@link
 * org.jhal.driver.DeviceBackend}. The one public type is {@link org.jhal.engine.EngineDevice}.
 */
@NullMarked
package org.jhal.engine;

import org.jspecify.annotations.NullMarked;
