// SPDX-License-Identifier: Apache-2.0
package org.jhal.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jhal.ExecutableSource;
import org.jspecify.annotations.Nullable;

/** Options of a run with hardly any work: on the mock, one round, no warm-up. */
final class BenchGiven {
  private @Nullable String device = "mock";
  private @Nullable String peer;
  private @Nullable ExecutableSource kernels;
  private final List<String> cases = new ArrayList<>();
  private int max = 10;
  private int rounds = 1;
  private @Nullable Path json;
  private @Nullable String commit;
  private @Nullable Path page;
  private BenchTool.@Nullable Earlier compare;

  BenchGiven(String... cases) {
    this.cases.addAll(List.of(cases));
  }

  BenchGiven device(@Nullable String uri) {
    device = uri;
    return this;
  }

  BenchGiven peer(String uri) {
    peer = uri;
    return this;
  }

  BenchGiven kernels(ExecutableSource bundle) {
    kernels = bundle;
    return this;
  }

  BenchGiven max(int most) {
    max = most;
    return this;
  }

  BenchGiven rounds(int number) {
    rounds = number;
    return this;
  }

  BenchGiven json(@Nullable Path file) {
    json = file;
    return this;
  }

  BenchGiven commit(String id) {
    commit = id;
    return this;
  }

  BenchGiven page(@Nullable Path file) {
    page = file;
    return this;
  }

  BenchGiven compare(Path results) {
    compare = BenchTool.Earlier.read(results);
    return this;
  }

  BenchTool.Options options() {
    return new BenchTool.Options(
        device, peer, kernels, cases, max, rounds, Duration.ZERO, json, commit, page, compare);
  }
}
