// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.WaitGraph.Line;
import org.jhal.WaitGraph.Node;
import org.jhal.WaitGraph.Promise;
import org.jhal.WaitGraph.Wait;
import org.jhal.spi.Explainable;
import org.jhal.spi.Explanations;
import org.jhal.spi.OpenOperation;
import org.jspecify.annotations.Nullable;

/** Creates the text of {@link Hal#explain}. Confined to one thread. */
final class ProcessExplanation {
  /** The maximum number of operations that are examined, which bounds the time and the memory. */
  static final int MOST_OPERATIONS = 200_000;

  // The maximum numbers of items that are printed.
  private static final int MOST_CYCLES = 8;
  private static final int MOST_IN_CYCLE = 16;
  private static final int MOST_UNPROMISED = 40;
  private static final int MOST_FAILED = 20;
  private static final int MOST_FINDINGS = 8;
  private static final int MOST_IN_QUEUE = 16;
  private static final int MOST_TIMEPOINTS = 4;

  /** A device and what it reported. */
  private static final class Report {
    final String name;
    final List<Node> nodes = new ArrayList<>();
    @Nullable String state; // that it is lost, or why it could not report its operations
    int count;

    Report(String name) {
      this.name = name;
    }
  }

  private final BoundedText text = new BoundedText(Hal.EXPLANATION_LIMIT);
  private final long now = System.nanoTime();
  private final List<Report> devices = new ArrayList<>();
  private final List<OpenOperation> operations = new ArrayList<>();
  private int missing; // how many operations were not examined

  private ProcessExplanation() {}

  static String make() {
    ProcessExplanation explanation = new ProcessExplanation();
    for (Explainable device : Explanations.all()) {
      explanation.ask(device);
    }
    explanation.write();
    return explanation.text.toString();
  }

  private void ask(Explainable device) {
    Report report = new Report(nameOf(device));
    devices.add(report);
    // If there are too many, the last ones are kept, which are the oldest.
    int most = MOST_OPERATIONS - operations.size();
    ArrayDeque<OpenOperation> kept = new ArrayDeque<>();
    try {
      HalException lost = device.lostCause();
      if (lost != null) {
        report.state = "lost: " + lost.getMessage();
      }
      device.reportOpen(
          operation -> {
            kept.add(operation);
            if (kept.size() > most) {
              kept.remove();
              missing++;
            }
          });
    } catch (RuntimeException | LinkageError e) { // the other devices may still report theirs
      report.state = "cannot report its operations: " + BoundedText.describe(e);
    }
    report.count = kept.size();
    operations.addAll(kept);
  }

  private static String nameOf(Explainable device) {
    try {
      return device.name();
    } catch (RuntimeException | LinkageError e) {
      return device.getClass().getName();
    }
  }

  private void write() {
    WaitGraph graph = new WaitGraph(operations);
    int next = 0;
    for (Report device : devices) {
      device.nodes.addAll(graph.nodes().subList(next, next + device.count));
      next += device.count;
    }
    text.add("JHAL at ").add(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString()).add(": ");
    text.add(count(operations.size() + missing, "open operation")).add(" on ");
    text.add(count(devices.size(), "open device")).line();
    if (missing > 0) {
      text.add("Only ").add(operations.size()).add(" of them were examined; the others may have");
      text.add(" promised values that are listed here as not promised.").line();
    }
    text.add("Devices of other copies of JHAL's API, in other class loaders, are not seen.").line();
    writeCycles(graph);
    writeUnpromised(
        "No operation has promised what these wait for; only the program itself can signal it:",
        graph.unpromised(false));
    writeUnpromised(
        "Only operations that wait for it themselves have promised what these wait for:",
        graph.unpromised(true));
    writeFailed(graph);
    for (Report device : devices) {
      writeDevice(device);
    }
  }

  private void writeCycles(WaitGraph graph) {
    List<List<Node>> cycles = graph.cycles();
    for (int i = 0; i < cycles.size() && i < MOST_CYCLES; i++) {
      List<Node> cycle = cycles.get(i);
      text.line();
      text.add("Cycle: ").add(cycle.size()).add(" operations wait for one another").line();
      cycle.stream().limit(MOST_IN_CYCLE).forEach(this::writeNode);
      writeMore(cycle.size(), MOST_IN_CYCLE, "in the cycle");
    }
    if (cycles.size() > MOST_CYCLES) {
      text.line();
      writeMore(cycles.size(), MOST_CYCLES, "cycles");
    }
  }

  private void writeUnpromised(String title, List<Wait> waits) {
    if (waits.isEmpty()) {
      return;
    }
    text.line();
    text.add(title).line();
    for (int i = 0; i < waits.size() && i < MOST_UNPROMISED; i++) {
      Wait wait = waits.get(i);
      text.add("  ");
      writeName(wait.node.operation);
      text.add(" waits for ");
      writeWait(wait);
      text.line();
    }
    writeMore(waits.size(), MOST_UNPROMISED, "such waits");
  }

  private void writeFailed(WaitGraph graph) {
    List<Line> failed = new ArrayList<>();
    for (Line line : graph.lines()) {
      if (line.failure != null) {
        failed.add(line);
      }
    }
    if (failed.isEmpty()) {
      return;
    }
    text.line();
    text.add("Failed timelines that these operations name:").line();
    for (int i = 0; i < failed.size() && i < MOST_FAILED; i++) {
      HalException failure = failed.get(i).failure;
      if (failure != null) {
        text.add("  ").name(failed.get(i).semaphore).add(": ").name(failure.status());
        List<KernelFinding> findings = failure.findings();
        text.add(": ")
            .name(findings.isEmpty() ? failure.getMessage() : failure.operation() + " is wrong")
            .line();
        findings.stream().limit(MOST_FINDINGS).forEach(this::writeFinding);
        writeMore(findings.size(), MOST_FINDINGS, "findings");
      }
    }
    writeMore(failed.size(), MOST_FAILED, "failed timelines");
  }

  private void writeFinding(KernelFinding finding) {
    text.add("    ").name(finding.check()).add(": ").name(finding.message());
    KernelFinding.Place place = finding.place();
    if (place != null) {
      text.add(", in ").name(place.file()).add(':').add(place.line());
    }
    text.add(", by ").name(finding.item()).line();
  }

  private void writeDevice(Report device) {
    text.line();
    text.add("Device ").name(device.name);
    if (device.state != null) {
      text.add(", ").name(device.state);
    }
    if (device.count == 0) {
      text.add(": no open operations").line();
      return;
    }
    text.add(':').line();
    Map<String, List<Node>> queues = new LinkedHashMap<>();
    for (Node node : device.nodes) {
      queues.computeIfAbsent(node.operation.queue(), queue -> new ArrayList<>()).add(node);
    }
    queues.forEach(
        (queue, nodes) -> {
          nodes.sort(Comparator.comparingLong(node -> node.operation.number()));
          text.add(" Queue ").name(queue).add(": ");
          text.add(count(nodes.size(), "open operation")).line();
          nodes.stream().limit(MOST_IN_QUEUE).forEach(this::writeNode);
          writeMore(nodes.size(), MOST_IN_QUEUE, "of the queue");
        });
  }

  private void writeNode(Node node) {
    text.add("  ");
    writeName(node.operation);
    for (int i = 0; i < node.waits.size() && i < MOST_TIMEPOINTS; i++) {
      text.add(i == 0 ? " waits for " : "; and for ");
      writeWait(node.waits.get(i));
    }
    if (node.waits.size() > MOST_TIMEPOINTS) {
      text.add("; and for ").add(node.waits.size() - MOST_TIMEPOINTS).add(" more");
    }
    List<Timepoint> signals = node.operation.signals();
    for (int i = 0; i < signals.size() && i < MOST_TIMEPOINTS; i++) {
      text.add(i == 0 ? "; signals " : ", ").name(signals.get(i));
    }
    if (signals.size() > MOST_TIMEPOINTS) {
      text.add(" and ").add(signals.size() - MOST_TIMEPOINTS).add(" more");
    }
    text.line();
  }

  private void writeName(OpenOperation operation) {
    text.name(operation.queue()).add(" operation ").add(operation.number()).add(" (");
    text.name(operation.kind()).add(", ").name(operation.state()).add(", for ");
    text.add(Math.max(0, now - operation.since()) / 1_000_000_000).add(" s)");
  }

  private void writeWait(Wait wait) {
    Line line = wait.line;
    text.name(line.semaphore).add(" to reach ").add(wait.value);
    text.add(", now at ").add(line.value);
    Promise promise = wait.promise;
    if (promise == null) {
      writeVain(wait);
      return;
    }
    OpenOperation by = promise.node().operation;
    text.add(", by ").name(by.queue()).add(" operation ").add(by.number());
    if (promise.value() > wait.value) {
      text.add(", which signals ").add(promise.value());
    }
  }

  /** Writes why no operation that can go on will end the wait. */
  private void writeVain(Wait wait) {
    Promise vain = wait.vainPromise;
    if (vain == null) {
      text.add(", which no operation has promised");
    } else if (vain.node() == wait.node) {
      text.add(", promised only by itself");
    } else {
      OpenOperation by = vain.node().operation;
      text.add(", promised only by operations that wait for it themselves, such as ");
      text.name(by.queue()).add(" operation ").add(by.number());
    }
  }

  private void writeMore(int all, int printed, String of) {
    if (all > printed) {
      text.add("  and ").add(all - printed).add(" more ").add(of).line();
    }
  }

  private static String count(int number, String thing) {
    return (number == 0 ? "no" : String.valueOf(number)) + ' ' + thing + (number == 1 ? "" : "s");
  }
}
