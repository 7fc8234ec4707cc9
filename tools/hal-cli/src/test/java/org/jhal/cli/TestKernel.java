// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import java.util.List;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.Parameter.Direction;
import org.jhal.Parameter.Kind;
import org.jhal.Workgroups;

/** A kernel that is checked but never run. */
record TestKernel(String name, List<Parameter> parameters, Workgroups workgroupSize)
    implements Kernel {
  static TestKernel of(Parameter... parameters) {
    return new TestKernel("f", List.of(parameters), new Workgroups(16, 8, 1));
  }

  static Parameter constant(String name, ElementType type) {
    return new Parameter(name, Kind.CONSTANT, type, Direction.IN);
  }

  static Parameter in(String name, ElementType type) {
    return new Parameter(name, Kind.BUFFER, type, Direction.IN);
  }

  static Parameter out(String name, ElementType type) {
    return new Parameter(name, Kind.BUFFER, type, Direction.OUT);
  }

  static Parameter inout(String name, ElementType type) {
    return new Parameter(name, Kind.BUFFER, type, Direction.INOUT);
  }

  @Override
  public Executable executable() {
    throw new UnsupportedOperationException("a kernel that is never run");
  }

  @Override
  public int dynamicSharedMemory() {
    return 0;
  }
}
