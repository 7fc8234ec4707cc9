// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.util.Objects;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.driver.Command;
import org.jhal.driver.Submission;
import org.jhal.kernels.workgroup.KernelView;
import org.jspecify.annotations.Nullable;

/**
 * One command in a stream, with resolved operands. The command is constant until the event after it
 * has fired. Objects are reused.
 *
 * <p>Owned by the issuing thread, and then by the stream's thread.
 */
final class MockTask {
  /** A task drops a larger array after its use. */
  private static final int MAX_KEPT_VIEWS = 64;

  private static final KernelView[] NO_VIEWS = {};

  enum Kind {
    COMMAND,
    BARRIER,
    ALLOCATE,
    FREE
  }

  Kind kind = Kind.COMMAND;
  private @Nullable Command command;
  private @Nullable Submission submission;
  private @Nullable MockMemory memory; // the memory to allocate, or the target's
  private @Nullable MockMemory source;
  int index; // of the command in its list
  long targetOffset;
  long sourceOffset;
  long length;
  KernelView[] views = NO_VIEWS; // by parameter of a dispatch
  @Nullable MockTask nextFree;

  void setAllocate(MockMemory promised, Submission owner) {
    kind = Kind.ALLOCATE;
    memory = promised;
    submission = owner;
  }

  void setFree(MockMemory freed) {
    kind = Kind.FREE;
    memory = freed;
  }

  /**
   * Resolves a command.
   *
   * @throws HalException INVALID_ARGUMENT if it uses memory to which {@code user} has no access
   */
  void setCommand(Command newCommand, Submission owner, MockDevice user) {
    kind = Kind.COMMAND;
    command = newCommand;
    submission = owner;
    switch (newCommand.kind()) {
      case FILL, UPDATE, UPLOAD -> setTarget(newCommand, owner, user);
      case READBACK -> setSource(newCommand, owner, user);
      case COPY -> {
        setSource(newCommand, owner, user);
        setTarget(newCommand, owner, user);
      }
      case DISPATCH -> setArguments(newCommand, owner, user);
      case INDIRECT_DISPATCH -> {
        setSource(newCommand, owner, user);
        setArguments(newCommand, owner, user);
      }
      case EXTERNAL -> setBuffers(newCommand, owner, user);
      case BARRIER -> kind = Kind.BARRIER;
      case EVENT -> throw new IllegalArgumentException("the mock has no native events");
    }
  }

  private void setTarget(Command from, Submission owner, MockDevice user) {
    memory = user.accessible((MockMemory) owner.memory(from.target()));
    targetOffset = owner.offset(from.target());
    length = owner.length(from.target());
  }

  private void setSource(Command from, Submission owner, MockDevice user) {
    source = user.accessible((MockMemory) owner.memory(from.source()));
    sourceOffset = owner.offset(from.source());
    length = owner.length(from.source());
  }

  private void setArguments(Command from, Submission owner, MockDevice user) {
    int count = from.kernel().parameterCount();
    reserveViews(count);
    for (int i = 0; i < count; i++) {
      if (from.kernel().parameter(i).kind() == Parameter.Kind.BUFFER) {
        setView(i, from.kernel().parameter(i).name(), from, owner, user);
      }
    }
  }

  private void setBuffers(Command from, Submission owner, MockDevice user) {
    int count = from.external().bufferCount();
    reserveViews(count);
    for (int i = 0; i < count; i++) {
      setView(i, "a buffer", from, owner, user);
    }
  }

  private void reserveViews(int count) {
    if (views.length < count) {
      views = new KernelView[count];
      for (int i = 0; i < count; i++) {
        views[i] = new KernelView();
      }
    }
  }

  private void setView(int index, String what, Command from, Submission owner, MockDevice user) {
    views[index].set(
        user.accessible((MockMemory) owner.memory(from.argument(index))),
        what,
        owner.offset(from.argument(index)),
        owner.length(from.argument(index)));
  }

  boolean isDispatch() {
    return kind == Kind.COMMAND && command().kind().runsKernel();
  }

  /** Its operation if the times of its commands are recorded, and this is one; else null. */
  @Nullable Submission timedOwner() {
    Submission owner = submission;
    return kind == Kind.COMMAND && owner != null && owner.timesCommands() ? owner : null;
  }

  boolean isExternal() {
    return kind == Kind.COMMAND && command().kind() == Command.Kind.EXTERNAL;
  }

  Command command() {
    return Objects.requireNonNull(command);
  }

  Submission submission() {
    return Objects.requireNonNull(submission);
  }

  @Nullable Submission submissionIfThere() {
    return submission;
  }

  MockMemory target() {
    return Objects.requireNonNull(memory);
  }

  MockMemory source() {
    return Objects.requireNonNull(source);
  }

  void clear() {
    command = null;
    submission = null;
    memory = null;
    source = null;
    if (views.length > MAX_KEPT_VIEWS) {
      views = NO_VIEWS;
    }
    for (int i = 0; i < views.length; i++) {
      if (views[i].isSet()) {
        views[i].clear();
        views[i] = new KernelView();
      }
    }
  }
}
