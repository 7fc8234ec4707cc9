// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

import org.jhal.HalException;
import org.jspecify.annotations.Nullable;

/** Work of the program, as a driver runs it: the call of an external command. */
public interface ExternalCall {
  /** How many buffers the command has, see {@link Command#argument}. */
  int bufferCount();

  /**
   * Runs the work. Called once, with no lock held.
   *
   * <p>With {@link org.jhal.Capability#NATIVE_ACCESS} the driver calls it in {@link
   * NativeStream#submit}, with the device bound, and then makes the device current again, since the
   * work may have made another one current. If the work has failed, the driver asks its runtime
   * whether the device is lost. A driver without the capability runs it as it runs any command.
   *
   * @param access what is lent to the work; used until this returns
   * @return why the work has failed, for {@link Submission#fail}, or null
   */
  @Nullable HalException run(NativeAccess access);
}
