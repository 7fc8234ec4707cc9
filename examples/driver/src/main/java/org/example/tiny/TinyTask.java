// SPDX-License-Identifier: Apache-2.0
package org.example.tiny;

import java.nio.ByteBuffer;
import org.jhal.HostMemory;
import org.jhal.Parameter;
import org.jhal.driver.Command;
import org.jhal.driver.LoadedKernel;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;

/** One command whose operands are known. */
interface TinyTask {
  /** Does it, on the thread of the stream. */
  void run() throws Throwable;

  /** Prepares a command. */
  static TinyTask of(Command command, Submission submission) {
    return switch (command.kind()) {
      case FILL -> {
        ByteBuffer target = view(submission, command.target());
        yield () -> fill(target, command.pattern(), command.patternBytes());
      }
      case UPDATE -> {
        ByteBuffer target = view(submission, command.target());
        yield () -> target.put(command.bytes());
      }
      case UPLOAD -> {
        ByteBuffer target = view(submission, command.target());
        HostMemory source = command.host();
        submission.moves(command, TransferPath.HOST);
        yield () -> source.read(0, target);
      }
      case READBACK -> {
        ByteBuffer source = view(submission, command.source());
        HostMemory target = command.host();
        submission.moves(command, TransferPath.HOST);
        yield () -> target.write(0, source);
      }
      case COPY -> {
        ByteBuffer source = view(submission, command.source());
        ByteBuffer target = view(submission, command.target());
        yield () -> target.put(source);
      }
      case DISPATCH -> dispatch(command, submission);
      case BARRIER -> () -> {}; // one command runs after the other
      default -> throw new IllegalArgumentException("not supported: " + command.kind());
    };
  }

  private static ByteBuffer view(Submission submission, Operand operand) {
    TinyMemory memory = (TinyMemory) submission.memory(operand);
    return memory.slice(submission.offset(operand), submission.length(operand));
  }

  private static void fill(ByteBuffer target, int pattern, int patternBytes) {
    for (int i = 0; i < target.capacity(); i++) {
      target.put(i, (byte) (pattern >>> (8 * (i % patternBytes)))); // little-endian
    }
  }

  private static TinyTask dispatch(Command command, Submission submission) {
    LoadedKernel kernel = command.kernel();
    ByteBuffer[] buffers = new ByteBuffer[kernel.parameterCount()];
    for (int i = 0; i < buffers.length; i++) {
      if (kernel.parameter(i).kind() == Parameter.Kind.BUFFER) {
        buffers[i] = view(submission, command.argument(i));
      }
    }
    TinyModule module = (TinyModule) kernel.module();
    return () -> module.run(command, buffers);
  }
}
