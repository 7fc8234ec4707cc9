package org.jhal.hip.jna;

/** A kernel; found by hipModuleGetFunction, ends with its module. */
public final class hipFunction_t extends HipHandle {
  /** None yet. */
  public hipFunction_t() {}
}
