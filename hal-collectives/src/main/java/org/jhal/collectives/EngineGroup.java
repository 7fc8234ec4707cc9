// SPDX-License-Identifier: Apache-2.0
package org.jhal.collectives;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jhal.CollectiveGroup;
import org.jhal.Device;
import org.jhal.ElementType;
import org.jhal.Fence;
import org.jhal.HalException;
import org.jhal.Reduction;
import org.jhal.Status;
import org.jhal.Timepoint;
import org.jhal.collectives.arithmetic.Accumulator;
import org.jhal.driver.NativeGroup;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Owner;
import org.jhal.engine.collective.DeviceCollectives;
import org.jhal.engine.timeline.Cascade;
import org.jspecify.annotations.Nullable;

/**
 * A group as users see it. Each method checks all ranks, and enqueues one operation.
 *
 * <p>Thread-safe.
 */
final class EngineGroup implements CollectiveGroup {
  private static final String HOST = "host";
  private static final String NATIVE = "native";

  private final GroupLife life;
  private final Owner owner;
  private final List<Device> devices;

  private EngineGroup(GroupLife life) {
    this.life = life;
    this.devices = life.devices.stream().<Device>map(DeviceCore::view).toList();
    this.owner = life.ownedBy(this, life.first().tracesLeaks());
  }

  /** Makes a group; see {@link DeviceCollectives#createGroup}. */
  static CollectiveGroup make(List<DeviceGroups<?>> ranks, Options options) {
    GroupLife life = new GroupLife(ranks, options);
    boolean isMade = false;
    try {
      ranks.forEach(groups -> groups.add(life));
      PlatformThreads.callUnlimited(
          "jhal-group-make",
          () -> {
            life.makeNatives();
            return life;
          });
      EngineGroup group = new EngineGroup(life);
      isMade = true;
      return group;
    } finally {
      if (!isMade) {
        life.release();
      }
    }
  }

  @Override
  public List<Device> devices() {
    return devices;
  }

  @Override
  public int size() {
    return devices.size();
  }

  // Collectives.

  @Override
  public void broadcast(int root, List<Rank> ranks) {
    checkRank("root", root);
    enqueue(new GroupCall(life, Kind.BROADCAST, root, 0, null, null, ranks));
  }

  @Override
  public void reduce(int root, Reduction reduction, ElementType type, List<Rank> ranks) {
    checkRank("root", root);
    reduce(Kind.REDUCE, root, reduction, type, ranks);
  }

  @Override
  public void allReduce(Reduction reduction, ElementType type, List<Rank> ranks) {
    reduce(Kind.ALL_REDUCE, 0, reduction, type, ranks);
  }

  @Override
  public void allGather(List<Rank> ranks) {
    enqueue(new GroupCall(life, Kind.ALL_GATHER, 0, 0, null, null, ranks));
  }

  @Override
  public void reduceScatter(Reduction reduction, ElementType type, List<Rank> ranks) {
    reduce(Kind.REDUCE_SCATTER, 0, reduction, type, ranks);
  }

  @Override
  public void gather(int root, List<Rank> ranks) {
    checkRank("root", root);
    enqueue(new GroupCall(life, Kind.GATHER, root, 0, null, null, ranks));
  }

  @Override
  public void scatter(int root, List<Rank> ranks) {
    checkRank("root", root);
    enqueue(new GroupCall(life, Kind.SCATTER, root, 0, null, null, ranks));
  }

  @Override
  public void allToAll(List<Rank> ranks) {
    enqueue(new GroupCall(life, Kind.ALL_TO_ALL, 0, 0, null, null, ranks));
  }

  @Override
  public void sendReceive(int from, int to, List<Rank> ranks) {
    checkRank("from", from);
    checkRank("to", to);
    if (from == to) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "from and to are both rank " + from + "; use a copy");
    }
    enqueue(new GroupCall(life, Kind.SEND_RECEIVE, from, to, null, null, ranks));
  }

  private void reduce(
      Kind kind, int root, Reduction reduction, ElementType type, List<Rank> ranks) {
    Objects.requireNonNull(reduction, "reduction");
    Objects.requireNonNull(type, "type");
    checkReduction(reduction, type);
    enqueue(new GroupCall(life, kind, root, 0, reduction, type, ranks));
  }

  private void checkRank(String what, int rank) {
    if (rank < 0 || rank >= size()) {
      throw new HalException(
          Status.OUT_OF_RANGE,
          what + " " + rank + " is no rank; the group has the ranks 0 to " + (size() - 1));
    }
  }

  private static void checkReduction(Reduction reduction, ElementType type) {
    if (reduction == Reduction.AVERAGE && Accumulator.isInteger(type)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "the average of " + type.label() + ": integers have none; use SUM and divide");
    }
  }

  private void enqueue(GroupCall call) {
    CollectiveRequest request = call.check();
    life.checkOpen();
    NativeGroup<?> natives = life.natives.group();
    if (natives != null
        && (!request.isOnDevices()
            || natives.obstacle(request.kind(), request.reduction(), request.type()) != null)) {
      natives = null;
    }
    life.ranks
        .get(0)
        .enqueue(
            life,
            natives,
            request,
            fence(call.ranks(), Rank::waits),
            fence(call.ranks(), Rank::signals),
            call.buffers());
    Reference.reachabilityFence(this); // or the group might be reclaimed before the call is in it
  }

  /** The fences of all ranks as one. */
  private static Fence fence(List<Rank> ranks, Function<Rank, Fence> which) {
    List<Timepoint> all = new ArrayList<>();
    for (Rank rank : ranks) {
      Fence fence = which.apply(rank);
      for (int i = 0; i < fence.size(); i++) {
        all.add(fence.semaphore(i).at(fence.value(i)));
      }
    }
    return Fence.of(all);
  }

  @Override
  public Form form(Kind kind, @Nullable Reduction reduction, @Nullable ElementType type) {
    Objects.requireNonNull(kind, "kind");
    if (kind.isReduction() != (reduction != null) || kind.isReduction() != (type != null)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          kind.label()
              + (kind.isReduction()
                  ? " needs a reduction and a type"
                  : " moves bytes, and has neither a reduction nor a type")
              + "; got "
              + reduction
              + " and "
              + type);
    }
    if (reduction != null && type != null) {
      checkReduction(reduction, type);
    }
    NativeGroup<?> natives = life.natives.group();
    if (natives == null) {
      return new Form(HOST, life.natives.whyNot());
    }
    String obstacle = natives.obstacle(kind, reduction, type);
    return obstacle == null ? new Form(NATIVE, natives.description()) : new Form(HOST, obstacle);
  }

  // How it ends.

  @Override
  public @Nullable HalException failure() {
    return life.failure();
  }

  @Override
  public boolean isClosed() {
    return life.isClosed();
  }

  @Override
  public void close() {
    Cascade.checkOutside("closing the " + life, "the devices may wait for it");
    PlatformThreads.callUnlimited(
        "jhal-group-close",
        () -> {
          long deadline = life.close();
          owner.close();
          life.awaitNatives(deadline);
          return this;
        });
    Reference.reachabilityFence(this); // or it might be reported as a leak while it is closed
  }

  @Override
  public String toString() {
    return life.toString();
  }
}
