// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.concurrent;

import java.nio.ByteBuffer;
import org.jhal.HostMemory;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The end of a use is seen with all that the user has written. */
public final class BorrowStress {
  private BorrowStress() {}

  /** A thread that finds host memory free sees what the operation has written into it. */
  @JCStressTest
  @State
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "still borrowed")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "free, and written")
  @Outcome(expect = Expect.FORBIDDEN, desc = "free, but not written")
  public static class EndOfBorrow {
    private final ByteBuffer bytes = ByteBuffer.allocate(1);
    private final HostMemory memory = HostMemory.of(bytes);
    private final HostMemory.Borrow borrow = memory.borrow();

    /** Writes, then ends the borrow. */
    @Actor
    public void write() {
      bytes.put(0, (byte) 1);
      borrow.end();
    }

    /** Looks whether the memory is free. */
    @Actor
    public void look(II_Result result) {
      if (!memory.isBorrowed()) {
        result.r1 = 1;
        result.r2 = bytes.get(0);
      }
    }
  }

  /** A resource is destroyed once, by the last user, which sees what all others have written. */
  @JCStressTest
  @State
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "it was gone already")
  @Outcome(id = "1, 11", expect = Expect.ACCEPTABLE, desc = "it was used, and then destroyed")
  @Outcome(expect = Expect.FORBIDDEN, desc = "destroyed twice, in use, or without seeing the use")
  public static class LastReference {
    private int destroyed;
    private int written;
    private int seen;
    private boolean wasGone;
    private final RefCounted resource =
        new RefCounted() {
          @Override
          protected void destroy() {
            destroyed++;
            seen = written;
          }
        };

    /** Uses it, if it is still there. */
    @Actor
    public void use() {
      if (resource.tryRetain()) {
        wasGone = destroyed != 0;
        written = 1;
        resource.release();
      }
    }

    /** Closes it. */
    @Actor
    public void close() {
      resource.release();
    }

    /** Looks at the end. */
    @Arbiter
    public void end(II_Result result) {
      result.r1 = destroyed + (wasGone ? 10 : 0);
      result.r2 = written + 10 * seen;
    }
  }

  /** Who has shut a gate and finds it empty sees what those inside have written. */
  @JCStressTest
  @State
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "empty, with all that was written; or not")
  @Outcome(expect = Expect.FORBIDDEN, desc = "empty, but something is missing")
  public static class EmptyGate {
    private final Gate gate = new Gate();
    private boolean hasEntered;
    private int inside;

    /** Enters and leaves. */
    @Actor
    public void enter() {
      if (gate.tryEnter()) {
        hasEntered = true;
        inside = 1;
        inside = 2;
        gate.leave();
      }
    }

    /** Shuts. */
    @Actor
    public void shut(I_Result result) {
      gate.shut();
      result.r1 = !gate.isEmpty() || inside == (hasEntered ? 2 : 0) ? 1 : 0;
    }
  }
}
