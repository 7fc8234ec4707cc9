package org.jhal.engine.group;

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
import org.jhal.driver.NativeGroup;
import org.jhal.driver.support.PlatformThreads;
import org.jhal.engine.base.DeviceCore;
import org.jhal.engine.base.Owner;
import org.jhal.engine.collective.Accumulator;
import org.jhal.engine.collective.Layout;
import org.jhal.engine.queue.Cascade;
import org.jspecify.annotations.Nullable;

/**
 * A group as users see it. Each method checks all ranks, and enqueues one operation.
 *
 * <p>Thread-safe.
 */
public final class EngineGroup implements CollectiveGroup {
  private static final String HOST = "host";
  private static final String NATIVE = "native";

  private final GroupLife life;
  private final Owner owner;
  private final List<Device> devices;

  private EngineGroup(GroupLife life) {
    this.life = life;
    this.devices = life.devices().stream().<Device>map(DeviceCore::view).toList();
    this.owner = life.ownedBy(this, life.first().tracesLeaks());
    life.first().resources().groups.add(life);
  }

  /**
   * Makes a group of engine devices; see {@link CollectiveGroup#of}.
   *
   * @param groupsOf returns the groups of a device, or null if it is not a device of the engine
   */
  public static CollectiveGroup make(
      List<Device> devices, Function<Device, @Nullable DeviceGroups<?>> groupsOf, Options options) {
    checkThread("making a group");
    List<DeviceGroups<?>> own = new ArrayList<>();
    for (Device device : devices) {
      DeviceGroups<?> groups = groupsOf.apply(device);
      if (groups == null) {
        throw new HalException(
            Status.UNIMPLEMENTED,
            "rank " + own.size() + ", " + device + ", was not made by the engine of " + devices);
      }
      own.add(groups);
    }
    GroupLife life = new GroupLife(List.copyOf(own), options);
    boolean isMade = false;
    try {
      own.forEach(groups -> groups.add(life));
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

  private static void checkThread(String what) {
    Cascade.checkOutside(what, "the devices may wait for it");
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
    GroupCall call = new GroupCall(life, Kind.BROADCAST, null, null, ranks);
    call.checkRank("root", root);
    for (int rank = 0; rank < size(); rank++) {
      call.source(rank, rank == root);
      call.target(rank, rank != root, true);
    }
    long length = call.sameLength(1, 1);
    call.checkInPlace(rank -> 0);
    enqueue(
        call,
        Layout.broadcast(
            root, size(), length, rank -> call.hasTarget(rank) && !call.isInPlace(rank)),
        root,
        0);
  }

  @Override
  public void reduce(int root, Reduction reduction, ElementType type, List<Rank> ranks) {
    GroupCall call = reducing(Kind.REDUCE, reduction, type, ranks);
    call.checkRank("root", root);
    for (int rank = 0; rank < size(); rank++) {
      call.source(rank, true);
      call.target(rank, rank == root, rank == root);
    }
    long length = call.sameLength(1, 1);
    call.checkInPlace(rank -> 0);
    enqueue(call, Layout.reduce(root, size(), length), root, 0);
  }

  @Override
  public void allReduce(Reduction reduction, ElementType type, List<Rank> ranks) {
    GroupCall call = reducing(Kind.ALL_REDUCE, reduction, type, ranks);
    call.allHaveBoth();
    long length = call.sameLength(1, 1);
    call.checkInPlace(rank -> 0);
    enqueue(call, Layout.allReduce(size(), length), 0, 0);
  }

  @Override
  public void allGather(List<Rank> ranks) {
    GroupCall call = new GroupCall(life, Kind.ALL_GATHER, null, null, ranks);
    call.allHaveBoth();
    long length = call.sameLength(1, size());
    call.checkInPlace(rank -> rank * length);
    enqueue(call, Layout.allGather(size(), length, call::isInPlace), 0, 0);
  }

  @Override
  public void reduceScatter(Reduction reduction, ElementType type, List<Rank> ranks) {
    GroupCall call = reducing(Kind.REDUCE_SCATTER, reduction, type, ranks);
    call.allHaveBoth();
    long length = call.sameLength(size(), 1);
    call.checkInPlace(rank -> -rank * length);
    enqueue(call, Layout.reduceScatter(size(), length), 0, 0);
  }

  @Override
  public void sendReceive(int from, int to, List<Rank> ranks) {
    GroupCall call = new GroupCall(life, Kind.SEND_RECEIVE, null, null, ranks);
    call.checkRank("from", from);
    call.checkRank("to", to);
    if (from == to) {
      throw new HalException(
          Status.INVALID_ARGUMENT, "from and to are both rank " + from + "; use a copy");
    }
    for (int rank = 0; rank < size(); rank++) {
      call.source(rank, rank == from);
      call.target(rank, rank == to, rank == to);
    }
    long length = call.sameLength(1, 1);
    call.checkInPlace(rank -> 0);
    enqueue(call, Layout.sendReceive(from, to, length), from, to);
  }

  private GroupCall reducing(Kind kind, Reduction reduction, ElementType type, List<Rank> ranks) {
    Objects.requireNonNull(reduction, "reduction");
    Objects.requireNonNull(type, "type");
    checkReduction(reduction, type);
    return new GroupCall(life, kind, reduction, type, ranks);
  }

  private static void checkReduction(Reduction reduction, ElementType type) {
    if (reduction == Reduction.AVERAGE && Accumulator.isInteger(type)) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "the average of " + type.label() + ": integers have none; use SUM and divide");
    }
  }

  private void enqueue(GroupCall call, Layout layout, int root, int receiver) {
    life.checkOpen();
    CollectiveRequest request = call.request(layout, root, receiver);
    NativeGroup<?> natives = life.form().group();
    if (natives != null
        && (!request.isOnDevices()
            || natives.obstacle(request.kind(), request.reduction(), request.type()) != null)) {
      natives = null;
    }
    life.ranks()
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
    NativeGroup<?> natives = life.form().group();
    if (natives == null) {
      return new Form(HOST, life.form().whyNot());
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
    checkThread("closing the " + life);
    PlatformThreads.callUnlimited(
        "jhal-group-close",
        () -> {
          life.close();
          owner.close();
          life.awaitNatives();
          return this;
        });
    Reference.reachabilityFence(this); // or it might be reported as a leak while it is closed
  }

  @Override
  public String toString() {
    return life.toString();
  }
}
