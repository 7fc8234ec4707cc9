// SPDX-License-Identifier: Apache-2.0
package org.jhal.kernels.source;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which sources may be kept compiled. */
class SelfContainedTest {
  private static final String KERNEL = "extern \"C\" __global__ void f(int* x) { x[0] = 1; }\n";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "#define include 1\n",
        "#pragma unroll\n",
        "#\n include <no/directive>\n",
        "#if N > 1 // include the border\n#endif\n",
        "// What this does not include: a time, an import, the date\n",
        "int included, include;\n",
        "#error include\n",
        "/* a # b */ int c = a % b;\n",
        "asm volatile(\"bar.sync 0;\");\n",
        "asm volatile (\n  \"bar.sync 0;\"\n  ::: \"memory\");\n",
        "__asm__ __volatile__(\"\" ::: \"memory\");\n",
        "asm(\"{\\n\\tbar.sync 0;\\n}\" : \"=r\"(x) : \"r\"(y), \"r\"(z));\n",
        "#define SYNC asm(\"bar.sync 0;\")\n",
        "// plasma\nconst char* a = \"b\" \"c\"; int asmx, xasm;\n",
        "#",
        "%",
        "%:",
        "# /",
        "\\",
        "\\\n"
      })
  void acceptsASourceThatReadsNoFile(String begin) {
    assertTrue(SelfContained.test(begin + KERNEL, List.of()), begin);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "#include <vector_types.h>\n",
        "#include \"mine.h\"\n",
        "#include MINE\n",
        "#include_next <a.h>\n",
        "#import <a.h>\n",
        "#embed \"a.bin\"\n",
        "  #  include <a.h>\n",
        "#\tinclude <a.h>\n",
        "#\u00a0include <a.h>\n",
        "#include<a.h>\n",
        "#/**/include <a.h>\n",
        "# /* a\n b */ /* c */ include <a.h>\n",
        "#/* // */include <a.h>\n",
        "/* a */ #include <a.h>\n",
        "%:include <a.h>\n",
        "??=include <a.h>\n",
        "#in\\\nclude <a.h>\n",
        "#in\\ \t\r\nclude <a.h>\n",
        "#\\\n\\\r\ninclude <a.h>\n",
        "#in??/\nclude <a.h>\n",
        "#//*\n#include <a.h>\n/* */\n",
        "#/**/define A 1\n",
        "#/*",
        "#if __has_include(<a.h>)\n#endif\n",
        "#if __has_inc\\\nlude(<a.h>)\n#endif\n",
        "// #include <a.h>\n",
        "#include <a.h>\r",
        "asm(\".incbin \\\"a\\\"\");\n",
        "asm(\".include \\\"a\\\"\");\n",
        "asm(\".inc\" \"bin f\");\n",
        "asm(\"a\"\n \"b\");\n",
        "asm(\".\\x69ncbin f\");\n",
        "asm(\".inc\" /* */ \"bin f\");\n",
        "asm(\".inc\" //\n \"bin f\");\n",
        "asm(\".inc\"R\"(bin f)\");\n",
        "asm(R\"(.inc)\" \"bin f\");\n",
        "asm(\".inc\" u8\"bin f\");\n",
        "asm(\".inc\" BIN);\n",
        "asm(INC \"bin f\");\n",
        "asm /* */ (\".inc\" \"bin f\");\n",
        "__asm(\".inc\" \"bin f\");\n",
        "__asm__ volatile(\".inc\" \"bin f\");\n",
        "asm(\"nop;\"); asm(\".inc\" \"bin f\");\n",
        "#define A asm\n",
        "#define A(text) asm(text)\n",
        "#define A(text) asm(#text)\n",
        "asm(\"a",
        "asm(\"a\"",
        "asm(\"a\\",
        "// asm\n",
        "#define P(a, b) a##b\n",
        "%:define P(a, b) a%:%:b\n",
        "const char* built = __DATE__ __TIME__;\n",
        "const char* built = __TIMESTAMP__;\n",
      })
  void refusesASourceThatMayReadAFile(String begin) {
    assertFalse(SelfContained.test(begin + KERNEL, List.of()), begin);
    assertFalse(SelfContained.test(KERNEL + begin, List.of()), begin);
    assertFalse(SelfContained.test(KERNEL + begin.stripTrailing(), List.of()), begin);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-DFAST=1",
        "-DNAME=\"a/b\"",
        "-UFAST",
        "--define-macro=A=B",
        "--undefine-macro=A",
        "-O3",
        "-O",
        "-g",
        "-G",
        "-w",
        "-Wall",
        "-Wno-unused",
        "--std=c++20",
        "-std=gnu++17",
        "-ffast-math",
        "-ffp-contract=fast",
        "-fno-unroll-loops",
        "--use_fast_math",
        "-use_fast_math",
        "--fmad=false",
        "--maxrregcount=32",
        "-lineinfo",
        "--generate-line-info",
        "--ftz=true",
        "-munsafe-fp-atomics"
      })
  void acceptsAnOptionThatNamesNoFile(String option) {
    assertTrue(SelfContained.test(KERNEL, List.of(option)), option);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-I.",
        "-I",
        "-Iinclude",
        "-I/usr/include",
        "--include-path=a",
        "--include-path",
        "-isystem",
        "-iquote",
        "-include",
        "-includea",
        "--include=a",
        "-imacros",
        "--pre-include=a",
        "-pre-include",
        "@options",
        "--options-file=a",
        "-optf",
        "a",
        "",
        "-",
        "--",
        "-L.",
        "-Xclang",
        "-Wl,a",
        "-Wp,a",
        "-fplugin=a",
        "-fplugin=./a",
        "-fpass-plugin=a.so",
        "-fprofile-use",
        "-fprofile-instr-use=a",
        "-fauto-profile=a",
        "-mlink-bitcode-file=a",
        "--sysroot=a",
        "--rocm-path=/a",
        "--use-pch=a",
        "--use_pch=a/b",
        "--pch-dir=a",
        "-pch",
        "--create-pch=a",
        "-D",
        "-DWHEN=__TIME__",
        "-DA=asm",
        "-DA=__asm__(\".inc\" \"bin f\")",
        "-Bfolder",
        "--config=a"
      })
  void refusesAnOptionThatMayNameAFile(String option) {
    assertFalse(SelfContained.test(KERNEL, List.of("-O3", option)), option);
  }

  @Test
  void refusesOptionsInTheEnvironmentThatNameAFile() {
    String name = "HIPRTC_COMPILE_OPTIONS_APPEND";
    assertTrue(SelfContained.allows(Map.of()));
    assertTrue(SelfContained.allows(Map.of(name, " -O3  -DN=1 ", "ROCM_PATH", "/opt/rocm")));
    assertFalse(SelfContained.allows(Map.of(name, "-O3 -include /home/me/defs.h")));
    assertFalse(SelfContained.allows(Map.of(name, "-I/home/me")));
    assertFalse(SelfContained.allows(Map.of("CCC_OVERRIDE_OPTIONS", "+-include +/tmp/a.h")));
  }

  /** Each would take minutes if each piece caused another pass over the source. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "// plasma\n",
        "plasma ",
        "asm",
        "_",
        "asm(\"\");",
        "asm(\"\"\n);\n",
        "asm(\n\"asm(\"\n:);",
        "# ",
        "# !\n",
        "\\ ",
        "\\\n",
        "\"",
        "\"/* ",
        "/* "
      })
  @Timeout(20)
  void readsLargeSourcesInLinearTime(String piece) {
    String many = piece.repeat((1 << 20) / piece.length());
    assertTrue(SelfContained.test(many + "\n" + KERNEL, List.of()));
    assertFalse(SelfContained.test(many + "\n#include <a.h>", List.of()));
    assertFalse(SelfContained.test(many + "\n asm(\"a\" \"b\")", List.of()));
  }

  @Test
  @Timeout(20)
  void manyDigraphsTakeLinearTime() {
    assertTrue(SelfContained.test("%: ".repeat(1 << 18), List.of()));
    assertFalse(SelfContained.test("%: ".repeat(1 << 18) + "%: include <a.h>", List.of()));
  }
}
