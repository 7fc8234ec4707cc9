// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.kernel;

import static org.jhal.StructType.FLOAT4;
import static org.jhal.cts.support.TestData.assertBytes;
import static org.jhal.cts.support.TestData.floats;
import static org.jhal.cts.support.Waits.awaitReached;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jhal.Args;
import org.jhal.BundleBuilder;
import org.jhal.CommandBuffer;
import org.jhal.DeviceBuffer;
import org.jhal.ElementType;
import org.jhal.Executable;
import org.jhal.ExecutableSource;
import org.jhal.Fence;
import org.jhal.Kernel;
import org.jhal.Parameter;
import org.jhal.TimelineSemaphore;
import org.jhal.Workgroups;
import org.jhal.cts.Rule;
import org.jhal.cts.run.CtsSuite;
import org.jhal.cts.support.Commands;
import org.jhal.cts.support.Cts;
import org.junit.jupiter.api.Test;

/**
 * A vector among other parameters, in each place of lists of each length: compilers read it with
 * instructions that need its alignment.
 */
@CtsSuite
class ArgumentPlacesTest {
  private static final int MOST = 6; // parameters of a kernel

  /** What the other parameters are, in turn; each has a value that none of the others has. */
  private enum Other {
    BYTE("unsigned char", ElementType.U8),
    LONG("long long", ElementType.I64),
    FLOAT("float", ElementType.F32),
    SHORT("unsigned short", ElementType.U16);

    final String text;
    final ElementType type;

    Other(String text, ElementType type) {
      this.text = text;
      this.type = type;
    }

    static Other at(int place) {
      return values()[place % values().length];
    }

    Object value(int place) {
      return this == FLOAT ? (Object) (20.5f + place) : (Object) (20 + place);
    }
  }

  /** A kernel that writes its vector, and then its other arguments. */
  private record Case(int count, int vector, int target) {
    String name() {
      return "vector_%s_target_%s_of_%s".formatted(vector, target, count);
    }

    Parameter[] parameters() {
      Parameter[] parameters = new Parameter[count];
      for (int i = 0; i < count; i++) {
        String name = "p" + i;
        parameters[i] =
            i == vector
                ? Parameter.struct(name, FLOAT4)
                : i == target
                    ? Parameter.out(name, ElementType.F32)
                    : Parameter.constant(name, Other.at(i).type);
      }
      return parameters;
    }

    String text() {
      List<String> declared = new ArrayList<>();
      StringBuilder body =
          new StringBuilder("  ((float4*)p%s)[0] = p%s;\n".formatted(target, vector));
      for (int i = 0; i < count; i++) {
        String type = i == vector ? "float4" : i == target ? "float*" : Other.at(i).text;
        declared.add(type + " p" + i);
        if (i != vector && i != target) {
          body.append("  p%s[%s] = (float)p%s;\n".formatted(target, 4 + i, i));
        }
      }
      return "extern \"C\" __global__ void %s(%s) {\n%s}\n"
          .formatted(name(), String.join(", ", declared), body);
    }

    Object[] values(Object to) {
      Object[] values = new Object[count];
      for (int i = 0; i < count; i++) {
        values[i] =
            i == vector
                ? FLOAT4.value(1.5f, -2f, 3f, -4f)
                : i == target ? to : Other.at(i).value(i);
      }
      return values;
    }

    byte[] expected() {
      float[] expected = new float[4 + MOST];
      for (int i = 0; i < count; i++) {
        if (i != vector && i != target) {
          expected[4 + i] = ((Number) Other.at(i).value(i)).floatValue();
        }
      }
      expected[0] = 1.5f;
      expected[1] = -2;
      expected[2] = 3;
      expected[3] = -4;
      return floats(expected);
    }
  }

  private static Map<String, Case> cases() {
    Map<String, Case> cases = new LinkedHashMap<>();
    for (int count = 2; count <= MOST; count++) {
      for (int vector = 0; vector < count; vector++) {
        Case one = new Case(count, vector, (vector + 1) % count);
        cases.put(one.name(), one);
      }
    }
    return cases;
  }

  /** Also of dispatches that one recording has beside each other. */
  @Test
  @Rule("M8")
  void aVectorMayHaveAnyPlaceAmongTheParameters(Cts cts) {
    cts.needsFormat("gpu-c++");
    Map<String, Case> cases = cases();
    BundleBuilder bundle = ExecutableSource.builder("places");
    StringBuilder text = new StringBuilder();
    cases.forEach(
        (name, one) -> {
          bundle.kernel(name, 1, one.parameters());
          text.append(one.text());
        });
    Executable kernels =
        cts.closing(cts.device().loadExecutable(bundle.cpp(text.toString()).build()));
    Commands commands = new Commands(cts, Commands.Form.BINDING_TABLE, CommandBuffer.Mode.REUSABLE);
    Map<Case, DeviceBuffer> recorded = new LinkedHashMap<>();
    cases.forEach(
        (name, one) -> {
          Kernel kernel = kernels.kernel(name);
          DeviceBuffer to = cts.buffer(new byte[one.expected().length]);
          TimelineSemaphore done = cts.semaphore();
          Args args = Args.of(one.values(to));
          cts.queue().dispatch(Fence.NONE, done.at(1), kernel, Workgroups.of(1), args);
          awaitReached(done, 1);
          assertBytes(one.expected(), cts.read(to), one.text());
          DeviceBuffer second = cts.buffer(new byte[one.expected().length]);
          Args further = Args.of(one.values(commands.ref(second)));
          commands.buffer().dispatch(kernel, Workgroups.of(1), further);
          recorded.put(one, second);
        });
    commands.run(cts.queue());
    recorded.forEach(
        (one, to) -> assertBytes(one.expected(), cts.read(to), "recorded: " + one.text()));
  }
}
