// SPDX-License-Identifier: Apache-2.0
package org.jhal.engine.hazard;

import org.jspecify.annotations.Nullable;

/** A use of a range of memory by an operation, or by one command of a recording. */
final class Touch {
  final RecordedOperation operation;
  final TouchedMemory memory;
  final long from;
  final long to;
  final Use use;
  final String name; // of the argument; empty if it has none
  final String command; // of a recording; empty if the operation is none
  final int section; // of the recording: barriers divide them
  final @Nullable ProgramLine line; // that has recorded the command

  Touch(
      RecordedOperation operation,
      TouchedMemory memory,
      long from,
      long to,
      Use use,
      String name,
      String command,
      int section,
      @Nullable ProgramLine line) {
    this.operation = operation;
    this.memory = memory;
    this.from = from;
    this.to = to;
    this.use = use;
    this.name = name;
    this.command = command;
    this.section = section;
    this.line = line;
  }

  /** Which operation, and which command of it, touches the memory. */
  String who() {
    return operation + (command.isEmpty() ? "" : ", " + command + ",");
  }

  /** Equal for those that the same calls make again and again. */
  String place() {
    return operation.place() + command + use + name;
  }

  /** The line of the program that is responsible; empty if it is not known. */
  String line() {
    String enqueued = ProgramLine.text(operation.line());
    String recorded = ProgramLine.text(line);
    return recorded.isEmpty()
        ? enqueued
        : recorded + (enqueued.isEmpty() ? "" : " and executed at " + enqueued);
  }
}
