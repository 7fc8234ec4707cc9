package org.jhal.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The operations of a queue that nobody refers to, to be used again (rule K3).
 *
 * <p>Thread-safe. Any thread gives back, without a lock; whoever finds no free operation takes all
 * that were given back at once.
 */
final class FreeOperations<E> {
  /** How many wait to be taken at most; more are left to the garbage collector. */
  private static final int MAX = 4096;

  private static final VarHandle RETURNED;

  static {
    try {
      RETURNED =
          MethodHandles.lookup().findVarHandle(FreeOperations.class, "returned", Operation.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Supplier<Operation<E>> maker;

  /** Those given back since all were taken, chained by {@link Operation#nextFree}. */
  @SuppressWarnings("UnusedVariable") // through its handle
  private volatile @Nullable Operation<E> returned;

  private final Object lock = new Object();
  private @Nullable Operation<E> first; // of those taken; guarded by lock, chained likewise

  FreeOperations(Supplier<Operation<E>> maker) {
    this.maker = maker;
  }

  /** One in state REGISTERING, made if there is none. */
  Operation<E> take() {
    Operation<E> operation;
    synchronized (lock) {
      operation = first;
      if (operation == null) {
        @SuppressWarnings("unchecked") // the field's type
        Operation<E> all = (Operation<E>) RETURNED.getAndSet(this, null);
        operation = all;
      }
      if (operation != null) {
        first = operation.nextFree;
        operation.nextFree = null;
      }
    }
    Operation<E> taken = operation != null ? operation : maker.get();
    taken.begin();
    return taken;
  }

  /** Takes back one that nobody refers to any more. */
  void giveBack(Operation<E> operation) {
    Operation<E> next = returned;
    while (next == null || next.freeFromHere < MAX) {
      operation.nextFree = next;
      operation.freeFromHere = next == null ? 1 : next.freeFromHere + 1;
      if (RETURNED.compareAndSet(this, next, operation)) {
        return;
      }
      next = returned;
    }
  }
}
