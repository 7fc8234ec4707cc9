// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.bundle;

import static org.jhal.ElementType.F32;
import static org.jhal.ElementType.I32;
import static org.jhal.ElementType.U8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.jhal.ExecutableSource;
import org.jhal.HalException;
import org.jhal.Parameter;
import org.jhal.Status;
import org.jhal.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Struct parameters in manifests, and entry points that are expressions. */
class StructManifestTest {
  private static final StructType CAMERA =
      StructType.builder()
          .add("on", U8)
          .add("eye", StructType.FLOAT3)
          .add("tiles", I32, 2)
          .alignment(16)
          .build();

  @TempDir Path folder;

  private Manifest read(String parameter, String variant) throws IOException {
    Files.writeString(
        folder.resolve("manifest.json"),
        """
        {"version": 1, "name": "structs", "kernels": [{"name": "f", "workgroupSize": [1],
          "parameters": [%s]}], "variants": [%s]}
        """
            .formatted(parameter, variant));
    return Manifest.read(ExecutableSource.of(folder));
  }

  private Parameter parameter(String text) throws IOException {
    String code = "{\"format\": \"gpu-c++\", \"file\": \"f.cpp\"}";
    return read(text, code).kernels().get(0).parameters().get(0);
  }

  @Test
  void readsVectorsAndFields() throws IOException {
    assertEquals(
        Parameter.struct("a", StructType.FLOAT4),
        parameter("{\"name\": \"a\", \"kind\": \"struct\", \"type\": \"float4\"}"));
    assertEquals(
        Parameter.struct("c", CAMERA),
        parameter(
            """
            {"name": "c", "kind": "struct", "alignment": 16, "fields": [
              {"name": "on", "type": "u8"}, {"name": "eye", "type": "float3"},
              {"name": "tiles", "type": "i32", "count": 2}]}
            """));
  }

  /** What a builder writes is read back. */
  @Test
  void readsWhatABuilderWrites() {
    List<Parameter> parameters =
        List.of(
            Parameter.constant("n", U8),
            Parameter.struct("c", CAMERA),
            Parameter.struct("d", StructType.DIM3));
    ExecutableSource source =
        ExecutableSource.builder("b")
            .kernel("f", 1, parameters.toArray(new Parameter[0]))
            .cpp("code")
            .build();
    assertEquals(parameters, Manifest.read(source).kernels().get(0).parameters());
    ArgumentLayout layout = ArgumentLayout.of(parameters);
    assertEquals(32, CAMERA.bytes());
    assertEquals(16, layout.offset(1));
    assertEquals(48, layout.offset(2));
    assertEquals(60, layout.size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "kind": "struct"                          | parameters[0] is a struct; it must have either 'type'
          "kind": "struct", "type": "float5"        | parameters[0].type is 'float5'; it must be a vector type
          "kind": "struct", "type": "double4"       | parameters[0].type is 'double4'; it must be a vector type
          "kind": "struct", "type": "f32"           | parameters[0].type is 'f32'; it must be a vector type
          "kind": "struct", "type": "int2", "alignment": 4 | 'alignment' is fixed
          "kind": "struct", "type": "int2", "fields": [] | it must have either 'type'
          "kind": "struct", "type": "int2", "direction": "in" | unknown key 'direction'
          "kind": "constant", "type": "float4"      | parameters[0].type is 'float4'; it must be one of i8
          "kind": "struct", "fields": []            | parameters[0].fields is empty
          "kind": "struct", "fields": [{"name": "x", "type": "u9"}] | fields[0].type is 'u9'; it must be a vector type such as float4, or one of i8
          "kind": "struct", "fields": [{"name": "x y", "type": "u8"}] | fields[0].name is 'x y'; it must be letters
          "kind": "struct", "fields": [{"name": "x", "type": "u8", "count": 0}] | fields[0].count is 0
          "kind": "struct", "fields": [{"name": "x", "type": "u8"}, {"name": "x", "type": "u8"}] | fields[1] has the name 'x' of an earlier field
          "kind": "struct", "fields": [{"name": "x", "type": "f64", "count": 513}] | fields[0] is refused
          "kind": "struct", "fields": [{"name": "x", "type": "u8"}], "alignment": 3 | alignment is refused
          "kind": "struct", "fields": [{"name": "x", "type": "u8"}], "alignment": 32 | alignment is 32
          """)
  void refusesAWrongStructWithItsPlace(String keys, String message) {
    HalException refused =
        assertThrows(HalException.class, () -> parameter("{\"name\": \"a\", %s}".formatted(keys)));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertTrue(refused.getMessage().contains(message), refused::getMessage);
  }

  @Test
  void compiledCodeHasNoExpressions() throws IOException {
    String entries = "{\"f\": \"put<int, 3>\"}";
    String cpp = "{\"format\": \"gpu-c++\", \"file\": \"f\", \"entries\": " + entries + "}";
    assertEquals("put<int, 3>", read("", cpp).variants().get(0).entry("f"));
    Variant made = read("", cpp.replace("gpu-c++", "made")).variants().get(0);
    HalException refused = assertThrows(HalException.class, () -> made.symbol("f", "it"));
    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    assertEquals(
        "f", read("", "{\"format\": \"x\", \"file\": \"f\"}").variants().get(0).symbol("f", "it"));
  }

  @Test
  void eachScalarHasANameATypeAndAPlace() {
    List<String> found =
        IntStream.range(0, CAMERA.scalars())
            .mapToObj(
                i ->
                    CAMERA.scalarName(i)
                        + " "
                        + CAMERA.field(i).type().label()
                        + " "
                        + CAMERA.offset(i))
            .toList();
    assertEquals(
        List.of(
            "on u8 0",
            "eye[0] f32 4",
            "eye[1] f32 8",
            "eye[2] f32 12",
            "tiles[0] i32 16",
            "tiles[1] i32 20"),
        found);
    assertThrows(IndexOutOfBoundsException.class, () -> CAMERA.field(6));
    assertThrows(IndexOutOfBoundsException.class, () -> CAMERA.offset(-1));
  }

  @Test
  void namesOfStructsAreComparedByLayout() {
    StructType pair = StructType.builder().add("a", F32).add("b", F32).build();
    assertTrue(StructType.builder().add("c", F32, 2).build().hasLayoutOf(pair));
    assertTrue(!StructType.FLOAT2.hasLayoutOf(pair), "a float2 is aligned to 8 bytes");
    assertTrue(!StructType.builder().add("a", F32).add("b", I32).build().hasLayoutOf(pair));
  }
}
