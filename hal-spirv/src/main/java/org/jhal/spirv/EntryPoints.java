// SPDX-License-Identifier: Apache-2.0
package org.jhal.spirv;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jhal.kernels.bundle.EntryName;
import org.jhal.kernels.bundle.KernelSpec;
import org.jhal.kernels.bundle.Variant;
import org.jhal.spirv.compile.SourceCompiler;

/**
 * The entry points of kernels in C++ and in the module that is compiled from them. Those that are
 * expressions in C++, such as an instance of a template, have other names in the module.
 *
 * @param expressions each once
 * @param names those of the module, for kernels with another name
 */
public record EntryPoints(List<String> expressions, Map<String, String> names) {
  /** Copies the collections. */
  public EntryPoints {
    expressions = List.copyOf(expressions);
    names = Map.copyOf(names);
  }

  /** Those of a variant in the format {@code gpu-c++}. */
  public static EntryPoints of(Variant variant, List<KernelSpec> kernels) {
    List<String> expressions = new ArrayList<>();
    Map<String, String> names = new TreeMap<>();
    for (KernelSpec kernel : kernels) {
      String entry = variant.entry(kernel.name());
      if (EntryName.isExpression(entry)) {
        if (!expressions.contains(entry)) {
          expressions.add(entry);
        }
        names.put(kernel.name(), SourceCompiler.nameOf(expressions.indexOf(entry)));
      } else if (!entry.equals(kernel.name())) {
        names.put(kernel.name(), entry);
      }
    }
    return new EntryPoints(expressions, names);
  }

  /** The name of a kernel's entry point in the module. */
  public String name(String kernel) {
    return names.getOrDefault(kernel, kernel);
  }
}
