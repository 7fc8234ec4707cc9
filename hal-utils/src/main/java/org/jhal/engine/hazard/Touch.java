// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

/** A use of a range of memory by an operation. */
final class Touch {
  final RecordedOperation operation;
  final TouchedMemory memory;
  final long from;
  final long to;
  final Use use;
  final String name; // of the argument; empty if it has none

  Touch(
      RecordedOperation operation, TouchedMemory memory, long from, long to, Use use, String name) {
    this.operation = operation;
    this.memory = memory;
    this.from = from;
    this.to = to;
    this.use = use;
    this.name = name;
  }
}
