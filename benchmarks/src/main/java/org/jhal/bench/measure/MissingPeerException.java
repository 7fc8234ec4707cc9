package org.jhal.bench.measure;

/** This machine does not have what a peer needs. The message says what. */
public final class MissingPeerException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says what is missing, for people. */
  public MissingPeerException(String message) {
    super(message);
  }
}
