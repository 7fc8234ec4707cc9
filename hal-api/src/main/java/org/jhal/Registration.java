package org.jhal;

/** A callback that waits for a timepoint and can be taken back. */
public interface Registration {
  /**
   * Takes the callback back. Nobody else who waits for the same timepoint is affected.
   *
   * @return true if the callback has not run and never will; false if it has run, is running or was
   *     cancelled before
   */
  boolean cancel();
}
