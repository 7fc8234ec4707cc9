/**
 * The classes behind the interfaces that users see: devices, queues, buffers and recordings, over
 * any {@link org.jhal.driver.DeviceBackend}. The one public type is {@link
 * org.jhal.engine.EngineDevice}.
 */
@NullMarked
package org.jhal.engine;

import org.jspecify.annotations.NullMarked;
