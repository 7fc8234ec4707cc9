package org.jhal.hip.jna;

/** A stream; made by hipStreamCreateWithFlags, ended by hipStreamDestroy. */
public final class hipStream_t extends HipHandle {
  /** None yet. */
  public hipStream_t() {}
}
