// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jhal.ElementType;
import org.jhal.ExecutableSource;
import org.jhal.Global;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Parameter.Direction;
import org.jhal.Parameter.Kind;
import org.jhal.Status;
import org.jhal.Workgroups;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid manifests, and all errors in invalid ones. */
class ManifestTest {
  private static final String GOOD =
      """
      {
        "version": 1,
        "name": "linear algebra",
        "kernels": [
          {
            "name": "saxpy",
            "parameters": [
              {"name": "n", "kind": "constant", "type": "u32"},
              {"name": "a", "kind": "constant", "type": "f32"},
              {"name": "x", "kind": "buffer", "type": "f32", "direction": "in"},
              {"name": "y", "kind": "buffer", "type": "f32", "direction": "inout"}
            ],
            "workgroupSize": [256],
            "run": {"groups": "covering(n)", "anything": [1, null, true]}
          },
          {
            "name": "reduce",
            "constants": [{"name": "n", "type": "i64"}],
            "bindings": [
              {"name": "in", "type": "u8", "direction": "in"},
              {"name": "out", "type": "f64", "direction": "out"}
            ],
            "workgroupSize": [8, 4, 2],
            "dynamicSharedMemory": 1024,
            "cooperative": true
          }
        ],
        "variants": [
          {"format": "java", "class": "org.example.Kernels", "path": "classes"},
          {
            "format": "binary+1",
            "file": "code/kernels.bin",
            "architecture": "v7",
            "entries": {"saxpy": "_Z5saxpyv"},
            "options": ["-O3", "-DX=1"],
            "attributes": {"flavour": "plain"}
          },
          {"format": "java", "class": "Kernels"}
        ]
      }
      """;

  @TempDir Path folder;

  @Test
  void readsEverything() {
    Manifest manifest = read(GOOD);

    assertEquals("linear algebra", manifest.name());
    assertEquals(
        List.of(
            new KernelSpec(
                "saxpy",
                List.of(
                    new Parameter("n", Kind.CONSTANT, ElementType.U32, Direction.IN),
                    new Parameter("a", Kind.CONSTANT, ElementType.F32, Direction.IN),
                    new Parameter("x", Kind.BUFFER, ElementType.F32, Direction.IN),
                    new Parameter("y", Kind.BUFFER, ElementType.F32, Direction.INOUT)),
                new Workgroups(256, 1, 1),
                0),
            new KernelSpec( // bindings come before constants: rule M8
                "reduce",
                List.of(
                    new Parameter("in", Kind.BUFFER, ElementType.U8, Direction.IN),
                    new Parameter("out", Kind.BUFFER, ElementType.F64, Direction.OUT),
                    new Parameter("n", Kind.CONSTANT, ElementType.I64, Direction.IN)),
                new Workgroups(8, 4, 2),
                1024,
                true)),
        manifest.kernels());
    assertEquals(
        List.of(
            new Variant(
                "java",
                null,
                "org.example.Kernels",
                "classes",
                null,
                Map.of(),
                Map.of(),
                Map.of(),
                false),
            new Variant(
                "binary+1",
                "code/kernels.bin",
                null,
                "",
                "v7",
                Map.of("saxpy", "_Z5saxpyv"),
                Map.of("all", List.of("-O3", "-DX=1")),
                Map.of("flavour", "plain"),
                false),
            new Variant("java", null, "Kernels", "", null, Map.of(), Map.of(), Map.of(), false)),
        manifest.variants());
  }

  @Test
  void entryIsTheMappedNameOrTheNameItself() {
    Variant variant = read(GOOD).variants().get(1);

    assertEquals("_Z5saxpyv", variant.entry("saxpy"));
    assertEquals("reduce", variant.entry("reduce"));
  }

  private static String withGlobals(String globals) {
    return GOOD.replace("\"version\": 1,", "\"version\": 1, \"globals\": " + globals + ",");
  }

  @Test
  void variablesHaveTypesAndCounts() {
    assertEquals(List.of(), read(GOOD).globals());
    assertEquals(
        List.of(new Global("sum", ElementType.F64, 1), new Global("table", ElementType.U8, 300)),
        read(withGlobals(
                "[{\"name\": \"sum\", \"type\": \"f64\"},"
                    + " {\"name\": \"table\", \"type\": \"u8\", \"count\": 300}]"))
            .globals());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{'name': 'sum'}]; globals[0]",
        "[{'name': 'sum', 'type': 'f63'}]; globals[0].type",
        "[{'name': 'a-b', 'type': 'f64'}]; globals[0].name",
        "[{'name': 'sum', 'type': 'f64', 'count': 0}]; globals[0].count",
        "[{'name': 'sum', 'type': 'f64', 'size': 8}]; globals[0]",
        "[{'name': 'a', 'type': 'f64'}, {'name': 'a', 'type': 'u8'}]; globals[1]",
        "{'name': 'sum', 'type': 'f64'}; globals"
      })
  void malformedVariablesAreRejected(String text) {
    String[] parts = text.replace('\'', '"').split("; ", 2);
    HalException refused = assertThrows(HalException.class, () -> read(withGlobals(parts[0])));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertTrue(String.valueOf(refused.getMessage()).contains(parts[1]), refused::getMessage);
  }

  @Test
  void portableArithmeticAddsTheOptionOfEachCompilerLast() {
    String portable =
        GOOD.replace("\"version\": 1,", "\"version\": 1, \"arithmetic\": \"portable\",");
    Manifest manifest = read(portable);

    assertTrue(manifest.isPortable());
    assertFalse(read(GOOD).isPortable());
    Variant variant = manifest.variants().get(1);
    assertEquals(List.of("-O3", "-DX=1", "-unfused"), variant.options("nvrtc", "-unfused"));
    assertEquals(
        List.of("-O3", "-DX=1"), read(GOOD).variants().get(1).options("nvrtc", "-unfused"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--use_fast_math",
        "-fmad=true",
        "--fmad=true",
        "--ftz=true",
        "--prec-div=false",
        "-prec-sqrt=false",
        "-ffast-math",
        "-Ofast",
        "-ffp-contract=fast",
        "-ffp-contract=on",
        "-ffp-model=fast",
        "-fassociative-math",
        "-freciprocal-math",
        "-funsafe-math-optimizations",
        "-ffinite-math-only",
        "-fno-signed-zeros",
        "-fgpu-flush-denormals-to-zero",
        "-fno-hip-fp32-correctly-rounded-divide-sqrt"
      })
  void anOptionThatContradictsPortableArithmeticIsRefused(String option) {
    String wanted = GOOD.replace("\"-DX=1\"", "\"" + option + "\"");
    assertEquals(List.of("-O3", option), read(wanted).variants().get(1).options("cpu", "-unfused"));
    Variant variant =
        read(wanted.replace("\"version\": 1,", "\"version\": 1, \"arithmetic\": \"portable\","))
            .variants()
            .get(1);

    HalException refused =
        assertThrows(HalException.class, () -> variant.options("cpu", "-unfused"));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertTrue(
        String.valueOf(refused.getMessage()).contains("'" + option + "'"), refused::toString);
  }

  @Test
  void anOptionOfAnotherCompilerThatContradictsPortableArithmeticIsRefusedToo() {
    String wanted = GOOD.replace("[\"-O3\", \"-DX=1\"]", "{\"nvrtc\": [\"-ftz=true\"]}");
    Variant variant =
        read(wanted.replace("\"version\": 1,", "\"version\": 1, \"arithmetic\": \"portable\","))
            .variants()
            .get(1);

    HalException refused =
        assertThrows(HalException.class, () -> variant.options("cpu", "-unfused"));
    assertTrue(
        String.valueOf(refused.getMessage()).contains("'-ftz=true', which is listed under 'nvrtc'"),
        refused::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--fmad=false",
        "--ftz=false",
        "--prec-div=true",
        "-fno-fast-math",
        "-ffp-contract=off",
        "-fno-associative-math",
        "-fsigned-zeros",
        "-O2"
      })
  void anOptionThatAgreesWithPortableArithmeticIsKept(String option) {
    String portable =
        GOOD.replace("\"-DX=1\"", "\"" + option + "\"")
            .replace("\"version\": 1,", "\"version\": 1, \"arithmetic\": \"portable\",");
    assertEquals(
        List.of("-O3", option, "-unfused"),
        read(portable).variants().get(1).options("cpu", "-unfused"));
  }

  @Test
  void readsFromAnArchive() throws IOException {
    Path archive = folder.resolve("bundle.zip");
    zip(archive, "manifest.json", GOOD);

    assertEquals(read(GOOD), Manifest.read(ExecutableSource.of(archive)));
  }

  @ParameterizedTest(name = "{0} -> {1}: {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "version": 1,              | `"version": 1, "arithmetic": "fast",` | arithmetic is 'fast'; it must be portable, or absent
          "version": 1,              | `"version": 1, "arithmetic": 1,` | arithmetic
          "version": 1,              | `"version": 2,`              | version is 2; the supported version is 1
          "version": 1,              | `"version": 1.5,`            | version is 1.5; it must be a whole number from 0 to
          "version": 1,              | `"version": 1e0,`            | version is 1e0; it must be a whole number
          "version": 1,              | `"version": "1",`            | version is the string '1'; it must be a whole number
          "version": 1,              | ``                           | the document lacks the key 'version'
          "version": 1,              | `"version": 1, "x": 2,`      | the document has the unknown key 'x'; known keys are version, name
          "version": 1,              | `"version": 1, "version":1,` | the document has the key 'version' twice at line 2 column
          "linear algebra"           | null                         | name is null; it must be a string
          "linear algebra"           | ""                           | name is ''; it must not be empty
          "linear algebra"           | []                           | name is a list; it must be a string
          "saxpy",                   | "sax py",                    | kernels[0].name is 'sax py'; it must be letters, digits
          "saxpy",                   | "reduce",                    | kernels[1] has the name 'reduce' of an earlier kernel
          "saxpy",                   | 7,                           | kernels[0].name is the number 7; it must be a string
          "saxpy",                   | true,                        | kernels[0].name is the boolean true; it must be a string
          "name": "n", "kind"        | "kind"                       | kernels[0].parameters[0] lacks the key 'name'
          "name": "a"                | "name": "n"                  | kernels[0].parameters[1] has the name 'n' of an earlier parameter
          "name": "n", "type"        | "name": "in", "type"         | kernels[1].constants[0] has the name 'in' of an earlier parameter
          "u32"                      | "f8"                         | kernels[0].parameters[0].type is 'f8'; it must be one of i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64
          "u32"                      | "U32"                        | kernels[0].parameters[0].type is 'U32'; it must be one of i8
          "kind": "buffer", "type": "f32", "direction": "in"} | "kind": "image", "type": "f32"} | kernels[0].parameters[2].kind is 'image'; it must be one of buffer, constant
          "inout"                    | "both"                       | kernels[0].parameters[3].direction is 'both'; it must be one of in, out, inout
          , "direction": "inout"     | ``                           | kernels[0].parameters[3] lacks the key 'direction'
          "type": "u32"              | "type": "u32", "direction": "in" | kernels[0].parameters[0] has the unknown key 'direction'; known keys are name, type, kind
          "type": "i64"              | "type": "i64", "kind": "constant" | kernels[1].constants[0] has the unknown key 'kind'
          "constants": [             | "parameters": [], "constants": [ | kernels[1] must have either 'parameters' or 'bindings' and 'constants'
          "parameters": [            | "run": {"x": 1}, "arguments": [ | kernels[0] has the key 'run' twice
          [256]                      | []                           | kernels[0].workgroupSize has 0 numbers; it must have 1 to 3
          [256]                      | [1,1,1,1]                    | kernels[0].workgroupSize has 4 numbers; it must have 1 to 3
          [256]                      | [1,0]                        | kernels[0].workgroupSize[1] is 0; it must be a whole number from 1 to 2147483647
          [256]                      | [-1]                         | kernels[0].workgroupSize[0] is -1; it must be
          [256]                      | [9999999999999999999999]     | kernels[0].workgroupSize[0] is 9999999999999999999999; it must be
          [256]                      | [65536,65536]                | kernels[0].workgroupSize makes more than 2147483647 work items
          [256]                      | 256                          | kernels[0].workgroupSize is the number 256; it must be a list
          "cooperative": true        | "cooperative": 1             | kernels[1].cooperative is the number 1; it must be true or false
          1024                       | -1                           | kernels[1].dynamicSharedMemory is -1; it must be a whole number from 0 to
          {"groups": "covering(n)", "anything": [1, null, true]} | 5 | kernels[0].run is the number 5; it must be an object
          "format": "java", "class": "Kernels" | "class": "Kernels" | variants[2] lacks the key 'format'
          "class": "Kernels"         | "file": "Kernels"            | variants[2] has the unknown key 'file'; known keys are format, class, path
          "class": "Kernels"         | "path": "x"                  | variants[2] lacks the key 'class'
          "class": "Kernels"         | "class": "a/B"               | variants[2].class is 'a/B'; it must be the binary name
          "class": "Kernels"         | "class": "a..B"              | variants[2].class is 'a..B'; it must be the binary name
          "path": "classes"          | "path": "../classes"         | variants[0].path is '../classes'; it must be a path inside the bundle
          "path": "classes"          | "path": "classes/"           | variants[0].path is 'classes/'; it must be a path inside the bundle
          "file": "code/kernels.bin" | "file": "/etc/passwd"        | variants[1].file is '/etc/passwd'; it must be a path inside the bundle
          "file": "code/kernels.bin" | "file": "a/../../b"          | variants[1].file is 'a/../../b'; it must be a path inside the bundle
          "file": "code/kernels.bin" | "file": "C:/x"               | variants[1].file is 'C:/x'; it must be a path inside the bundle
          "file": "code/kernels.bin" | "file": "a\\\\b"             | variants[1].file is 'a\\b'; it must be a path inside the bundle
          "file": "code/kernels.bin" | "file": ""                   | variants[1].file is ''; it must be a path inside the bundle
          "file": "code/kernels.bin" | "file": "a\\u0000b"          | variants[1].file is
          "file": "code/kernels.bin", | ``                          | variants[1] lacks the key 'file'
          "binary+1"                 | "Binary"                     | variants[1].format is 'Binary'; it must be lower-case letters
          {"saxpy": "_Z5saxpyv"}     | {"sxpy": "x"}                | variants[1].entries names 'sxpy', which is not a kernel of this bundle
          {"saxpy": "_Z5saxpyv"}     | {"saxpy": 1}                 | variants[1].entries.saxpy is the number 1; it must be a string
          ["-O3", "-DX=1"]           | ["-O3", {}]                  | variants[1].options[1] is an object; it must be a string
          {"flavour": "plain"}       | {"flavour": null}            | variants[1].attributes.flavour is null; it must be a string
          "v7"                       | ""                           | variants[1].architecture is ''; it must not be empty
          """)
  void refusesAWrongValueWithItsPlace(String part, String replacement, String message) {
    assertTrue(GOOD.contains(part), "the sample manifest lacks " + part);
    String manifest = GOOD.replace(part, replacement == null ? "" : replacement);

    HalException refused = refused(manifest);

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    String start = "bundle " + folder + ", manifest.json: " + message;
    assertTrue(
        refused.getMessage().startsWith(start),
        () -> "expected: " + start + "...\n but was: " + refused.getMessage());
  }

  @Test
  void refusesEmptyLists() {
    HalException noFunctions =
        refused("{\"version\": 1, \"name\": \"x\", \"kernels\": [], \"variants\": []}");
    HalException noVariants =
        refused(GOOD.substring(0, GOOD.indexOf("\"variants\"")) + "\"variants\": []}");

    assertTrue(noFunctions.getMessage().contains("kernels is empty; it needs at least one item"));
    assertTrue(noVariants.getMessage().contains("variants is empty; it needs at least one item"));
  }

  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"version": x}              | is malformed at line 1 column 13
          {"version": 1,}             | is malformed at line 1 column
          {"version": 1               | ends too early at line 1 column
          `{"version": 'x'}`          | is malformed at line 1 column
          {"a": 1} {}                 | is malformed at line 1 column
          {"a": NaN}                  | is malformed at line 1 column
          {"a": 01}                   | is malformed at line 1 column
          {"a": True}                 | is malformed at line 1 column
          /* a */ {}                  | is malformed at line 1 column 2, in '/* a */ {}'; comments are not allowed
          # a                         | is malformed at line 1 column 2, in '# a'; comments are not allowed
          {a: 1}                      | is malformed at line 1 column
          ``                          | ends too early at line 1 column 1
          """)
  void refusesMalformedJsonWithItsPlace(String json, String message) {
    HalException refused = refused(json == null ? "" : json);

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    String start = "bundle " + folder + ", manifest.json: the JSON " + message;
    assertTrue(
        refused.getMessage().startsWith(start),
        () -> "expected: " + start + "...\n but was: " + refused.getMessage());
  }

  private HalException refusedOptions(String options) {
    return refused(GOOD.replace("[\"-O3\", \"-DX=1\"]", options));
  }

  @Test
  void optionsMayBeGivenByCompiler() throws IOException {
    String both = "{\"nvrtc\": [\"-G\"], \"all\": [\"-O3\"], \"some-other\": []}";
    Variant variant = read(GOOD.replace("[\"-O3\", \"-DX=1\"]", both)).variants().get(1);
    assertEquals(List.of("-O3", "-G"), variant.options("nvrtc", "-unfused"));
    assertEquals(List.of("-O3"), variant.options("hiprtc", "-unfused"));
    assertEquals(
        List.of("-O3", "-DX=1"), read(GOOD).variants().get(1).options("nvrtc", "-unfused"));
    for (String wrong :
        List.of(
            "{\"nvrtc\": \"-G\"}",
            "{\"nvrtc\": [5]}",
            "{\"nvrtc\": [\"\"]}",
            "{\"NVRTC\": []}",
            "{\"\": []}",
            "[\"\"]",
            "\"-O3\"",
            "7")) {
      HalException refused = refusedOptions(wrong);
      assertEquals(Status.INVALID_ARGUMENT, refused.status(), wrong);
      assertTrue(refused.getMessage().contains("variants[1].options"), refused::getMessage);
    }
  }

  @Test
  void showsTheLineOfACommentThatItRefuses() {
    HalException refused = refused("{\n  \"version\": 1, // the first\n  \"name\": \"x\"\n}");

    String end = "at line 2 column 18, in '\"version\": 1, // the first'; comments are not allowed";
    assertTrue(refused.getMessage().endsWith(end), refused::getMessage);
  }

  @Test
  void refusesDeepNesting() {
    HalException refused = refused("[".repeat(500_000));

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
  }

  @Test
  void refusesTextThatIsNotUtf8() throws IOException {
    Files.write(folder.resolve("manifest.json"), new byte[] {'{', (byte) 0xC3, '}'});

    HalException refused =
        assertThrows(HalException.class, () -> Manifest.read(ExecutableSource.of(folder)));

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertTrue(refused.getMessage().endsWith("manifest.json: is not UTF-8 text"));
  }

  @Test
  void readsAManifestOfTheLargestSizeAndRefusesOneByteMore() {
    String largest = GOOD + " ".repeat(Manifest.MAX_BYTES - GOOD.length());
    assertEquals(read(GOOD), read(largest));

    HalException refused = refused(largest + " ");

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertEquals(
        "'manifest.json' of bundle " + folder + " has more than 1048576 bytes",
        refused.getMessage());
  }

  @Test
  void refusesABundleWithoutManifest() {
    HalException refused =
        assertThrows(HalException.class, () -> Manifest.read(ExecutableSource.of(folder)));

    assertEquals(Status.NOT_FOUND, refused.status());
    assertEquals("bundle " + folder + " has no manifest.json at its root", refused.getMessage());
  }

  @Test
  void damagedManifestsAreReadOrRefusedButNeverCrash() throws IOException {
    byte[] good = GOOD.getBytes(StandardCharsets.UTF_8);
    Path file = folder.resolve("manifest.json");
    ExecutableSource source = ExecutableSource.of(folder);
    for (int length = 0; length < good.length - 1; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      Files.write(file, cut);
      if (length < GOOD.lastIndexOf('}')) {
        HalException refused = assertThrows(HalException.class, () -> Manifest.read(source));
        assertEquals(Status.INVALID_ARGUMENT, refused.status());
      }
    }
    Random random = new Random(1);
    int refusals = 0;
    for (int round = 0; round < 2000; round++) {
      byte[] changed = good.clone();
      changed[random.nextInt(good.length)] = (byte) random.nextInt(256);
      Files.write(file, changed);
      try {
        Manifest.read(source);
      } catch (HalException e) {
        assertEquals(Status.INVALID_ARGUMENT, e.status());
        refusals++;
      }
    }
    assertTrue(refusals > 1000, "only " + refusals + " of 2000 damaged manifests were refused");
  }

  @Test
  void readsTheFileOfAVariant() throws IOException {
    Variant variant = read(GOOD).variants().get(1);
    ExecutableSource source = ExecutableSource.of(folder);
    HalException missing = assertThrows(HalException.class, () -> variant.readFile(source));
    Files.createDirectory(folder.resolve("code"));
    Files.write(folder.resolve("code/kernels.bin"), new byte[] {1, 2, 3});

    assertArrayEquals(new byte[] {1, 2, 3}, variant.readFile(source));
    assertEquals(Status.NOT_FOUND, missing.status());
    assertEquals(
        "bundle "
            + folder
            + ": the variant 'binary+1' names the file 'code/kernels.bin', which is not there",
        missing.getMessage());
    assertNull(source.read("code/other.bin"));
    HalException none =
        assertThrows(HalException.class, () -> read(GOOD).variants().get(0).readFile(source));
    assertEquals(Status.INVALID_ARGUMENT, none.status());
  }

  private Manifest read(String json) {
    try {
      Files.writeString(folder.resolve("manifest.json"), json);
    } catch (IOException e) {
      throw new AssertionError("cannot write the manifest", e);
    }
    return Manifest.read(ExecutableSource.of(folder));
  }

  private HalException refused(String json) {
    return assertThrows(HalException.class, () -> read(json));
  }

  private static void zip(Path archive, String name, String content) throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(archive))) {
      out.putNextEntry(new ZipEntry(name));
      out.write(content.getBytes(StandardCharsets.UTF_8));
    }
  }
}
