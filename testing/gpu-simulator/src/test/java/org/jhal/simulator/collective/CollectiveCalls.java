// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.NativeLibrary;
import java.nio.file.Path;
import java.util.List;

/** A library of collectives, through JNA: each function by its name. */
final class CollectiveCalls {
  /** The kinds, and the arguments of their calls in addition to the common ones. */
  enum Kind {
    ALL_REDUCE("ncclAllReduce"),
    BROADCAST("ncclBroadcast"),
    REDUCE("ncclReduce"),
    ALL_GATHER("ncclAllGather"),
    REDUCE_SCATTER("ncclReduceScatter");

    final String function;

    Kind(String function) {
      this.function = function;
    }

    boolean hasReduction() {
      return this == ALL_REDUCE || this == REDUCE || this == REDUCE_SCATTER;
    }

    boolean hasRoot() {
      return this == BROADCAST || this == REDUCE;
    }
  }

  static final int SYSTEM_ERROR = 2;
  static final int INTERNAL_ERROR = 3;
  static final int INVALID_ARGUMENT = 4;
  static final int INVALID_USAGE = 5;
  static final int REMOTE_ERROR = 6;

  /** Types and reductions by name, where tests need some. */
  static final int INT32 = 2;

  static final int FLOAT16 = 6;
  static final int BFLOAT16 = 9;
  static final int SUM = 0;
  static final int AVERAGE = 4;

  private final NativeLibrary library;

  CollectiveCalls(Path library) {
    this.library = NativeLibrary.getInstance(library.toString());
  }

  int code(String function, Object... arguments) {
    return library.getFunction(function).invokeInt(arguments);
  }

  void ok(String function, Object... arguments) {
    assertEquals(0, code(function, arguments), function);
  }

  String text(String function, Object argument) {
    return library.getFunction(function).invokeString(new Object[] {argument}, false);
  }

  /** The communicators of devices, by rank. */
  long[] init(int... devices) {
    long[] made = new long[devices.length];
    ok("ncclCommInitAll", made, devices.length, devices);
    return made;
  }

  /** Calls one rank; arguments that the kind does not have are left out. */
  int call(
      Kind kind,
      long from,
      long to,
      long count,
      int type,
      int reduction,
      int root,
      long communicator,
      long stream) {
    if (kind.hasReduction() && kind.hasRoot()) {
      return code(kind.function, from, to, count, type, reduction, root, communicator, stream);
    }
    return kind.hasReduction() || kind.hasRoot()
        ? code(
            kind.function,
            from,
            to,
            count,
            type,
            kind.hasRoot() ? root : reduction,
            communicator,
            stream)
        : code(kind.function, from, to, count, type, communicator, stream);
  }

  /** Calls within a group, and returns the code of its end. */
  int group(List<Runnable> calls) {
    ok("ncclGroupStart");
    calls.forEach(Runnable::run);
    return code("ncclGroupEnd");
  }

  void each(String function, long... communicators) {
    for (long each : communicators) {
      ok(function, each);
    }
  }
}
