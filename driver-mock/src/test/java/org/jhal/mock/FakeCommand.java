// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Objects;
import org.jhal.HostMemory;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.ExternalCall;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Operand;
import org.jspecify.annotations.Nullable;

/** A command for tests of a stream without the engine. */
record FakeCommand(
    Command.Kind kind,
    @Nullable Range from,
    @Nullable Range to,
    int pattern,
    int patternBytes,
    byte[] array,
    @Nullable HostMemory memory,
    @Nullable ExternalCall call,
    List<Range> arguments)
    implements Command {
  /** An operand that names its memory. */
  record Range(MockMemory memory, long offset, long length) implements Operand {}

  private FakeCommand(Kind kind, @Nullable Range from, @Nullable Range to) {
    this(kind, from, to, 0, 0, new byte[0], null, null, List.of());
  }

  static FakeCommand barrier() {
    return new FakeCommand(Kind.BARRIER, null, null);
  }

  static FakeCommand copy(Range from, Range to) {
    return new FakeCommand(Kind.COPY, from, to);
  }

  static FakeCommand fill(Range to, int pattern, int patternBytes) {
    return new FakeCommand(
        Kind.FILL, null, to, pattern, patternBytes, new byte[0], null, null, List.of());
  }

  static FakeCommand update(Range to, byte[] bytes) {
    return new FakeCommand(Kind.UPDATE, null, to, 0, 0, bytes, null, null, List.of());
  }

  static FakeCommand upload(HostMemory memory, Range to) {
    return new FakeCommand(Kind.UPLOAD, null, to, 0, 0, new byte[0], memory, null, List.of());
  }

  static FakeCommand readback(Range from, HostMemory memory) {
    return new FakeCommand(Kind.READBACK, from, null, 0, 0, new byte[0], memory, null, List.of());
  }

  static FakeCommand external(ExternalCall call, List<Range> arguments) {
    return new FakeCommand(Kind.EXTERNAL, null, null, 0, 0, new byte[0], null, call, arguments);
  }

  /** Commands in this order. */
  static CommandList list(Command... commands) {
    return new CommandList() {
      @Override
      public int size() {
        return commands.length;
      }

      @Override
      public Command get(int index) {
        return commands[index];
      }
    };
  }

  @Override
  public Operand source() {
    return Objects.requireNonNull(from);
  }

  @Override
  public Operand target() {
    return Objects.requireNonNull(to);
  }

  @Override
  public ByteBuffer bytes() {
    return ByteBuffer.wrap(array).order(ByteOrder.nativeOrder());
  }

  @Override
  public HostMemory host() {
    return Objects.requireNonNull(memory);
  }

  @Override
  public LoadedKernel kernel() {
    throw new AssertionError("no dispatch");
  }

  @Override
  public int groupsX() {
    return 1;
  }

  @Override
  public int groupsY() {
    return 1;
  }

  @Override
  public int groupsZ() {
    return 1;
  }

  @Override
  public ExternalCall external() {
    return Objects.requireNonNull(call);
  }

  @Override
  public long event() {
    throw new AssertionError("no event");
  }

  @Override
  public Operand argument(int index) {
    return arguments.get(index);
  }
}
