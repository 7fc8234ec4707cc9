// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.top;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jhal.HalException;
import org.jhal.HalMXBean;
import org.jhal.Status;

/** Finds Java processes on this machine, and asks them for a JMX agent. */
final class JavaProcesses {
  private static final int SIGQUIT = 3;
  private static final int ATTEMPTS = 2;

  private JavaProcesses() {}

  /**
   * Returns the only process of this user with an open device of JHAL, among those that answer.
   *
   * @param silent gets the numbers of those that do not answer
   * @throws HalException NOT_FOUND if there is none; INVALID_ARGUMENT if there are several
   */
  static long findOnly(LongConsumer silent) {
    Map<Long, String> found = new LinkedHashMap<>();
    for (VirtualMachineDescriptor candidate : VirtualMachine.list()) {
      if (candidate.id().matches("\\d+") && hasDevices(candidate, silent)) {
        found.put(Long.valueOf(candidate.id()), name(candidate));
      }
    }
    if (found.isEmpty()) {
      throw new HalException(
          Status.NOT_FOUND,
          "no Java process of this user has an open device of JHAL; name a process, or use --jmx");
    }
    if (found.size() > 1) {
      StringBuilder list = new StringBuilder();
      found.forEach((pid, name) -> list.append('\n').append(pid).append("  ").append(name));
      throw new HalException(
          Status.INVALID_ARGUMENT,
          found.size() + " processes have open devices of JHAL; name one of them:" + list);
    }
    return found.keySet().iterator().next();
  }

  /** Whether a process has set the property of the bean; reading it starts nothing in it. */
  private static boolean hasDevices(VirtualMachineDescriptor candidate, LongConsumer silent) {
    long pid = Long.parseLong(candidate.id());
    if (pid == ProcessHandle.current().pid() || !answersAttach(pid)) {
      return false;
    }
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return hasProperty(candidate);
      } catch (AttachNotSupportedException e) {
        break; // it does not answer within the JDK's limit
      } catch (IOException e) {
        continue; // it has ended, or another tool has attached at the same time
      }
    }
    if (ProcessHandle.of(pid).isPresent()) {
      silent.accept(pid);
    }
    return false;
  }

  private static boolean hasProperty(VirtualMachineDescriptor candidate)
      throws AttachNotSupportedException, IOException {
    VirtualMachine machine = VirtualMachine.attach(candidate);
    try {
      return machine.getSystemProperties().containsKey(HalMXBean.PROPERTY);
    } finally {
      machine.detach();
    }
  }

  private static String name(VirtualMachineDescriptor candidate) {
    String name = candidate.displayName().replaceAll("\\p{Cntrl}", "?");
    return name.isEmpty() ? "(unknown)" : name.replaceFirst(" .*", "");
  }

  /**
   * Returns the address of the JMX agent of a process, which is started if it does not run.
   *
   * @throws HalException NOT_FOUND if there is no such process; PERMISSION_DENIED if it is another
   *     user's; FAILED_PRECONDITION if it is no Java process, or does not answer
   */
  static String startAgent(long pid) {
    ProcessHandle process =
        ProcessHandle.of(pid)
            .filter(ProcessHandle::isAlive)
            .orElseThrow(
                () -> new HalException(Status.NOT_FOUND, "there is no process " + pid + " here"));
    checkUser(process);
    if (!answersAttach(pid)) {
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "process " + pid + " is no Java process, or one that was started with -Xrs");
    }
    try {
      VirtualMachine machine = VirtualMachine.attach(String.valueOf(pid));
      try {
        return machine.startLocalManagementAgent();
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException | IOException e) {
      if (!process.isAlive()) {
        throw new HalException(Status.NOT_FOUND, "process " + pid + " has ended", e);
      }
      throw new HalException(
          Status.FAILED_PRECONDITION,
          "process "
              + pid
              + " does not let tools attach, or has no module jdk.management.agent: "
              + e.getMessage(),
          e);
    }
  }

  private static void checkUser(ProcessHandle process) {
    String owner = process.info().user().orElse("");
    String user = ProcessHandle.current().info().user().orElse("");
    if (!owner.isEmpty() && !owner.equals(user) && !user.equals("root")) {
      throw new HalException(
          Status.PERMISSION_DENIED,
          "process "
              + process.pid()
              + " belongs to the user '"
              + owner
              + "'; only that user can attach to it");
    }
  }

  /**
   * Whether a process handles SIGQUIT, which tools send to make a JVM listen. It would end a
   * process that does not. True where the system does not show it.
   */
  private static boolean answersAttach(long pid) {
    List<String> status;
    try {
      status = Files.readAllLines(Path.of("/proc/" + pid + "/status"));
    } catch (IOException e) {
      return true;
    }
    return status.stream()
        .filter(line -> line.startsWith("SigCgt:"))
        .map(line -> line.substring("SigCgt:".length()).strip())
        .allMatch(mask -> (Long.parseUnsignedLong(mask, 16) >>> (SIGQUIT - 1) & 1) == 1);
  }
}
