// SPDX-License-Identifier: Apache-2.0
package org.jhal.driver;

/**
 * What a driver keeps for a recording that is submitted again and again, to issue it faster than
 * command by command: native graphs, for example. {@link DeviceBackend#prepare} makes it, {@link
 * CommandList#prepared} finds it, and {@link NativeStream#submit} uses it or not, as it likes: the
 * results are the same.
 *
 * <p>Thread-safe.
 */
public interface PreparedCommands {
  /**
   * The recording has ended: it is not submitted any more, and no submission of it is in flight.
   * Called at least once, from any thread, with no lock held and before the kernels and the memory
   * that the recording names are released. It also comes, before kernels are unloaded, when the
   * device is closed. It may not block and does not throw.
   */
  void close();
}
