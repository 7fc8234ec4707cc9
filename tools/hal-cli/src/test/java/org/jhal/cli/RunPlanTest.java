// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.TestKernel.constant;
import static org.jhal.cli.TestKernel.in;
import static org.jhal.cli.TestKernel.inout;
import static org.jhal.cli.TestKernel.out;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jhal.ElementType;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.StructType;
import org.jhal.Workgroups;
import org.jhal.cli.RunPlan.Array;
import org.jhal.cli.RunPlan.Constant;
import org.jhal.cli.data.DataFiles;
import org.jhal.cli.data.DataSink;
import org.jhal.cli.data.Shape;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checks of arguments and hints against the kernel. */
class RunPlanTest {
  private static final Workgroups LIMIT = new Workgroups(1000, 100, 10);
  private static final TestKernel EDGES =
      TestKernel.of(
          in("image", ElementType.U8),
          out("edges", ElementType.U8),
          constant("width", ElementType.I32),
          constant("height", ElementType.I32));
  private static final String EDGES_HINTS =
      "{'items': ['width', 'height'],"
          + " 'constants': {'width': 'image.shape[1]', 'height': 'image.shape[0]'},"
          + " 'shapes': {'edges': ['height', 'width', 1]}}";
  private static final TestKernel SAXPY =
      TestKernel.of(
          constant("n", ElementType.U32),
          constant("a", ElementType.F32),
          in("x", ElementType.F32),
          inout("y", ElementType.F32));
  private static final String SAXPY_HINTS =
      "{'items': ['n'], 'constants': {'n': 'x.length'}, 'shapes': {'y': ['x.length']}}";

  @TempDir private Path folder;
  private final List<String> args = new ArrayList<>();
  private final List<String> outs = new ArrayList<>();
  private final List<String> shapes = new ArrayList<>();
  private String groups = "";
  private String image = "";
  private String x = "";
  private String y = "";

  @BeforeEach
  void writeInputs() throws IOException {
    image = file("image.png", ElementType.U8, 9, 17, 3);
    x = file("x.npy", ElementType.F32, 100);
    y = file("y.npy", ElementType.F32, 100);
  }

  private String file(String name, ElementType type, long... dimensions) throws IOException {
    Shape shape = Shape.of(dimensions);
    Path file = folder.resolve(name);
    try (DataSink sink = DataFiles.create(file, type, shape)) {
      sink.write(ByteBuffer.allocate((int) shape.bytes(type.bytes())));
      sink.commit();
    }
    return file.toString();
  }

  private RunPlan plan(TestKernel kernel, String hints) {
    RunHints read;
    try {
      Path bundle = Files.createDirectories(folder.resolve("bundle"));
      Files.writeString(
          bundle.resolve("manifest.json"),
          "{\"kernels\": [{\"name\": \"g\"}, {\"name\": \"f\"" //
              + (hints.isEmpty() ? "" : ", \"run\": " + hints.replace('\'', '"'))
              + "}]}",
          StandardCharsets.UTF_8);
      read = RunHints.read(ExecutableSource.of(bundle), "f");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    RunArguments arguments =
        RunArguments.parse(args, outs, shapes, groups.isEmpty() ? null : groups, false);
    return RunPlan.of(kernel, read, arguments, LIMIT, false);
  }

  private void refused(Status status, TestKernel kernel, String hints, String... words)
      throws IOException {
    long files = files();
    HalException e = assertThrows(HalException.class, () -> plan(kernel, hints).close());
    String text = String.valueOf(e.getMessage());
    assertEquals(status, e.status(), text);
    for (String word : words) {
      assertTrue(text.contains(word), () -> "no '" + word + "' in " + text);
    }
    assertEquals(files, files(), "the files after the refusal");
  }

  private void refused(TestKernel kernel, String hints, String... words) throws IOException {
    refused(Status.INVALID_ARGUMENT, kernel, hints, words);
  }

  private long files() throws IOException {
    Files.createDirectories(folder.resolve("bundle"));
    try (Stream<Path> all = Files.list(folder)) {
      return all.count();
    }
  }

  @Test
  void takesEverythingButThePictureFromHints() {
    args.add("image=" + image);
    outs.add("edges=" + folder.resolve("edges.png"));
    try (RunPlan plan = plan(EDGES, EDGES_HINTS)) {
      assertEquals(new Workgroups(2, 2, 1), plan.groups()); // 17 x 9 items in groups of 16 x 8
      Array in = assertInstanceOf(Array.class, plan.bindings().get(0));
      Array out = assertInstanceOf(Array.class, plan.bindings().get(1));
      assertEquals(Shape.of(9, 17, 3), in.shape());
      assertNotNull(in.source());
      assertNull(in.sink());
      assertEquals(Shape.of(9, 17, 1), out.shape());
      assertEquals(153, out.bytes());
      assertNull(out.source());
      assertNotNull(out.sink());
      assertEquals(17L, assertInstanceOf(Constant.class, plan.bindings().get(2)).value());
      assertEquals(9L, assertInstanceOf(Constant.class, plan.bindings().get(3)).value());
    }
  }

  @Test
  void argumentsOverrideHints() {
    args.add("image=" + image);
    args.add("width=5");
    shapes.add("edges=3,5,1");
    groups = "1,1,1";
    String hints = EDGES_HINTS.replace("'height', 'width', 1", "15");
    try (RunPlan plan = plan(EDGES, hints)) {
      assertEquals(new Workgroups(1, 1, 1), plan.groups());
      assertEquals(
          Shape.of(3, 5, 1), assertInstanceOf(Array.class, plan.bindings().get(1)).shape());
      assertEquals(5L, assertInstanceOf(Constant.class, plan.bindings().get(2)).value());
    }
  }

  @Test
  void rawBytesGetTheGivenOrHintedShape() throws IOException {
    String raw = file("x.bin", ElementType.F32, 10, 10);
    args.addAll(List.of("x=" + raw, "y=" + raw, "a=1"));
    shapes.add("x=5,20");
    try (RunPlan plan = plan(SAXPY, SAXPY_HINTS)) {
      assertEquals(Shape.of(5, 20), assertInstanceOf(Array.class, plan.bindings().get(2)).shape());
      assertEquals(Shape.of(100), assertInstanceOf(Array.class, plan.bindings().get(3)).shape());
      assertEquals(100L, assertInstanceOf(Constant.class, plan.bindings().get(0)).value());
      assertEquals(new Workgroups(7, 1, 1), plan.groups());
    }
  }

  @Test
  void startsAnInoutBufferWithZeros() throws IOException {
    args.addAll(List.of("x=" + x, "a=1"));
    refused(SAXPY, SAXPY_HINTS, "still needs --arg y=FILE");
    shapes.add("y=100");
    try (RunPlan plan = plan(SAXPY, SAXPY_HINTS)) {
      assertNull(assertInstanceOf(Array.class, plan.bindings().get(3)).source());
    }
  }

  @Test
  void reportsAllMissingArgumentsTogether() throws IOException {
    refused(SAXPY, "", "'f' still needs --arg n=U32 --arg a=F32 --arg x=FILE --arg y=FILE");
    args.addAll(List.of("width=1", "height=1"));
    refused(EDGES, "", "still needs --arg image=FILE --shape edges=");
  }

  @Test
  void readsTheNumbersOfAStruct() throws IOException {
    TestKernel turn = TestKernel.of(Parameter.struct("center", StructType.INT2));
    groups = "1";
    refused(turn, "", "still needs --arg center=NUMBER,NUMBER");
    args.add("center=3, -4");
    try (RunPlan plan = plan(turn, "")) {
      Constant center = assertInstanceOf(Constant.class, plan.bindings().get(0));
      assertEquals(StructType.INT2.value(3L, -4L), center.value());
    }
    args.set(0, "center=3");
    refused(turn, "", "'3' has 1 numbers; int2 has 2");
    args.set(0, "center=3,0.5");
    refused(turn, "", "'0.5' is not of type i32");
  }

  @Test
  void reportsAMissingGrid() throws IOException {
    args.addAll(List.of("x=" + x, "y=" + y, "a=1", "n=1"));
    refused(SAXPY, "", "still needs --groups");
  }

  @Test
  void refusesUnknownNames() throws IOException {
    args.add("q=1");
    refused(Status.NOT_FOUND, SAXPY, SAXPY_HINTS, "--arg 'q'", "it has n, a, x, y");
    args.clear();
    outs.add("q=q.npy");
    refused(Status.NOT_FOUND, SAXPY, SAXPY_HINTS, "--out 'q'");
    outs.clear();
    shapes.add("q=1");
    refused(Status.NOT_FOUND, SAXPY, SAXPY_HINTS, "--shape 'q'");
    refused(Status.NOT_FOUND, TestKernel.of(), "", "it has none");
  }

  @Test
  void refusesAnOptionForTheWrongKindOfParameter() throws IOException {
    args.add("edges=" + image);
    refused(EDGES, EDGES_HINTS, "'edges' is an output; write it with --out edges=FILE");
    args.clear();
    outs.add("image=x.png");
    refused(EDGES, EDGES_HINTS, "'image' is an input");
    outs.clear();
    outs.add("width=x.png");
    refused(EDGES, EDGES_HINTS, "'width' is a constant", "--out");
    outs.clear();
    shapes.add("width=3");
    refused(EDGES, EDGES_HINTS, "'width' is a constant", "--shape");
  }

  @Test
  void aWrongElementTypeIsRefused() throws IOException {
    String doubles = file("d.npy", ElementType.F64, 100);
    args.addAll(List.of("x=" + doubles, "y=" + y, "a=1"));
    refused(SAXPY, SAXPY_HINTS, "'x' has elements of f32", "d.npy' has f64");
    args.set(0, "x=" + image);
    refused(SAXPY, SAXPY_HINTS, "'x' has elements of f32", "image.png' has u8");
  }

  @Test
  void aWrongShapeIsRefused() throws IOException {
    String longer = file("long.npy", ElementType.F32, 101);
    args.addAll(List.of("x=" + x, "y=" + longer, "a=1"));
    refused(SAXPY, SAXPY_HINTS, "'y' has the shape 101", "must have the shape 100 (x.length)");
    args.set(1, "y=" + file("long.bin", ElementType.F32, 101));
    refused(SAXPY, SAXPY_HINTS, "'y' has 101 elements", "must have the shape 100");
    args.set(1, "y=" + y);
    shapes.add("x=99");
    refused(SAXPY, SAXPY_HINTS, "'x': --shape says 99", "has the shape 100");
    args.set(0, "x=" + file("x.bin", ElementType.F32, 100));
    refused(SAXPY, SAXPY_HINTS, "'x': --shape says 99", "has 100 elements");
    shapes.set(0, "x=9223372036854775807");
    refused(Status.OUT_OF_RANGE, SAXPY, SAXPY_HINTS, "too large");
    args.add("image=" + image);
    shapes.set(0, "edges=17,9,1");
    args.subList(0, 3).clear();
    refused(EDGES, EDGES_HINTS, "'edges' has the shape 17,9,1", "must have the shape 9,17,1");
    shapes.set(0, "edges=152");
    refused(EDGES, EDGES_HINTS, "'edges' has the shape 152", "must have the shape 9,17,1");
  }

  /** Such as a file that hal replay has written, which knows no other shape. */
  @Test
  void oneDimensionWithAllElementsFitsEachShape() throws IOException {
    args.add("image=" + image);
    shapes.add("edges=153");
    try (RunPlan plan = plan(EDGES, EDGES_HINTS)) {
      assertEquals(Shape.of(153), assertInstanceOf(Array.class, plan.bindings().get(1)).shape());
    }
  }

  @Test
  void refusesAPartOfAnElement() throws IOException {
    String odd = file("odd.bin", ElementType.U8, 401);
    args.addAll(List.of("x=" + odd, "y=" + y, "a=1"));
    refused(SAXPY, SAXPY_HINTS, "401 bytes", "not a whole number of elements of f32");
  }

  @Test
  void aBadConstantIsRefused() throws IOException {
    args.addAll(List.of("x=" + x, "y=" + y, "a=much"));
    refused(SAXPY, SAXPY_HINTS, "'a'", "'much' is not of type f32");
    args.set(2, "n=-1");
    refused(Status.OUT_OF_RANGE, SAXPY, SAXPY_HINTS, "'n'", "-1", "u32");
  }

  @Test
  void refusesUnusableInputsAndOutputs() throws IOException {
    args.addAll(List.of("x=" + folder.resolve("none.npy"), "y=" + y, "a=1"));
    refused(Status.NOT_FOUND, SAXPY, SAXPY_HINTS, "none.npy", "no such file");
    args.set(0, "x=a\0b");
    refused(SAXPY, SAXPY_HINTS, "is not a valid path");
    args.set(0, "x=" + x);
    outs.add("y=" + folder.resolve("none/y.npy"));
    refused(Status.NOT_FOUND, SAXPY, SAXPY_HINTS, "cannot write", "none/y.npy");
    outs.set(0, "y=" + folder.resolve("y.png"));
    refused(SAXPY, SAXPY_HINTS, "y.png", "elements of u8, not f32");
  }

  @Test
  void refusesTwoOutputsToOneFile() throws IOException {
    TestKernel kernel = TestKernel.of(out("a", ElementType.U8), out("b", ElementType.U8));
    shapes.addAll(List.of("a=1", "b=1"));
    groups = "1";
    outs.addAll(List.of("a=" + folder.resolve("o"), "b=" + folder.resolve("bundle/../o")));
    refused(kernel, "", "two outputs");
  }

  @Test
  void refusesAGridBeyondTheLimit() throws IOException {
    args.addAll(List.of("x=" + x, "y=" + y, "a=1"));
    for (String grid : List.of("1001", "1,101", "1,1,11", "2147483647,1,1")) {
      groups = grid;
      refused(Status.OUT_OF_RANGE, SAXPY, SAXPY_HINTS, "limit, 1000,100,10");
    }
    groups = "1000,100,10";
    plan(SAXPY, SAXPY_HINTS).close();
    groups = "0";
    try (RunPlan plan = plan(SAXPY, SAXPY_HINTS)) {
      assertTrue(plan.groups().isEmpty());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'groups': [4, '2']} | 4,2,1",
        "{'items': [33, '0x10']} | -",
        "{'items': [33, 8, 5]} | 3,1,5",
        "{'items': [0]} | 0,1,1",
        "{'items': ['x.length', 'x.shape[0]']} | 7,13,1",
        "{'groups': ['n']} | 3,1,1",
      })
  void computesTheGridFromExpressions(String hints, String expected) throws IOException {
    args.addAll(List.of("x=" + x, "y=" + y, "a=1", "n=3"));
    if (expected.equals("-")) {
      refused(SAXPY, hints, "is none of");
      return;
    }
    try (RunPlan plan = plan(SAXPY, hints)) {
      assertEquals(expected, plan.groups().toString());
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "[] | 'run' must be an object",
        "{'grid': [1]} | 'grid' is unknown; known keys are groups, items",
        "{'groups': 4} | 'groups' must be an array",
        "{'groups': []} | 1 to 3 entries",
        "{'groups': [1, 2, 3, 4]} | 1 to 3 entries",
        "{'groups': [true]} | must be a number or a string",
        "{'groups': [null]} | must be a number or a string",
        "{'groups': [1.5]} | '1.5' is none of",
        "{'groups': [1e99]} | is none of",
        "{'groups': [1], 'items': [1]} | cannot both be given",
        "{'groups': [-1]} | makes -1 workgroups along axis 0",
        "{'groups': [4294967296]} | makes 4294967296 workgroups",
        "{'groups': ['99999999999999999999']} | too large",
        "{'items': [1, -5]} | makes -5 workgroups along axis 1",
        "{'items': ['']} | '' is none of",
        "{'items': ['x.size']} | is none of",
        "{'items': ['x.shape']} | is none of",
        "{'items': ['x.length + 1']} | is none of",
        "{'items': ['x']} | names the constant 'x', which does not exist; there are n, a",
        "{'items': ['n.length']} | names the buffer 'n', which does not exist; there are x, y",
        "{'items': ['q']} | names the constant 'q'",
        "{'items': ['q.length']} | names the buffer 'q'",
        "{'items': ['x.shape[1]']} | has the shape 100, without that dimension",
        "{'items': ['a']} | is of type f32, not an integer",
        "{'constants': 5} | 'constants' must be an object",
        "{'constants': {'q': 1}} | 'constants.q' names the constant 'q'",
        "{'constants': {'x': 1}} | 'constants.x' names the constant 'x'",
        "{'groups': [1], 'constants': {'n': -1}} | -1 is outside the range of u32",
        "{'groups': [1], 'constants': {'n': 'n'}} | depends on itself",
        "{'constants': {'n': [1]}} | must be a number or a string",
        "{'shapes': {'q': [1]}} | 'shapes.q' names the buffer 'q'",
        "{'shapes': {'n': [1]}} | 'shapes.n' names the buffer 'n'",
        "{'shapes': {'y': 1}} | 'shapes.y' must be an array",
        "{'groups': [1], 'shapes': {'y': [-1]}} | 'shapes.y': shape -1: a dimension may not be"
            + " negative",
      })
  void aBadHintIsRefused(String hints, String message) throws IOException {
    args.addAll(List.of("x=" + x, "y=" + y, "a=1"));
    if (!hints.contains("'n'")) {
      args.add("n=3");
    }
    HalException e = assertThrows(HalException.class, () -> plan(SAXPY, hints).close());
    String text = String.valueOf(e.getMessage());
    assertTrue(text.contains(message), text);
    assertTrue(text.contains("hints for kernel 'f'"), text);
  }

  @Test
  void refusesHintsThatDependOnEachOther() throws IOException {
    args.addAll(List.of("x=" + x, "y=" + y, "a=1"));
    TestKernel kernel = TestKernel.of(out("o", ElementType.U8), out("p", ElementType.U8));
    args.clear();
    refused(
        kernel,
        "{'groups': [1], 'shapes': {'o': ['p.length'], 'p': ['o.length']}}",
        "depends on itself");
  }

  @Test
  void reportsAMissingInputBeforeHintsThatNeedIt() throws IOException {
    refused(EDGES, EDGES_HINTS, "'f' still needs --arg image=FILE");
  }

  @Test
  void namesTheArgumentThatAHintNeeds() throws IOException {
    TestKernel kernel = TestKernel.of(out("o", ElementType.U8), constant("n", ElementType.I32));
    refused(kernel, "{'groups': ['n']}", "still needs --shape o=");
    shapes.add("o=3");
    refused(kernel, "{'groups': ['n']}", "still needs --arg n=I32");
  }
}
