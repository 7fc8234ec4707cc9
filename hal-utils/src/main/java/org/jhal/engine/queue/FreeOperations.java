package org.jhal.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The unused operations of a queue, kept for reuse (rule K3).
 *
 * <p>Thread-safe. Any thread gives operations back, without a lock. A thread that finds no free
 * operation takes all that were given back at once.
 */
final class FreeOperations<E> {
  /** How many operations may wait to be taken. More are left to the garbage collector. */
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

  /**
   * A stack of the operations given back, chained by {@link Operation#nextFree}. Any thread pushes,
   * without a lock. It is only ever taken as a whole.
   */
  @SuppressWarnings("UnusedVariable") // used through its handle
  private volatile @Nullable Operation<E> returned;

  private final Object lock = new Object();
  private @Nullable Operation<E> first; // what was taken from `returned`; guarded by lock

  FreeOperations(Supplier<Operation<E>> maker) {
    this.maker = maker;
  }

  /** Returns a free operation in state REGISTERING, and makes one if there is none. */
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

  /** Takes back an operation to which there is no reference any more. */
  void giveBack(Operation<E> operation) {
    Operation<E> next = returned;
    // Another thread may take `next` and give it back between the read of its count and the
    // compare-and-set. The count is then a little off, which only blurs the limit.
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
