// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.stream;

import java.nio.ByteBuffer;
import org.jhal.HostMemory;
import org.jhal.Workgroups;
import org.jhal.driver.Command;
import org.jhal.driver.ExternalCall;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Operand;

/**
 * An indirect dispatch whose grid was read: a dispatch.
 *
 * @param indirect the command
 * @param grid what was read
 */
record KnownGrid(Command indirect, Workgroups grid) implements Command {
  @Override
  public Kind kind() {
    return Kind.DISPATCH;
  }

  @Override
  public Operand source() {
    return indirect.source();
  }

  @Override
  public Operand target() {
    return indirect.target();
  }

  @Override
  public int pattern() {
    return indirect.pattern();
  }

  @Override
  public int patternBytes() {
    return indirect.patternBytes();
  }

  @Override
  public ByteBuffer bytes() {
    return indirect.bytes();
  }

  @Override
  public byte[] array() {
    return indirect.array();
  }

  @Override
  public HostMemory host() {
    return indirect.host();
  }

  @Override
  public LoadedKernel kernel() {
    return indirect.kernel();
  }

  @Override
  public int groupsX() {
    return grid.x();
  }

  @Override
  public int groupsY() {
    return grid.y();
  }

  @Override
  public int groupsZ() {
    return grid.z();
  }

  @Override
  public ExternalCall external() {
    return indirect.external();
  }

  @Override
  public long event() {
    return indirect.event();
  }

  @Override
  public Operand argument(int index) {
    return indirect.argument(index);
  }
}
