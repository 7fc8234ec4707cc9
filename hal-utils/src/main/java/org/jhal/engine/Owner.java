package org.jhal.engine;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.util.Arrays;
import org.jhal.engine.concurrent.RefCounted;
import org.jspecify.annotations.Nullable;

/**
 * A user's reference to a resource, which goes once: when the user closes the object that he has of
 * it, or when nobody can any more, which is reported (rule M7).
 *
 * <p>It is a phantom reference to that object, and does its work as long as it is reachable itself:
 * the device keeps it while there is something to lose. After that it is garbage as any other
 * object, and the collector never has to queue it.
 *
 * <p>Thread-safe.
 */
abstract class Owner extends PhantomReference<Object> {
  private static final System.Logger LOG = System.getLogger(Owner.class.getName());
  private static final VarHandle IS_CLOSED;

  static {
    try {
      IS_CLOSED = MethodHandles.lookup().findVarHandle(Owner.class, "isClosed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final RefCounted resource;
  private final @Nullable Throwable madeAt; // with leaks=trace
  private volatile boolean isClosed;

  /**
   * Owns {@code resource}, whose first reference it takes over, for {@code handle}.
   *
   * @param kind what it is, in one word or two
   */
  Owner(Object handle, RefCounted resource, EngineDevice<?> device, String kind) {
    super(handle, Reclaimer.UNREACHABLE);
    this.resource = resource;
    this.madeAt = device.tracesLeaks() ? callOfUser("the " + kind + " was made here") : null;
  }

  /** The trace begins where the engine was called, whose own lines tell nobody anything. */
  private static Throwable callOfUser(String text) {
    Throwable made = new Throwable(text);
    String engine = Owner.class.getPackageName() + ".";
    made.setStackTrace(
        Arrays.stream(made.getStackTrace())
            .dropWhile(frame -> frame.getClassName().startsWith(engine))
            .toArray(StackTraceElement[]::new));
    return made;
  }

  final boolean isClosed() {
    return isClosed;
  }

  final void close() {
    if (IS_CLOSED.compareAndSet(this, false, true)) {
      resource.release();
    }
  }

  /** The handle became unreachable; nothing happens if it was closed before. */
  final void reclaim() {
    if (!isClosed && !isOver()) {
      LOG.log(Level.WARNING, describe() + " was never closed; reclaiming it", madeAt);
    }
    close();
  }

  /** Whether nothing is lost if nobody closes it. */
  boolean isOver() {
    return false;
  }

  /** What was not closed: {@code a buffer of 64 bytes of mock-0}. */
  abstract String describe();
}
