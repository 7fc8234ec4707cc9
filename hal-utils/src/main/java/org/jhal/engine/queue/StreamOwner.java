package org.jhal.engine.queue;

/**
 * The queue as {@link Issuer} and {@link Completer} see it. All methods are thread-safe, and none
 * runs users' callbacks.
 */
interface StreamOwner<E> {
  /** The queue's name, for messages. */
  String name();

  /** Whether the queue is being closed, and fails what was not issued. */
  boolean isClosing();

  /** Wakes the completion thread: there is something in the stream. */
  void completeLater();

  /** Wakes the issue thread. */
  void issueLater();

  /**
   * Has the issue thread fail the signals of an operation that the drainer could not issue. {@link
   * Operation#workFailure} has the reason, and nothing that the operation holds is in use.
   */
  void failLater(Operation<E> operation);

  /**
   * Has the issue thread fail operations that wait for others that have failed on other devices.
   */
  void failBehindLater();

  /** Has the completion thread retire an operation that has its verdict. */
  void retireLater(Operation<E> operation);
}
