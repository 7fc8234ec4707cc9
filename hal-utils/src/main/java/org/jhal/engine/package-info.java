// SPDX-License-Identifier: Apache-2.0
/**
 * Puts the engine together. {@link org.jhal.engine.EngineDevice}, the one public type, turns any
 * {@link org.jhal.driver.DeviceBackend} into an open device; {@code EngineQueue} turns each call of
 * a user into an operation; {@code DeviceShutdown} closes the device.
 *
 * <p>Everything else is in the rooms below, which see neither this one nor one another in a circle;
 * {@code docs/design.md} has the table.
 */
@NullMarked
package org.jhal.engine;

import org.jspecify.annotations.NullMarked;
