// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import com.sun.jna.ptr.IntByReference;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jhal.CollectiveGroup;
import org.jhal.ElementType;
import org.jhal.HalException;
import org.jhal.NativeCode;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.driver.CollectiveCall;
import org.jhal.gpu.natives.SharedLibrary;
import org.jhal.gpu.natives.WantedCollectives;
import org.jhal.gpu.natives.WantedLibrary;
import org.jhal.gpu.runtime.GpuMemory;
import org.jspecify.annotations.Nullable;

/**
 * NCCL, or RCCL, as the driver found it on this machine.
 *
 * <p>Communicators of one process: one for each rank, made together. A thread that calls for
 * several ranks does so between {@code ncclGroupStart} and {@code ncclGroupEnd}, which launches.
 *
 * <p>Thread-safe; a communicator is used by one thread at a time.
 */
final class CollectiveLibrary {
  static final int SUCCESS = 0;

  /** The work behind the calls is not over. */
  private static final int IN_PROGRESS = 7;

  /** From this version on, aborts in one group run together and do not wait for each other. */
  private static final int ABORTS_TOGETHER = 22200;

  /** Sends came with 2.7, averages with 2.10. */
  private static final int OLDEST = 21000;

  /** Versions before 2.9 are encoded with 1000 times the major version. */
  private static final int LAST_SHORT = 9999;

  /** One for each file: its state stays until the process ends. */
  private static final Map<String, CollectiveLibrary> LOADED = new ConcurrentHashMap<>();

  private final String name;
  private final CollectiveFunctions functions;
  private final int version;
  private final @Nullable NonBlockingFunctions nonBlocking;
  private final CommunicatorCache cache = new CommunicatorCache();

  private CollectiveLibrary(String name, SharedLibrary library) {
    this.name = name;
    this.functions = library.map(CollectiveFunctions.class);
    IntByReference read = new IntByReference();
    check("ncclGetVersion", functions.ncclGetVersion(read));
    this.version = read.getValue();
    this.nonBlocking = NonBlockingFunctions.of(library, version);
  }

  /**
   * Loads the library.
   *
   * @throws HalException with the reason if there is none that can be used
   */
  static CollectiveLibrary load(WantedCollectives collectives) {
    String name = collectives.name();
    WantedLibrary wanted = collectives.wanted();
    SharedLibrary library = wanted.find(collectives.candidates(), "ncclGetVersion");
    CollectiveLibrary loaded =
        LOADED.computeIfAbsent(library.path(), file -> new CollectiveLibrary(name, library));
    if (loaded.version < OLDEST) {
      throw new HalException(
          wanted.status(),
          loaded + " (" + library.path() + ") is too old; JHAL needs 2.10 or newer");
    }
    wanted.require(library, SharedLibrary.functions(CollectiveFunctions.class), name + " 2.10");
    return loaded;
  }

  @Nullable NonBlockingFunctions nonBlocking() {
    return nonBlocking;
  }

  CommunicatorCache cache() {
    return cache;
  }

  boolean abortsTogether() {
    return nonBlocking != null && version >= ABORTS_TOGETHER;
  }

  HalException failure(String call, int result) {
    String text = functions.ncclGetErrorString(result);
    return new HalException(
        Status.ABORTED,
        call + " returned " + result + ": " + text,
        null,
        new NativeCode(result, text)); // the library has no names for codes
  }

  /** The failure, or null; work that continues behind the call has not failed. */
  @Nullable HalException failureUnlessBegun(String call, int result) {
    return hasFailed(result) ? failure(call, result) : null;
  }

  /** Whether the result of a call, or the state of a communicator, is a failure. */
  static boolean hasFailed(int result) {
    return result != SUCCESS && result != IN_PROGRESS;
  }

  /** Makes {@code calls} within a group; returns the first failure, that of its end included. */
  @Nullable HalException grouped(Supplier<@Nullable HalException> calls) {
    int result = functions.ncclGroupStart();
    if (result != SUCCESS) {
      return failure("ncclGroupStart", result);
    }
    HalException failure;
    int ended;
    try {
      failure = calls.get();
    } finally {
      ended = functions.ncclGroupEnd(); // always; otherwise the thread stays in the group
    }
    return failure != null ? failure : failureUnlessBegun("ncclGroupEnd", ended);
  }

  /**
   * The state of the work behind a communicator's calls. Asked by one thread at a time, since the
   * library completes finished work.
   */
  int state(long communicator) {
    IntByReference read = new IntByReference();
    int result = functions.ncclCommGetAsyncError(communicator, read);
    return result == SUCCESS ? read.getValue() : result;
  }

  /** Completes the finished work that this thread has begun; returns the failure, or null. */
  @Nullable HalException complete(long communicator) {
    int result = Objects.requireNonNull(nonBlocking).complete(communicator);
    return result == SUCCESS ? null : failure("ncclCommCount", result);
  }

  /** Begins the orderly end of a communicator; returns the failure, or null. */
  @Nullable HalException finish(long communicator) {
    NonBlockingFunctions calls = Objects.requireNonNull(nonBlocking);
    return failureUnlessBegun("ncclCommFinalize", calls.finish(communicator));
  }

  void check(String call, int result) {
    if (result != SUCCESS) {
      throw failure(call, result);
    }
  }

  /** Why it cannot reduce such elements, or null if it can. */
  static @Nullable String obstacle(@Nullable ElementType type) {
    if (type == ElementType.I16 || type == ElementType.U16) {
      return "the devices' library has no reductions of " + type.label();
    }
    return null;
  }

  /** Makes communicators, one for each device, all different. Blocks. */
  long[] create(int[] ordinals) {
    long[] communicators = new long[ordinals.length];
    check("ncclCommInitAll", functions.ncclCommInitAll(communicators, ordinals.length, ordinals));
    return communicators;
  }

  /** Frees a communicator that nothing uses. Blocks. */
  void destroy(long communicator) {
    check("ncclCommDestroy", functions.ncclCommDestroy(communicator));
  }

  /** Ends a communicator's collectives and frees it, or at the end of the group. Blocks. */
  @Nullable HalException abort(long communicator) {
    return failureUnlessBegun("ncclCommAbort", functions.ncclCommAbort(communicator));
  }

  /** Launches a collective; see {@link Communicators#launch}. */
  @Nullable HalException launch(CollectiveCall call, long[] communicators, long[] streams) {
    return grouped(
        () -> {
          for (int rank = 0; rank < communicators.length; rank++) {
            int result = put(call, rank, communicators[rank], streams[rank]);
            if (hasFailed(result)) {
              return failure(call.kind().label() + " of rank " + rank, result);
            }
          }
          return null;
        });
  }

  private int put(CollectiveCall call, int rank, long communicator, long stream) {
    CollectiveCall.Rank own = call.ranks().get(rank);
    long source = address(own.source());
    long target = address(own.target());
    int root = call.root();
    int type = type(call.type());
    long count = call.type() == null ? call.length() : call.length() / call.type().bytes();
    return switch (call.kind()) {
      case BROADCAST ->
          functions.ncclBroadcast(
              source, target == 0 ? source : target, count, type, root, communicator, stream);
      case REDUCE ->
          functions.ncclReduce(
              source,
              target == 0 ? source : target,
              count,
              type,
              reduction(call),
              root,
              communicator,
              stream);
      case ALL_REDUCE ->
          functions.ncclAllReduce(
              source, target, count, type, reduction(call), communicator, stream);
      case ALL_GATHER -> functions.ncclAllGather(source, target, count, type, communicator, stream);
      case REDUCE_SCATTER ->
          functions.ncclReduceScatter(
              source, target, count, type, reduction(call), communicator, stream);
      case GATHER, SCATTER, ALL_TO_ALL -> exchange(call, rank, communicator, stream);
      case SEND_RECEIVE -> {
        if (rank == root) {
          yield functions.ncclSend(source, count, type, call.receiver(), communicator, stream);
        }
        yield rank == call.receiver()
            ? functions.ncclRecv(target, count, type, root, communicator, stream)
            : SUCCESS;
      }
    };
  }

  /**
   * Sends each peer its part of the rank's source, and receives from each peer a part of the
   * target. The library runs the calls of a group together, so their order does not matter.
   */
  private int exchange(CollectiveCall call, int rank, long communicator, long stream) {
    CollectiveCall.Rank own = call.ranks().get(rank);
    long source = address(own.source());
    long target = address(own.target());
    long length = call.length();
    boolean isGather = call.kind() == CollectiveGroup.Kind.GATHER;
    boolean isScatter = call.kind() == CollectiveGroup.Kind.SCATTER;
    for (int peer = 0; peer < call.ranks().size(); peer++) {
      boolean sends = source != 0 && (!isGather || peer == call.root());
      boolean receives = target != 0 && (!isScatter || peer == call.root());
      long from = isGather ? source : source + peer * length;
      long to = isScatter ? target : target + peer * length;
      if (sends && receives && peer == rank && from == to) {
        continue; // in place
      }
      int result =
          sends
              ? functions.ncclSend(from, length, type(null), peer, communicator, stream)
              : SUCCESS;
      if (!hasFailed(result) && receives) {
        result = functions.ncclRecv(to, length, type(null), peer, communicator, stream);
      }
      if (hasFailed(result)) {
        return result;
      }
    }
    return SUCCESS;
  }

  private static long address(CollectiveCall.@Nullable Range range) {
    return range == null ? 0 : ((GpuMemory) range.memory()).address() + range.offset();
  }

  /** Enum ncclDataType_t. */
  private static int type(@Nullable ElementType type) {
    if (type == null) {
      return 0; // bytes are moved
    }
    return switch (type) {
      case I8 -> 0;
      case U8 -> 1;
      case I32 -> 2;
      case U32 -> 3;
      case I64 -> 4;
      case U64 -> 5;
      case F16 -> 6;
      case F32 -> 7;
      case F64 -> 8;
      case BF16 -> 9;
      case I16, U16 -> throw new AssertionError(type);
    };
  }

  /** Enum ncclRedOp_t. */
  private static int reduction(CollectiveCall call) {
    Reduction reduction = call.reduction();
    if (reduction == null) {
      throw new AssertionError(call.kind());
    }
    return switch (reduction) {
      case SUM -> 0;
      case PRODUCT -> 1;
      case MAX -> 2;
      case MIN -> 3;
      case AVERAGE -> 4;
    };
  }

  @Override
  public String toString() {
    int major = version > LAST_SHORT ? version / 10000 : version / 1000;
    int minor = version > LAST_SHORT ? version / 100 % 100 : version / 100 % 10;
    return name + " " + major + "." + minor + "." + version % 100;
  }
}
