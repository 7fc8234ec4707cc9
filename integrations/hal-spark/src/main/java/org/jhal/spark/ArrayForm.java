// SPDX-License-Identifier: Apache-2.0
package org.jhal.spark;

import java.lang.reflect.Array;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jspecify.annotations.Nullable;

/** Each element is an array, which becomes one item. */
final class ArrayForm<I, O> implements BatchForm<I, O> {
  private static final long serialVersionUID = 1L;

  private final Class<I> input;
  private final Class<O> output;
  private final PrimitiveArray inputKind;
  private final PrimitiveArray outputKind;

  ArrayForm(Class<I> input, Class<O> output) {
    this.input = Objects.requireNonNull(input, "input");
    this.output = Objects.requireNonNull(output, "output");
    this.inputKind = kind("input", input);
    this.outputKind = kind("output", output);
  }

  private static PrimitiveArray kind(String what, Class<?> array) {
    PrimitiveArray kind = PrimitiveArray.of(array);
    if (kind == null) {
      throw new HalException(
          Status.INVALID_ARGUMENT,
          what
              + " "
              + array.getTypeName()
              + ": needs a class of arrays of bytes, shorts, ints, longs, floats or doubles");
    }
    return kind;
  }

  @Override
  public Run<O> open(TaskDevice task, BatchKernel kernel, int batchBytes, Iterator<I> arrays) {
    Parameter in = only(kernel, "in", kernel.inputs());
    Parameter out = only(kernel, "out", kernel.outputs());
    check(kernel, in, inputKind);
    check(kernel, out, outputKind);
    int limit = Math.max(1, batchBytes / in.type().bytes());
    return new ArrayRun(arrays, task, kernel, limit);
  }

  private static Parameter only(BatchKernel kernel, String what, List<Parameter> buffers) {
    if (buffers.size() != 1) {
      throw kernel.refused(
          "it has "
              + buffers.size()
              + " buffers that are "
              + what
              + "; over arrays it needs exactly one");
    }
    return buffers.get(0);
  }

  private static void check(BatchKernel kernel, Parameter parameter, PrimitiveArray kind) {
    if (PrimitiveArray.of(parameter.type()) != kind) {
      throw kernel.refused(
          "its buffer '"
              + parameter.name()
              + "' takes "
              + PrimitiveArray.of(parameter.type()).label()
              + ", not "
              + kind.label());
    }
  }

  @Override
  public String toString() {
    return inputKind.label() + " to " + outputKind.label();
  }

  private final class ArrayRun implements Run<O> {
    private final Iterator<I> arrays;
    private final BatchPipeline pipeline;
    private long taken;

    ArrayRun(Iterator<I> arrays, TaskDevice task, BatchKernel kernel, int limit) {
      this.arrays = arrays;
      this.pipeline = new BatchPipeline(task, kernel, limit, this::take);
    }

    private @Nullable BatchItem take() {
      if (!arrays.hasNext()) {
        return null;
      }
      Object next = arrays.next();
      if (!input.isInstance(next)) { // or null; unchecked casts of the program may be wrong
        String found =
            next == null
                ? "null"
                : "no " + input.getSimpleName() + ", but a " + next.getClass().getSimpleName();
        throw new HalException(
            Status.INVALID_ARGUMENT,
            "array " + taken + " of the partition, counted from 0, is " + found);
      }
      I array = input.cast(next);
      taken++;
      return new BatchItem(List.of(array), Array.getLength(array), List.of());
    }

    @Override
    public @Nullable O next() {
      BatchItem item = pipeline.next();
      return item == null ? null : output.cast(item.results().get(0));
    }

    @Override
    public void close() {
      pipeline.close();
    }
  }
}
