package org.jhal.engine.queue;

import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jhal.driver.HostCompletion;
import org.jhal.driver.NativeStream;
import org.jhal.engine.concurrent.RefCounted;
import org.jspecify.annotations.Nullable;

/**
 * What an operation does between its waits and its signals. The object belongs to its {@link
 * Operation} and is filled anew for each use.
 */
public interface Work<E> {
  /** Hands the work to the stream. By the drainer, with the device bound. */
  void issue(NativeStream<E> stream, Operation<E> operation);

  /**
   * What {@link #issue} takes of the stream's {@link NativeStream#capacity()}. Called before it is
   * enqueued.
   */
  int weight(NativeStream<E> stream);

  /** Whether only a thread of the queue may issue it. Called before it is enqueued. */
  boolean mayBlock(NativeStream<E> stream);

  /**
   * What the host must do once the native work is complete, before the signals are applied; null if
   * nothing. Constant once {@link #issue} has returned.
   */
  @Nullable HostCompletion hostCompletion();

  /**
   * Whether the signals wait for the host completion. If not, it runs after them, and what it
   * throws is logged.
   */
  boolean signalsAfterHostCompletion();

  /**
   * The threads that run the host completion. Host calls of users have their own: they may block
   * until a transfer is over.
   */
  Executor hostThreads();

  /**
   * Whether its return ends the operation; if not, somebody calls {@link
   * DeferredWorkQueue#hostCompletionOver} later.
   */
  boolean endsWithHostCompletion();

  /**
   * Gives back the host memory that the operation borrowed, if it has not been given back: nothing
   * reads or writes it any more (rule Q2). By any thread that settles, with no lock held and
   * neither the drainer's role nor the device bound: a user may be told.
   */
  void endBorrow();

  /**
   * Lets go of everything. By whoever completes the operation, once per use.
   *
   * @param releases given what is to be released
   */
  void retire(Consumer<RefCounted> releases);

  /** One word for messages: {@code fill}. */
  String describe();
}
