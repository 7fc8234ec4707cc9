package org.jhal.bench;

/** This machine does not have what a peer needs. The message says what. */
final class MissingPeerException extends Exception {
  private static final long serialVersionUID = 1L;

  MissingPeerException(String message) {
    super(message);
  }
}
