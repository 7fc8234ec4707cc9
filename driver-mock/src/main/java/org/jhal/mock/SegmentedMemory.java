package org.jhal.mock;

/** Memory whose bytes the process can reach, as a {@link MockView} needs it. */
interface SegmentedMemory {
  /** The bytes, while they exist. */
  Segments segments();
}
