// SPDX-License-Identifier: Apache-2.0
package org.jhal.cpu.compile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a prebuilt library of kernels is compiled for: a kind of processor and the features that it
 * may use. The levels of x86-64 are those of its System V ABI.
 */
public enum Architecture {
  /** x86-64 with SSE4.2. */
  X86_64_V2(
      "x86_64-v2",
      "x86_64",
      62,
      "x86-64-v2",
      List.of("cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2")),

  /** x86-64 with AVX2 and FMA. */
  X86_64_V3(
      "x86_64-v3",
      "x86_64",
      62,
      "x86-64-v3",
      with(
          X86_64_V2,
          List.of("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"))),

  /** x86-64 with AVX-512. */
  X86_64_V4(
      "x86_64-v4",
      "x86_64",
      62,
      "x86-64-v4",
      with(X86_64_V3, List.of("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"))),

  /** 64-bit ARM with its vector unit, which all such processors for Linux have. */
  AARCH64("aarch64", "aarch64", 183, "armv8-a", List.of("fp", "asimd"));

  private final String label;
  private final String family;
  private final int elfMachine;
  private final String march;
  private final List<String> features;

  Architecture(String label, String family, int elfMachine, String march, List<String> features) {
    this.label = label;
    this.family = family;
    this.elfMachine = elfMachine;
    this.march = march;
    this.features = List.copyOf(features);
  }

  private static List<String> with(Architecture lower, List<String> more) {
    List<String> all = new ArrayList<>(lower.features);
    all.addAll(more);
    return all;
  }

  /** The name in manifests, such as {@code x86_64-v3}. */
  public String label() {
    return label;
  }

  /** The kind of processor in the names of compilers: {@code x86_64} or {@code aarch64}. */
  public String family() {
    return family;
  }

  /** The number of the kind of processor in an ELF file. */
  int elfMachine() {
    return elfMachine;
  }

  /** The value of the option {@code -march} of GCC and Clang. */
  String march() {
    return march;
  }

  /** The features that code may use, in the words of {@code /proc/cpuinfo}. */
  List<String> features() {
    return features;
  }

  /** The architecture of a name in a manifest; null if there is none. */
  public static @Nullable Architecture of(@Nullable String label) {
    return Arrays.stream(values()).filter(one -> one.label.equals(label)).findFirst().orElse(null);
  }

  /** All names, the lowest level first. */
  public static List<String> labels() {
    return Arrays.stream(values()).map(Architecture::label).toList();
  }

  /** All architectures, the highest level first. */
  public static List<Architecture> highestFirst() {
    List<Architecture> all = new ArrayList<>(List.of(values()));
    Collections.reverse(all);
    return all;
  }

  @Override
  public String toString() {
    return label;
  }
}
