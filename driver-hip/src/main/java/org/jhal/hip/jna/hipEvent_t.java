package org.jhal.hip.jna;

/** An event; made by hipEventCreateWithFlags, ended by hipEventDestroy. */
public final class hipEvent_t extends HipHandle {
  /** None yet. */
  public hipEvent_t() {}
}
