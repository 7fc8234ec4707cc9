package org.jhal.engine;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import org.jhal.driver.support.EngineThread;
import org.jspecify.annotations.Nullable;

/**
 * The owner's reference to a {@link BufferStorage}, which goes once: when the owner closes the
 * buffer, or when nobody can any more, which is reported (rule M7).
 *
 * <p>It is a reference to the buffer that a user has, and does its work as long as it is reachable
 * itself: from the storage, which {@link LiveStorages} keep while there is something to lose. After
 * that it is garbage as any other object, and the collector never has to queue it.
 *
 * <p>Thread-safe.
 */
final class BufferOwner extends PhantomReference<EngineBuffer> {
  private static final System.Logger LOG = System.getLogger(BufferOwner.class.getName());
  private static final ReferenceQueue<EngineBuffer> UNREACHABLE = new ReferenceQueue<>();
  private static final VarHandle IS_CLOSED;

  static {
    try {
      IS_CLOSED =
          MethodHandles.lookup().findVarHandle(BufferOwner.class, "isClosed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
    new EngineThread("jhal-reclaim", BufferOwner::reclaimAll).start();
  }

  private final BufferStorage storage;
  private final @Nullable Throwable madeAt; // with leaks=trace
  private volatile boolean isClosed;

  /** Owns {@code storage} for {@code buffer}. */
  BufferOwner(EngineBuffer buffer, BufferStorage storage) {
    super(buffer, UNREACHABLE);
    this.storage = storage;
    this.madeAt = storage.device.tracesLeaks() ? new Throwable("the buffer was made here") : null;
    storage.setOwner(this);
  }

  boolean isClosed() {
    return isClosed;
  }

  void close() {
    if (IS_CLOSED.compareAndSet(this, false, true)) {
      storage.release();
    }
  }

  private static void reclaimAll() {
    while (true) {
      try {
        Reference<? extends EngineBuffer> next = UNREACHABLE.remove();
        ((BufferOwner) next).reclaim();
      } catch (Throwable t) { // of what a driver or a user does there; the others come next
        LOG.log(Level.ERROR, "cannot reclaim a buffer", t);
      }
    }
  }

  /** The buffer became unreachable; nothing happens if it was closed before. */
  private void reclaim() {
    if (!isClosed && !storage.isDeallocated()) {
      LOG.log(
          Level.WARNING,
          "a buffer of "
              + storage.size
              + " bytes of "
              + storage.device.name()
              + " was never closed; reclaiming it",
          madeAt);
    }
    close();
  }
}
