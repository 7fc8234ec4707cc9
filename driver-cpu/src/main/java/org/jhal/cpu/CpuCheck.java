// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jhal.HalException;
import org.jhal.KernelFinding;
import org.jhal.Status;
import org.jhal.cpu.runtime.HalRuntime;
import org.jhal.driver.Submission;
import org.jspecify.annotations.Nullable;

/**
 * Checks the dispatches of a device, one at a time, as they share what the native runtime keeps
 * about them.
 *
 * <p>Thread-safe.
 */
final class CpuCheck {
  /** The checks, in the order of their bits in {@code hal_check.h}. */
  static final List<String> ALL = List.of("memory", "races", "barriers", "values");

  /** The findings of all devices that only report them, up to this many. */
  private static final int MOST_REPORTED = 1000;

  private static final List<CheckReport> REPORTED = new ArrayList<>(); // guarded by itself

  /** How many freed blocks are remembered. */
  private static final int FREED = 256;

  private final int what;
  private final boolean fails;

  // By address; these two guarded by `blocks`.
  private final NavigableMap<Long, Block> blocks = new TreeMap<>();
  private final Map<Long, Freed> freed = new LinkedHashMap<>(); // the latest last
  private volatile long address; // 0 before it is opened, and once it is closed

  /**
   * For a device.
   *
   * @param what the sum of what is checked, see {@link #parse}
   * @param fails whether a finding fails the operation; otherwise {@link #takeReported} returns it
   */
  CpuCheck(int what, boolean fails) {
    this.what = what;
    this.fails = fails;
  }

  /**
   * Opens it, once the runtime is loaded.
   *
   * @param threads how many run kernels
   */
  void open(int threads) {
    address = HalRuntime.hal_check_make(what, threads);
    if (address == 0) {
      throw new HalException(Status.RESOURCE_EXHAUSTED, "no memory for checks of kernels");
    }
  }

  /**
   * What an option says: some of {@link #ALL}, separated by commas, or {@code all}.
   *
   * @throws HalException INVALID_ARGUMENT if it says something else
   */
  static int parse(String option) {
    int what = 0;
    for (String name : option.split(",", -1)) {
      int index = ALL.indexOf(name.strip());
      if (index < 0 && !name.strip().equals("all")) {
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "check has '%s'; known are all, %s".formatted(name, String.join(", ", ALL)));
      }
      what |= index < 0 ? (1 << ALL.size()) - 1 : 1 << index;
    }
    return what;
  }

  /** What is checked, as a sum of the numbers of {@code hal_check.h}. */
  int what() {
    return what;
  }

  /** A block that is gone. */
  private record Freed(long size, String name) {}

  /** Notes a block, whose addresses may be those of one that was freed. */
  void allocated(Block block) {
    synchronized (blocks) {
      blocks.put(block.address(), block);
    }
  }

  /** Notes that a block is freed. */
  void freed(Block block) {
    synchronized (blocks) {
      if (blocks.remove(block.address(), block)) {
        freed.remove(block.address()); // to be the latest
        freed.put(block.address(), new Freed(block.size(), block.name()));
        if (freed.size() > FREED) {
          freed.remove(freed.keySet().iterator().next());
        }
      }
    }
  }

  /**
   * In which buffer of the device an address is or was, as the end of a message; empty if in none,
   * or in one that the dispatch has.
   */
  String whose(CpuGrid grid, long address) {
    synchronized (blocks) {
      Map.Entry<Long, Block> below = blocks.floorEntry(address);
      if (below != null && address - below.getKey() < below.getValue().size()) {
        return Arrays.asList(grid.blocks()).contains(below.getValue())
            ? ""
            : ", in another buffer of the device" + named(below.getValue().name());
      }
      String found = "";
      for (Map.Entry<Long, Freed> each : freed.entrySet()) {
        long offset = address - each.getKey();
        if (offset >= 0 && offset < each.getValue().size()) {
          found = ", in a buffer that was freed" + named(each.getValue().name());
        }
      }
      return found;
    }
  }

  private static String named(String name) {
    return name.isEmpty() ? "" : ", '%s' of the last kernel that had it".formatted(name);
  }

  /** Keeps what is known of the bytes of a block. */
  long shadow(long base, long size, boolean isAllWritten) {
    long made = HalRuntime.hal_shadow_make(address, base, size, isAllWritten ? 1 : 0);
    if (made == 0) {
      throw new HalException(Status.RESOURCE_EXHAUSTED, "no memory for checks of a buffer");
    }
    return made;
  }

  /** For {@link HalRuntime#hal_function_check}. */
  long address() {
    return address;
  }

  /**
   * Runs a dispatch, and reports what is wrong with it.
   *
   * @param failed gets what the operation fails by: what was found before why the dispatch ended
   * @param dispatch runs it, and says why it failed
   */
  synchronized void run(
      CpuGrid grid,
      CheckedCode code,
      Consumer<HalException> failed,
      Consumer<Consumer<HalException>> dispatch) {
    HalRuntime.hal_check_begin(address);
    grid.writeRanges(address);
    code.writeVariables(address);
    List<HalException> failures = new ArrayList<>();
    dispatch.accept(failures::add);
    report(reports(grid, code), failures, failed);
    failures.forEach(failed);
  }

  private List<CheckReport> reports(CpuGrid grid, CheckedCode code) {
    List<CheckReport> reports = new ArrayList<>();
    for (int i = 0; i < HalRuntime.hal_check_found(address); i++) {
      NativeFinding found = NativeFinding.read(address, i);
      KernelFinding finding = CheckText.finding(grid, code, found, this);
      if (finding != null) {
        CheckReport.Strip strip = fails ? null : CheckText.strip(grid, found, address);
        merge(reports, report(finding, code, strip));
      }
    }
    CheckText.noteOutputs(grid, code, address);
    return reports;
  }

  private static CheckReport report(
      KernelFinding finding, CheckedCode code, CheckReport.@Nullable Strip strip) {
    KernelFinding.Place place = finding.place();
    return new CheckReport(finding, place == null ? List.of() : code.lines(place.file()), strip);
  }

  /** Reports what is wrong with a readback of a part of a block. */
  void readBack(Block block, long offset, long length, Submission submission) {
    report(block.unwritten(offset, length), List.of(), submission::fail);
  }

  private void report(
      List<CheckReport> reports, List<HalException> failures, Consumer<HalException> failed) {
    if (fails) {
      List<KernelFinding> findings = reports.stream().map(CheckReport::finding).toList();
      if (!findings.stream().allMatch(KernelFinding::isBenign)) {
        HalException wrong = failure(findings);
        failures.forEach(wrong::addSuppressed);
        failed.accept(wrong);
      }
      return;
    }
    synchronized (REPORTED) {
      reports.stream().limit(MOST_REPORTED - REPORTED.size()).forEach(REPORTED::add);
    }
  }

  /** Adds a finding, or counts it to one with the same text: code may be in several places. */
  private static void merge(List<CheckReport> reports, CheckReport report) {
    for (int i = 0; i < reports.size(); i++) {
      CheckReport other = reports.get(i);
      if (isSame(other.finding(), report.finding())) {
        long count = other.finding().count() + report.finding().count();
        reports.set(
            i, new CheckReport(withCount(other.finding(), count), other.source(), other.strip()));
        return;
      }
    }
    reports.add(report);
  }

  private static KernelFinding withCount(KernelFinding of, long count) {
    return new KernelFinding(
        of.check(),
        of.kernel(),
        of.message(),
        of.place(),
        of.item(),
        of.otherPlace(),
        of.otherItem(),
        of.isBenign(),
        count);
  }

  /** Whether two have the same kind and places. */
  private static boolean isSame(KernelFinding a, KernelFinding b) {
    return a.check().equals(b.check())
        && a.kernel().equals(b.kernel())
        && a.isBenign() == b.isBenign()
        && (haveSamePlaces(a, b) || haveSwappedPlaces(a, b));
  }

  private static boolean haveSamePlaces(KernelFinding a, KernelFinding b) {
    return Objects.equals(a.place(), b.place())
        && Objects.equals(a.otherPlace(), b.otherPlace())
        && kind(a.message()).equals(kind(b.message()));
  }

  /** A race may be found by either work item. */
  private static boolean haveSwappedPlaces(KernelFinding a, KernelFinding b) {
    return a.place() != null
        && a.otherPlace() != null
        && a.place().equals(b.otherPlace())
        && a.otherPlace().equals(b.place());
  }

  /** A message without the numbers of elements. */
  private static String kind(String message) {
    return message.replaceAll("-?[0-9]+", "0");
  }

  private static HalException failure(List<KernelFinding> findings) {
    String text = findings.stream().map(KernelFinding::toString).collect(Collectors.joining("\n"));
    return HalException.ofFindings("the kernel is wrong: " + text, findings);
  }

  /** What was found and reported in this process since the last call. */
  static List<CheckReport> takeReported() {
    synchronized (REPORTED) {
      List<CheckReport> taken = List.copyOf(REPORTED);
      REPORTED.clear();
      return taken;
    }
  }

  /** Frees it. No dispatch runs any more. */
  synchronized void close() {
    HalRuntime.hal_check_free(address); // 0 is allowed
    address = 0;
  }
}
