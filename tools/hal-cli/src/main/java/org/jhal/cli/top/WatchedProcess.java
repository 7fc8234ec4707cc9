// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.top;

import java.io.IOException;
import java.net.MalformedURLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongConsumer;
import javax.management.AttributeNotFoundException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.jhal.HalException;
import org.jhal.Status;

/** A connection to the MBeans of JHAL in a running process. Confined to one thread. */
public final class WatchedProcess implements AutoCloseable {
  private static final String TIMEOUT_PROPERTY = "sun.rmi.transport.tcp.responseTimeout";
  private static final int TIMEOUT_MILLIS = 15_000;

  /** The longest time from the end of a connection to that of its process. */
  private static final int END_MILLIS = 2_000;

  private static final String SHORT_URL = "[\\w.\\-]+:\\d+|\\[[0-9a-fA-F:.]+\\]:\\d+";

  private final long pid; // 0 if only the address is known
  private final String description;
  private final JMXConnector connector;
  private final MBeanServerConnection beans;
  private final ObjectName pattern;

  @SuppressWarnings("BanJNDI") // the user names the address
  private WatchedProcess(long pid, String description, String address) {
    this.pid = pid;
    this.description = description;
    if (System.getProperty(TIMEOUT_PROPERTY) == null) { // a stopped process never answers
      System.setProperty(TIMEOUT_PROPERTY, String.valueOf(TIMEOUT_MILLIS));
    }
    try {
      pattern = new ObjectName("org.jhal:type=Hal,*"); // several copies of JHAL may be loaded
      connector = JMXConnectorFactory.connect(new JMXServiceURL(address));
      beans = connector.getMBeanServerConnection();
    } catch (MalformedURLException e) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          "'"
              + address
              + "' is no JMX address such as HOST:PORT or service:jmx:...: "
              + e.getMessage(),
          e);
    } catch (MalformedObjectNameException e) {
      throw new AssertionError(e);
    } catch (SecurityException e) {
      throw new HalException(
          Status.PERMISSION_DENIED, description + " refuses the connection: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new HalException(
          Status.UNAVAILABLE, "cannot connect to " + description + ": " + reason(e), e);
    }
  }

  /**
   * Connects to a process of this machine.
   *
   * @throws HalException NOT_FOUND if there is no such process, or it has no open device;
   *     PERMISSION_DENIED, FAILED_PRECONDITION or UNAVAILABLE if it cannot be connected to
   */
  public static WatchedProcess attach(long pid) {
    return checked(new WatchedProcess(pid, "process " + pid, JavaProcesses.startAgent(pid)));
  }

  /**
   * Connects to the only process of this machine with an open device.
   *
   * @param silent gets the numbers of processes that do not answer, and may have one, too
   * @throws HalException NOT_FOUND if no process has; INVALID_ARGUMENT if several processes have;
   *     PERMISSION_DENIED, FAILED_PRECONDITION or UNAVAILABLE if it cannot be connected to
   */
  public static WatchedProcess attachOnly(LongConsumer silent) {
    return attach(JavaProcesses.findOnly(silent));
  }

  /**
   * Connects to the JMX server at an address.
   *
   * @param address {@code HOST:PORT} or a JMX service URL
   * @throws HalException INVALID_ARGUMENT if the address is malformed; NOT_FOUND if the process has
   *     no open device; PERMISSION_DENIED or UNAVAILABLE if it cannot be connected to
   */
  public static WatchedProcess connect(String address) {
    String url =
        address.matches(SHORT_URL)
            ? "service:jmx:rmi:///jndi/rmi://" + address + "/jmxrmi"
            : address;
    return checked(new WatchedProcess(0, address, url));
  }

  private static WatchedProcess checked(WatchedProcess process) {
    boolean isUsable = false;
    try {
      if (process.names().isEmpty()) {
        throw new HalException(
            Status.NOT_FOUND, process.description + " has no open device of JHAL");
      }
      isUsable = true;
      return process;
    } finally {
      if (!isUsable) {
        process.close();
      }
    }
  }

  /** Returns its number, or 0 if only its address is known. */
  long pid() {
    return pid;
  }

  /** Returns what is watched, for a heading. */
  String description() {
    return description;
  }

  private List<ObjectName> names() {
    try {
      return new ArrayList<>(new TreeSet<>(beans.queryNames(pattern, null)));
    } catch (IOException e) {
      throw gone(e);
    }
  }

  /**
   * Returns the open devices at this moment.
   *
   * @throws HalException UNAVAILABLE if the process has ended, or does not answer for 15 seconds;
   *     UNIMPLEMENTED if its JHAL is too old
   */
  Sample sample() {
    List<DeviceSample> devices = new ArrayList<>();
    Map<String, Integer> copies = new HashMap<>();
    for (ObjectName name : names()) {
      for (CompositeData data : devices(name)) {
        String device = DeviceSample.text(data, "name");
        String shared = name + " " + device;
        int copy = Objects.requireNonNull(copies.merge(shared, 1, Integer::sum));
        devices.add(new DeviceSample(shared + " " + copy, device, data));
      }
    }
    return new Sample(Instant.now(), System.nanoTime(), List.copyOf(devices));
  }

  private CompositeData[] devices(ObjectName name) {
    try {
      return (CompositeData[]) beans.getAttribute(name, "Devices");
    } catch (InstanceNotFoundException e) {
      return new CompositeData[0]; // the last device was closed
    } catch (AttributeNotFoundException e) {
      throw new HalException(
          Status.UNIMPLEMENTED, "the JHAL of " + description + " does not report its devices", e);
    } catch (JMException e) {
      throw new HalException(
          Status.INTERNAL, description + " cannot report its devices: " + e.getMessage(), e);
    } catch (IOException e) {
      throw gone(e);
    }
  }

  /** Returns the first cause, such as a refused connection; RMI wraps it several times. */
  private static String reason(IOException e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.toString();
  }

  private HalException gone(IOException e) {
    return new HalException(
        Status.UNAVAILABLE,
        hasEnded()
            ? "process " + pid + " has ended"
            : "the connection to " + description + " is lost: " + reason(e),
        e);
  }

  /** Whether the process has ended: its connections are closed a little before. */
  private boolean hasEnded() {
    if (pid <= 0 || pid == ProcessHandle.current().pid()) {
      return false;
    }
    Optional<ProcessHandle> process = ProcessHandle.of(pid);
    if (process.isEmpty()) {
      return true;
    }
    try {
      process.get().onExit().get(END_MILLIS, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    try {
      connector.close();
    } catch (IOException e) {
      // The process has ended, or does not answer.
    }
  }
}
