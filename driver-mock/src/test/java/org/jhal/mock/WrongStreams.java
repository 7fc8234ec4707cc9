// SPDX-License-Identifier: Apache-2.0
package org.jhal.mock;

import java.util.IdentityHashMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jhal.HalException;
import org.jhal.driver.Command;
import org.jhal.driver.CommandList;
import org.jhal.driver.DeviceMemory;
import org.jhal.driver.NativeStream;
import org.jhal.driver.Operand;
import org.jhal.driver.Submission;
import org.jhal.driver.TransferPath;

/** Defects of native streams. */
final class WrongStreams {
  private WrongStreams() {}

  private static boolean dispatches(CommandList commands) {
    return commands.size() > 0 && commands.get(0).kind() == Command.Kind.DISPATCH;
  }

  /** Its events fire at once, because they are recorded on an idle stream. */
  static final class FiresEarly extends ForwardingStream {
    FiresEarly(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    public boolean queryEvent(MockEvent event) {
      return true;
    }

    @Override
    public void synchronizeEvent(MockEvent event) {}
  }

  /** Its events stay fired when they are recorded again. */
  static final class KeepsOldFirings extends ForwardingStream {
    private final Set<MockEvent> fired = ConcurrentHashMap.newKeySet();

    KeepsOldFirings(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    public boolean queryEvent(MockEvent event) {
      boolean hasFired = fired.contains(event) || right.queryEvent(event);
      if (hasFired) {
        fired.add(event);
      }
      return hasFired;
    }

    @Override
    public void synchronizeEvent(MockEvent event) {
      if (!fired.contains(event)) {
        right.synchronizeEvent(event);
        fired.add(event);
      }
    }
  }

  /** It does not wait for other streams. */
  static final class IgnoresOtherStreams extends ForwardingStream {
    IgnoresOtherStreams(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    protected void waitEvent(MockEvent event) {}
  }

  /** It waits for at most 32 events between two events that it records. */
  static final class WaitsForAFew extends ForwardingStream {
    private int waits; // of the issuing thread

    WaitsForAFew(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    protected void waitEvent(MockEvent event) {
      if (waits++ < 32) {
        steps.waitEvent(event);
      }
    }

    @Override
    protected void recordEvent(MockEvent event) {
      waits = 0;
      steps.recordEvent(event);
    }
  }

  /** It reorders work, but declares that it is in order. */
  static final class ClaimsToBeInOrder extends ForwardingStream {
    ClaimsToBeInOrder(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    public boolean isInOrder() {
      return true;
    }
  }

  /** It moves whole words: it rounds lengths up to four bytes, as far as the memory goes. */
  static final class MovesWholeWords extends ForwardingStream {
    private final Command.Kind kind;

    /** Rounds the lengths of commands of this kind only. */
    MovesWholeWords(NativeStream<MockEvent> right, Command.Kind kind) {
      super(right);
      this.kind = kind;
    }

    @Override
    protected void issue(CommandList commands, Submission submission) {
      Set<Operand> rounded = ConcurrentHashMap.newKeySet();
      for (int i = 0; i < commands.size(); i++) {
        if (commands.get(i).kind() == kind) {
          rounded.add(commands.get(i).target());
          if (kind == Command.Kind.COPY) {
            rounded.add(commands.get(i).source());
          }
        }
      }
      steps.issue(
          commands,
          new ForwardingSubmission(submission) {
            @Override
            public long length(Operand operand) {
              long length = right.length(operand);
              long left = right.memory(operand).size() - right.offset(operand);
              return rounded.contains(operand) ? Math.min((length + 3) / 4 * 4, left) : length;
            }
          });
    }
  }

  /** Its kernels get the start of the memory, ignoring the offset of the argument. */
  static final class PassesTheStartOfTheMemory extends ForwardingStream {
    PassesTheStartOfTheMemory(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    protected void issue(CommandList commands, Submission submission) {
      boolean dispatches = dispatches(commands);
      steps.issue(
          commands,
          new ForwardingSubmission(submission) {
            @Override
            public long offset(Operand operand) {
              return dispatches ? 0 : right.offset(operand);
            }
          });
    }
  }

  /** Its kernels get their first two arguments swapped. */
  static final class SwapsArguments extends ForwardingStream {
    SwapsArguments(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    protected void issue(CommandList commands, Submission submission) {
      IdentityHashMap<Operand, Operand> swapped = new IdentityHashMap<>();
      if (dispatches(commands)) {
        Command first = commands.get(0);
        swapped.put(first.argument(0), first.argument(1));
        swapped.put(first.argument(1), first.argument(0));
      }
      steps.issue(
          commands,
          new ForwardingSubmission(submission) {
            @Override
            public DeviceMemory memory(Operand operand) {
              return right.memory(swapped.getOrDefault(operand, operand));
            }
          });
    }
  }

  /** It reports each transfer of more than a few bytes once more, as when a part is repeated. */
  static final class ReportsTransfersTwice extends ForwardingStream {
    ReportsTransfersTwice(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    protected void issue(CommandList commands, Submission submission) {
      steps.issue(
          commands,
          new ForwardingSubmission(submission) {
            @Override
            public void moves(Command command, TransferPath path) {
              right.moves(command, path);
              if (command.host().size() > 1_000) {
                right.moves(command, path);
              }
            }
          });
    }
  }

  /** It does not report how it moves bytes. */
  static final class ReportsNoTransfers extends ForwardingStream {
    ReportsNoTransfers(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    protected void issue(CommandList commands, Submission submission) {
      steps.issue(
          commands,
          new ForwardingSubmission(submission) {
            @Override
            public void moves(Command command, TransferPath path) {}
          });
    }
  }

  /** It does not report failures of work that was issued. */
  static final class SwallowsFailures extends ForwardingStream {
    SwallowsFailures(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    protected void issue(CommandList commands, Submission submission) {
      steps.issue(
          commands,
          new ForwardingSubmission(submission) {
            @Override
            public void fail(HalException failure) {}
          });
    }
  }

  /** A wait for one of its events does not end when the device is lost. */
  static final class HangsWhenLost extends ForwardingStream {
    private final CountDownLatch end;

    /** Hangs until {@code end}. */
    HangsWhenLost(NativeStream<MockEvent> right, CountDownLatch end) {
      super(right);
      this.end = end;
    }

    @Override
    public void synchronizeEvent(MockEvent event) {
      try {
        right.synchronizeEvent(event);
      } catch (HalException lost) {
        try {
          end.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  /** It frees memory at once instead of in stream order. */
  static final class FreesAtOnce extends ForwardingStream {
    FreesAtOnce(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    protected void freeAsync(DeviceMemory memory) {
      memory.free();
    }
  }

  /** It never frees memory. */
  static final class NeverFrees extends ForwardingStream {
    NeverFrees(NativeStream<MockEvent> right) {
      super(right);
    }

    @Override
    protected void freeAsync(DeviceMemory memory) {}
  }
}
