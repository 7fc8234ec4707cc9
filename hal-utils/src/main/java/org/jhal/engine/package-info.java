/**
 * Puts the engine together. {@link org.jhal.engine.EngineDevice}, the one public type, makes an
 * open device of any {@link org.jhal.driver.DeviceBackend}; {@code EngineQueue} turns each call of
 * a user into an operation; {@code DeviceShutdown} closes what the others have opened.
 *
 * <p>All else lives in the rooms below. They never look up to this one, nor to one another in a
 * circle; {@code docs/design.md} has the table.
 */
@NullMarked
package org.jhal.engine;

import org.jspecify.annotations.NullMarked;
