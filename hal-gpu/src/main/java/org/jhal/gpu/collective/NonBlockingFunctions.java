// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import com.sun.jna.Library;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.ptr.IntByReference;
import org.jhal.gpu.natives.SharedLibrary;
import org.jspecify.annotations.Nullable;

/**
 * The functions of NCCL and RCCL that make the ranks of a process one by one, with non-blocking
 * communicators. They came with 2.14. This class alone knows the layout of C structures.
 *
 * <p>Passes the configuration of 2.14. Later versions read its size and default the rest.
 *
 * <p>Thread-safe.
 */
final class NonBlockingFunctions {
  /** The version whose configuration is passed. */
  static final int FIRST = 21400;

  private static final int ID_BYTES = 128;
  private static final int MAGIC = 0xcafebeef;

  // size_t size; unsigned int magic, version; int blocking; and four bytes to align the size.
  private static final int CONFIG_BYTES = 24;
  private static final int CONFIG_MAGIC = 8;
  private static final int CONFIG_VERSION = 12;
  private static final int CONFIG_BLOCKING = 16;

  /** An {@code ncclUniqueId}, which is passed by value. Public for JNA. */
  @Structure.FieldOrder("internal")
  public static final class UniqueId extends Structure implements Structure.ByValue {
    /** Opaque. */
    public byte[] internal = new byte[ID_BYTES];

    /** An unset one. */
    public UniqueId() {}
  }

  /** The functions by their names. */
  interface Functions extends Library {
    int ncclGetUniqueId(Pointer id);

    int ncclCommInitRankConfig(
        Pointer communicator, int ranks, UniqueId id, int rank, Pointer config);

    int ncclCommCount(long communicator, IntByReference count);

    int ncclCommFinalize(long communicator);
  }

  private final Functions functions;
  private final Memory config = new Memory(CONFIG_BYTES); // only read

  private NonBlockingFunctions(Functions functions) {
    this.functions = functions;
    config.clear();
    config.setLong(0, CONFIG_BYTES);
    config.setInt(CONFIG_MAGIC, MAGIC);
    config.setInt(CONFIG_VERSION, FIRST);
    config.setInt(CONFIG_BLOCKING, 0);
  }

  /** The functions of a library, or null if it is older or lacks any. */
  static @Nullable NonBlockingFunctions of(SharedLibrary library, int version) {
    boolean hasAll = library.missing(SharedLibrary.functions(Functions.class)).isEmpty();
    return version >= FIRST && hasAll
        ? new NonBlockingFunctions(library.map(Functions.class))
        : null;
  }

  int getUniqueId(UniqueId id) {
    Memory read = new Memory(ID_BYTES);
    int result = functions.ncclGetUniqueId(read);
    id.internal = read.getByteArray(0, ID_BYTES);
    return result;
  }

  /**
   * Calls {@code ncclCommInitRankConfig} for the device that is current; returns its result.
   *
   * @param communicator where to write it
   */
  int initRank(Pointer communicator, int ranks, UniqueId id, int rank) {
    return functions.ncclCommInitRankConfig(communicator, ranks, id, rank, config);
  }

  /**
   * Completes the finished work that this thread has begun behind a call; returns a result. Older
   * versions, such as 2.22, keep that work in memory of the thread, which all calls but the query
   * of the state read, even after the thread's end.
   */
  int complete(long communicator) {
    return functions.ncclCommCount(communicator, new IntByReference());
  }

  int finish(long communicator) {
    return functions.ncclCommFinalize(communicator);
  }
}
