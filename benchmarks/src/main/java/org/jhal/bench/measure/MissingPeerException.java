package org.jhal.bench.measure;

/** This machine does not have what a peer needs. The message says what. */
public final class MissingPeerException extends Exception {
  private static final long serialVersionUID = 1L;

  public MissingPeerException(String message) {
    super(message);
  }
}
