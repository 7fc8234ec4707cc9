package org.jhal.engine.queue;

/** What an {@link Issuer} and a {@link Completer} need of the queue whose stream they serve. */
interface StreamOwner<E> {
  /** The queue's name, for messages. */
  String name();

  /** There is something to issue for the issue thread. */
  void issueLater();

  /** There is something in the stream for the completion thread. */
  void completeLater();

  /**
   * The drainer could not issue the operation, whose {@link Operation#workFailure} says why: the
   * issue thread is to fail its signals. Nothing that it holds is in use.
   */
  void failLater(Operation<E> operation);

  /** The operation has its verdict; the completion thread is to retire it. */
  void retireLater(Operation<E> operation);
}
