// SPDX-License-Identifier: Apache-2.0
package org.jhal.gpu.collective;

import com.sun.jna.Library;
import com.sun.jna.ptr.IntByReference;

/**
 * The functions of NCCL that are used; RCCL has the same ones. A communicator, a stream and an
 * address are numbers.
 */
interface CollectiveFunctions extends Library {
  int ncclGetVersion(IntByReference version);

  String ncclGetErrorString(int result);

  int ncclCommInitAll(long[] communicators, int count, int[] devices);

  int ncclCommDestroy(long communicator);

  int ncclCommAbort(long communicator);

  int ncclCommGetAsyncError(long communicator, IntByReference error);

  int ncclGroupStart();

  int ncclGroupEnd();

  int ncclBroadcast(
      long source, long target, long count, int type, int root, long communicator, long stream);

  int ncclReduce(
      long source,
      long target,
      long count,
      int type,
      int reduction,
      int root,
      long communicator,
      long stream);

  int ncclAllReduce(
      long source,
      long target,
      long count,
      int type,
      int reduction,
      long communicator,
      long stream);

  int ncclAllGather(long source, long target, long count, int type, long communicator, long stream);

  int ncclReduceScatter(
      long source,
      long target,
      long count,
      int type,
      int reduction,
      long communicator,
      long stream);

  int ncclSend(long source, long count, int type, int peer, long communicator, long stream);

  int ncclRecv(long target, long count, int type, int peer, long communicator, long stream);
}
