package org.jhal.mock;

import java.util.Objects;
import org.jhal.Parameter;
import org.jhal.driver.Command;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/**
 * One command in a stream, with its operands resolved. The command itself does not change until the
 * event behind it has fired. Objects are reused.
 *
 * <p>Owned by the issuing thread until it is handed to the stream, then by the stream's thread.
 */
final class MockTask {
  /** The kinds of tasks. */
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
  long targetOffset;
  long sourceOffset;
  long length;
  MockView[] views = {}; // by parameter of a dispatch
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

  void setCommand(Command newCommand, Submission owner) {
    kind = Kind.COMMAND;
    command = newCommand;
    submission = owner;
    switch (newCommand.kind()) {
      case FILL, UPDATE, UPLOAD -> setTarget(newCommand, owner);
      case READBACK -> setSource(newCommand, owner);
      case COPY -> {
        setSource(newCommand, owner);
        setTarget(newCommand, owner);
      }
      case DISPATCH -> setArguments(newCommand, owner);
      case BARRIER -> kind = Kind.BARRIER;
    }
  }

  private void setTarget(Command from, Submission owner) {
    memory = (MockMemory) owner.memory(from.target());
    targetOffset = owner.offset(from.target());
    length = owner.length(from.target());
  }

  private void setSource(Command from, Submission owner) {
    source = (MockMemory) owner.memory(from.source());
    sourceOffset = owner.offset(from.source());
    length = owner.length(from.source());
  }

  private void setArguments(Command from, Submission owner) {
    int count = from.kernel().parameterCount();
    if (views.length < count) {
      views = new MockView[count];
      for (int i = 0; i < count; i++) {
        views[i] = new MockView();
      }
    }
    for (int i = 0; i < count; i++) {
      if (from.kernel().parameter(i).kind() == Parameter.Kind.BUFFER) {
        views[i].set(
            (MockMemory) owner.memory(from.argument(i)),
            owner.offset(from.argument(i)),
            owner.length(from.argument(i)));
      }
    }
  }

  boolean isDispatch() {
    return kind == Kind.COMMAND && command().kind() == Command.Kind.DISPATCH;
  }

  Command command() {
    return Objects.requireNonNull(command);
  }

  Submission submission() {
    return Objects.requireNonNull(submission);
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
    for (MockView view : views) {
      view.set(null, 0, 0);
    }
  }
}
