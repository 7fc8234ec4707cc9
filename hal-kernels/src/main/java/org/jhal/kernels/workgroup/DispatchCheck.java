// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.workgroup;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jhal.KernelFinding;
import org.jhal.Parameter;
import org.jhal.kernel.KernelMemory;
import org.jhal.kernels.check.CheckReport;
import org.jhal.kernels.check.CheckReports;
import org.jhal.kernels.check.FindingText;
import org.jhal.kernels.check.KernelChecks;
import org.jhal.kernels.workgroup.AccessCells.Kind;
import org.jhal.kernels.workgroup.AccessCells.Other;
import org.jspecify.annotations.Nullable;

/**
 * Checks the accesses of one dispatch, whose workgroups run one after the other. A work item is not
 * known, as a kernel in Java runs a whole group.
 *
 * <p>Thread-safe, as far as a kernel has threads of its own.
 */
final class DispatchCheck {
  private static final int MOST = 256; // findings

  /** So many accesses are looked for in the code, as each takes microseconds. */
  private static final int MOST_SITES = 200_000;

  private static final int UNKNOWN = -1;
  private static final StackWalker STACK = StackWalker.getInstance();

  /** The packages of what stands between a kernel and this. */
  private static final List<String> BETWEEN =
      List.of("org.jhal.kernel.", DispatchCheck.class.getPackageName() + ".");

  /** Ends a workgroup that has accessed what is not its own. */
  static final class Stray extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Stray(String message) {
      super(message);
    }
  }

  /** A place in code. */
  private record Code(String type, String method, int at) {}

  /** What findings have in common that are counted as one. */
  private record Same(
      String check, Kind kind, int parameter, int site, @Nullable Kind other, int otherSite) {
    /** Whether only the sites may differ. */
    boolean isLike(Same that) {
      return check.equals(that.check)
          && kind == that.kind
          && parameter == that.parameter
          && other == that.other;
    }
  }

  private final KernelChecks checks;
  private final GridKernel kernel;
  private final int countX;
  private final int countY;
  private final KernelView[] views;
  private final GroupOrder order = new GroupOrder();
  private final Map<SegmentedMemory, AccessCells> cells = new IdentityHashMap<>();
  private final Map<Code, Integer> sites = new LinkedHashMap<>();
  private final List<KernelFinding.Place> places = new ArrayList<>(); // by site
  private final Map<Same, KernelFinding> findings = new LinkedHashMap<>();
  private int siteCount; // how often one was looked for
  private boolean isOver;

  DispatchCheck(
      KernelChecks checks, GridKernel kernel, int countX, int countY, KernelView[] views) {
    this.checks = checks;
    this.kernel = kernel;
    this.countX = countX;
    this.countY = countY;
    this.views = views;
    if (checks.has(KernelChecks.RACES)) {
      for (int i = 0; i < kernel.parameterCount(); i++) {
        if (isBuffer(i)) {
          cells.computeIfAbsent(views[i].memory(), this::cells);
        }
      }
    }
  }

  private boolean isBuffer(int index) {
    return kernel.parameter(index).kind() == Parameter.Kind.BUFFER;
  }

  /** For all that the parameters have of a memory, with the smallest of their elements. */
  private AccessCells cells(SegmentedMemory memory) {
    long low = Long.MAX_VALUE;
    long high = 0;
    int element = Long.BYTES;
    for (int i = 0; i < kernel.parameterCount(); i++) {
      if (isBuffer(i) && views[i].memory() == memory) {
        low = Math.min(low, views[i].base());
        high = Math.max(high, views[i].base() + views[i].size());
        element = Math.min(element, kernel.parameter(i).type().bytes());
      }
    }
    return new AccessCells(order, low, high, element);
  }

  /** What the kernel gets as its buffers, by parameter. */
  KernelMemory[] views() {
    KernelMemory[] checked = new KernelMemory[kernel.parameterCount()];
    for (int i = 0; i < checked.length; i++) {
      checked[i] = new CheckedView(this, i, views[i]);
    }
    return checked;
  }

  /** What it gets as its shared memory. */
  KernelMemory shared(KernelView shared) {
    return new CheckedView(this, -1, shared);
  }

  /** Goes on with another workgroup. */
  synchronized void begin(long group) {
    order.begin(group);
  }

  /** Ends: views that the kernel has kept are not checked any more. */
  synchronized void end() {
    isOver = true;
  }

  /**
   * Checks an access, before it is made.
   *
   * @param parameter whose buffer it is; -1 for shared memory
   * @param index where in the view, in bytes
   * @param isSame whether it writes what is there
   * @throws Stray if the access must not be made
   */
  synchronized void access(
      int parameter, KernelView view, long index, int bytes, Kind kind, boolean isSame) {
    boolean isInside = index >= 0 && index <= view.size() - bytes;
    if (isOver || !isInside && !checks.has(KernelChecks.MEMORY)) {
      return; // the view throws
    }
    if (!isInside) {
      String text =
          FindingText.outside(
              kind.verb,
              name(parameter),
              element(parameter, index, bytes),
              whole(parameter, view.size()),
              index,
              view.size());
      add(KernelChecks.MEMORY, kind, parameter, text, site(), null, false);
      throw new Stray(text);
    }
    if (parameter < 0) {
      return;
    }
    if (kind != Kind.READ
        && checks.has(KernelChecks.MEMORY)
        && !isWritable(view.memory(), view.base() + index, bytes)) {
      String text = FindingText.readOnly(element(parameter, index, bytes), name(parameter));
      add(KernelChecks.MEMORY, kind, parameter, text, site(), null, false);
    }
    if (checks.has(KernelChecks.RACES)) {
      compare(parameter, view, index, bytes, kind, isSame);
    }
  }

  private void compare(
      int parameter, KernelView view, long index, int bytes, Kind kind, boolean isSame) {
    long at = view.base() + index;
    int site = siteCount < MOST_SITES ? site() : UNKNOWN;
    Other other = Objects.requireNonNull(cells.get(view.memory())).access(at, bytes, kind, site);
    if (other != null) {
      boolean areSame = isSame && other.kind() == Kind.WRITE && kind == Kind.WRITE;
      String text =
          FindingText.race(
              kind.verb,
              "%s of '%s'".formatted(element(parameter, index, bytes), name(parameter)),
              "another workgroup",
              other.kind().verb,
              areSame);
      add(KernelChecks.RACES, kind, parameter, text, site, other, areSame);
    }
    if (kind == Kind.ATOMIC) {
      order.met(view.memory(), at);
    }
  }

  /** The same memory may be given as several arguments. */
  private boolean isWritable(SegmentedMemory memory, long at, int bytes) {
    for (int i = 0; i < kernel.parameterCount(); i++) {
      if (isBuffer(i)
          && kernel.parameter(i).isWritten()
          && views[i].memory() == memory
          && at >= views[i].base()
          && at + bytes <= views[i].base() + views[i].size()) {
        return true;
      }
    }
    return false;
  }

  private void add(
      String check,
      Kind kind,
      int parameter,
      String text,
      int site,
      @Nullable Other other,
      boolean areSame) {
    Same key =
        known(
            new Same(
                check,
                kind,
                parameter,
                site,
                other == null ? null : other.kind(),
                other == null ? site : other.site()));
    KernelFinding known = findings.get(key);
    if (known != null && (!known.isBenign() || areSame)) {
      findings.put(key, CheckReports.withCount(known, known.count() + 1));
    } else if (known != null || findings.size() < MOST) {
      KernelFinding made =
          new KernelFinding(
              check,
              kernel.toString(),
              "kernel " + kernel + " " + text,
              places.get(site == UNKNOWN ? site() : site),
              group(order.group(order.span())),
              other == null || other.site() == UNKNOWN ? null : places.get(other.site()),
              other == null ? "" : group(order.group(other.span())),
              areSame,
              1);
      findings.put(key, known == null ? made : CheckReports.withCount(made, known.count() + 1));
    }
  }

  /** What is not known counts as what was found before, if that is the same otherwise. */
  private Same known(Same key) {
    return key.site() != UNKNOWN && key.otherSite() != UNKNOWN
        ? key
        : findings.keySet().stream().filter(key::isLike).findFirst().orElse(key);
  }

  private String group(long number) {
    return "workgroup " + FindingText.indexes(number, countX, countY);
  }

  private String name(int parameter) {
    return parameter < 0 ? "dynamic shared memory" : kernel.parameter(parameter).name();
  }

  private String element(int parameter, long index, int bytes) {
    if (parameter < 0) {
      return index % bytes == 0
          ? "element %s (%s bytes each)".formatted(index / bytes, bytes)
          : "byte " + index;
    }
    return "element " + Math.floorDiv(index, (long) kernel.parameter(parameter).type().bytes());
  }

  private String whole(int parameter, long size) {
    if (parameter < 0) {
      return size + " bytes of shared memory";
    }
    Parameter of = kernel.parameter(parameter);
    return size / of.type().bytes() + " (" + of.typeName() + ")";
  }

  /** The number of the place in the kernel that makes the access. */
  private int site() {
    siteCount++;
    StackWalker.StackFrame frame =
        STACK.walk(
            all ->
                all.filter(each -> BETWEEN.stream().noneMatch(each.getClassName()::startsWith))
                    .findFirst()
                    .orElseThrow());
    Code code = new Code(frame.getClassName(), frame.getMethodName(), frame.getByteCodeIndex());
    Integer known = sites.get(code);
    if (known != null) {
      return known;
    }
    String file = frame.getFileName();
    places.add(
        new KernelFinding.Place(
            file == null ? code.type() : file,
            frame.getLineNumber(),
            code.type() + "." + code.method(),
            0,
            0));
    sites.put(code, places.size() - 1);
    return places.size() - 1;
  }

  /** What was found, in the order of time. */
  synchronized List<CheckReport> reports() {
    List<CheckReport> reports = new ArrayList<>();
    findings.values().forEach(f -> CheckReports.add(reports, new CheckReport(f, List.of(), null)));
    return reports;
  }
}
