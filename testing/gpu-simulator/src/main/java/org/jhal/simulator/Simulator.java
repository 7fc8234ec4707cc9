// SPDX-License-Identifier: Apache-2.0
package org.jhal.simulator;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Controls a simulated driver library in this process, and reports what happened in it.
 *
 * <p>Functions are named as the library exports them, such as {@code cuEventRecord}. Work in streams
 * has names too: {@code @kernel}, {@code @copy}, {@code @fill}, {@code @memory} (allocation and
 * release in stream order), {@code @record}, {@code @wait}, {@code @write}, {@code @host}, {@code
 * @graph} (the launch of a graph as a whole), {@code @upload}, {@code @collective} (a rank's part of
 * a group), and {@code @work} for all of them. Those fail when they run, not when they are enqueued, and take their context with them, as on a
 * device. The nodes of a graph count as what they are: a kernel node is a {@code @kernel}.
 *
 * <p>The environment variables {@code GPUSIM_DEVICES} (default 1, at most 8), {@code GPUSIM_MEMORY}
 * (bytes of each device, default 16 GiB), {@code GPUSIM_DRIVER_VERSION}, {@code GPUSIM_SEED}, {@code
 * GPUSIM_GRAPH_FAULTS} (a sum of 1, 2 and 4, in the order of {@link GraphFault}), {@code
 * GPUSIM_QUIET} (1 as {@link #waitForQuiet}) and {@code GPUSIM_HARDWARE_QUEUES} (as {@link
 * #hardwareQueues}) give the values to begin with.
 *
 * <p>Thread-safe: any thread may call anything, except that {@link #reset} needs the library to be
 * left alone.
 */
public final class Simulator {
  /** Defects of graphs in real runtimes. */
  public enum GraphFault {
    /**
     * A kernel node keeps the pointer to its arguments, packed or one by one, and each launch call
     * reads them through it.
     */
    KEEPS_POINTERS,

    /** A launch reads the nodes' parameters when it runs, so that setting them changes it. */
    CHANGES_LAUNCHES_IN_FLIGHT,

    /**
     * Setting the parameters of an instance's node, from its 201st node on, succeeds and changes
     * nothing.
     */
    STALE_NODES
  }

  /** Keeps libraries loaded: one that JNA unloads forgets all that was set. */
  private static final Set<NativeLibrary> LOADED = ConcurrentHashMap.newKeySet();

  private final NativeLibrary library;

  private Simulator(NativeLibrary library) {
    this.library = library;
  }

  /**
   * The controls of a library.
   *
   * @param library the file of a {@link SimulatedLibrary#driver}; loaded if it is not yet
   * @throws UnsatisfiedLinkError if it cannot be loaded or is no simulator
   */
  public static Simulator in(Path library) {
    NativeLibrary loaded = NativeLibrary.getInstance(library.toString());
    loaded.getFunction("gpusim_reset");
    LOADED.add(loaded);
    return new Simulator(loaded);
  }

  /** The library's file. */
  public Path file() {
    return library.getFile().toPath();
  }

  /**
   * Makes the nth use from now on, 1 being the next, return a code without any effect.
   *
   * @param function a function's name, or one of work in a stream
   */
  public void fail(String function, int nth, int code) {
    fail(function, nth, code, false);
  }

  /**
   * Like {@link #fail}, for the next use, after which the current context is lost: all calls that
   * need it return this code until it is destroyed. Without a current context, all contexts are.
   */
  public void failForGood(String function, int code) {
    fail(function, 1, code, true);
  }

  /** Like {@link #failForGood(String, int)}, for the nth use from now on. */
  public void failForGood(String function, int nth, int code) {
    fail(function, nth, code, true);
  }

  /** Cancels the failures of a function that have not happened. */
  public void failNoMore(String function) {
    function("gpusim_pass").invokeVoid(new Object[] {function});
  }

  private void fail(String function, int nth, int code, boolean forGood) {
    if (nth < 1) {
      throw new IllegalArgumentException("nth is " + nth + ", the next use is 1");
    }
    function("gpusim_fail").invokeVoid(new Object[] {function, nth, code, forGood ? 1 : 0});
  }

  /** Makes each use take so much longer from now on; zero ends it. */
  public void delay(String function, Duration time) {
    function("gpusim_delay").invokeVoid(new Object[] {function, time.toNanos()});
  }

  /**
   * Holds the nth work in streams from now on, 1 being the next, and all later work of that name,
   * before it runs or fails; its stream waits. Replaces an earlier hold of that name.
   *
   * @param work a name of work in a stream, such as {@code @copy}
   */
  public void hold(String work, int nth) {
    if (nth < 1) {
      throw new IllegalArgumentException("nth is " + nth + ", the next is 1");
    }
    function("gpusim_hold").invokeVoid(new Object[] {work, nth});
  }

  /** Ends a hold. */
  public void release(String work) {
    function("gpusim_hold").invokeVoid(new Object[] {work, 0});
  }

  /** Makes streams linger at random, differently for each seed; 0 ends it for later streams. */
  public void seed(long seed) {
    function("gpusim_seed").invokeVoid(new Object[] {seed});
  }

  /**
   * Pauses a stream, after its current operation. Calls that wait for it block.
   *
   * @param stream its handle, or 0 for all streams of the device, also later ones
   * @throws IllegalArgumentException if there is no such stream
   */
  public void pause(int device, long stream) {
    pause(device, stream, 1);
  }

  /** Resumes a stream, or with 0 all streams of the device. */
  public void resume(int device, long stream) {
    pause(device, stream, 0);
  }

  private void pause(int device, long stream, int paused) {
    int known = function("gpusim_pause").invokeInt(new Object[] {device, stream, paused});
    if (known == 0) {
      throw new IllegalArgumentException("no stream " + Long.toHexString(stream));
    }
  }

  /** Sets how many devices there are, 0 to 8. */
  public void devices(int count) {
    function("gpusim_devices").invokeVoid(new Object[] {count});
  }

  /**
   * Sets whether a device can get access to the memory of another one; at first all can. Access
   * that was enabled before stays.
   */
  public void peer(int device, int owner, boolean isPossible) {
    function("gpusim_peer").invokeVoid(new Object[] {device, owner, isPossible ? 1 : 0});
  }

  /** Sets how much memory each device has. Memory that is allocated stays. */
  public void memory(long bytesPerDevice) {
    function("gpusim_memory").invokeVoid(new Object[] {bytesPerDevice});
  }

  /** Sets the driver's version, in the form in which the library returns it. */
  public void driverVersion(int version) {
    function("gpusim_driver_version").invokeVoid(new Object[] {version});
  }

  /**
   * Gives graphs these faults and no others; with none they are correct. With {@link
   * GraphFault#KEEPS_POINTERS}, a node keeps pointers from when it is added or set while the fault
   * is on, and launches use them only while it is on.
   */
  public void graphFaults(GraphFault... faults) {
    int bits = 0;
    for (GraphFault fault : faults) {
      bits |= 1 << fault.ordinal();
    }
    function("gpusim_graph_faults").invokeVoid(new Object[] {bits});
  }

  /**
   * Makes some calls wait for all work of their device, by any context, as NVIDIA's driver and NCCL
   * do: loading a module, ending or aborting a communicator, and unregistering host memory, which
   * keeps streams from being destroyed meanwhile. Until the next {@link #reset}.
   */
  public void waitForQuiet() {
    function("gpusim_quiet").invokeVoid(new Object[] {1});
  }

  /**
   * Makes the streams of a device share hardware queues in turn, as on real devices: what is put
   * into a stream begins only when all is over that was put into any stream of the same queue
   * before. Until the next {@link #reset}, for streams that are created from now on.
   *
   * @param queues how many there are; 0 for as many as streams
   */
  public void hardwareQueues(int queues) {
    function("gpusim_hardware_queues").invokeVoid(new Object[] {queues});
  }

  /**
   * Sets the clock of all devices ahead of the host's, and makes it run fast or slow from now on.
   *
   * @param ahead may be negative
   * @param nanosPerSecond how much it gains in a second; negative if it runs slow
   */
  public void clock(Duration ahead, long nanosPerSecond) {
    function("gpusim_clock").invokeVoid(new Object[] {ahead.toNanos(), nanosPerSecond});
  }

  /** How often each function was called since the last {@link #reset}; those with 0 are absent. */
  public Map<String, Long> calls() {
    return counts(0);
  }

  /**
   * Errors of the caller, whether or not the call has failed: use of destroyed or freed objects, a
   * wait for an event that was never recorded, a call without a context. With collectives also a
   * call that, on real devices, prevents the launch of a group from completing: it waits for a
   * device that already has a part of the group.
   */
  public List<String> misuses() {
    return report(1);
  }

  /**
   * Objects that were not released, by kind: context (each retain), stream, event, module, pool,
   * memory, "memory bytes", "host memory", registration, graph, "graph exec", communicator; those
   * with 0 are absent.
   */
  public Map<String, Long> live() {
    return counts(2);
  }

  /**
   * How many kernels were launched, by the compute units that they run on: in hexadecimal, one bit
   * for each unit, or {@code 0} for all of a device. Those of a graph run where their nodes were
   * made for, whatever the stream.
   */
  public Map<String, Long> kernelsByUnits() {
    return counts(4);
  }

  /**
   * Objects that were destroyed with their context, by kind as in {@link #live}, and as "operation"
   * the work that never ran because of that. Work behind a failure does not count.
   */
  public Map<String, Long> abandoned() {
    return counts(3);
  }

  /**
   * Restores the state of a new process: all contexts end with their objects, and faults, counts
   * and settings are reset. Earlier handles are invalid. Waits up to 5 s for kernels that run.
   */
  public void reset() {
    function("gpusim_reset").invokeVoid(new Object[0]);
  }

  Function function(String name) {
    return library.getFunction(name);
  }

  private Map<String, Long> counts(int which) {
    return report(which).stream()
        .collect(
            Collectors.toMap(
                line -> line.substring(0, line.lastIndexOf(' ')),
                line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)),
                Long::sum,
                TreeMap::new));
  }

  private List<String> report(int which) {
    byte[] buffer = new byte[4096];
    while (true) {
      Object[] arguments = {which, buffer, (long) buffer.length};
      long length = function("gpusim_report").invokeLong(arguments);
      if (length < buffer.length) {
        return new String(buffer, 0, (int) length, StandardCharsets.UTF_8).lines().toList();
      }
      buffer = new byte[(int) length + 1024];
    }
  }
}
