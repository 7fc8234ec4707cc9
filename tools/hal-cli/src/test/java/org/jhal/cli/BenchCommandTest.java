// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli;

import static org.jhal.cli.Outcome.hal;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The options of {@code hal bench}; BenchToolTest has what it measures. */
class BenchCommandTest {
  private static Outcome bench(String... options) {
    String[] args = new String[options.length + 1];
    args[0] = "bench";
    System.arraycopy(options, 0, args, 1, options.length);
    return hal(args);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--nonsense|INVALID_ARGUMENT: unknown option '--nonsense'",
        "--lst|INVALID_ARGUMENT: unknown option '--lst', did you mean '--list'?",
        "surplus|INVALID_ARGUMENT: unexpected argument 'surplus'",
        "--case none|INVALID_ARGUMENT: --case none matches no case; hal bench --list shows them",
        "--max 0|OUT_OF_RANGE: --max 0 is not from 1 to 10000000",
        "--rounds 10001|OUT_OF_RANGE: --rounds 10001 is not from 1 to 10000",
        "--warm-up -1|OUT_OF_RANGE: --warm-up -1 is not from 0 to 600000",
        "--commit 1234567|INVALID_ARGUMENT: --commit needs --json",
        "--json x --commit main"
            + "|INVALID_ARGUMENT: --commit main: 7 to 40 hexadecimal digits are needed",
        "--compare nowhere"
            + "|INVALID_ARGUMENT: --compare nowhere: cannot be read: 'nowhere': no such file or folder",
        "--kernels nowhere"
            + "|NOT_FOUND: --kernels nowhere: no bundle at nowhere: neither a folder nor a file",
      })
  void reportsWrongUsage(String options, String message) {
    Outcome outcome = bench(options.split(" ", -1)).failed(2);
    assertEquals("hal: " + message + " (see hal bench --help)", outcome.err().strip());
  }

  @Test
  void reportsValuesThatAreNone() {
    bench("--rounds", "many").failed(2, "'--rounds'", "'many' is no whole number");
    bench("--json").failed(2, "'--json'");
    bench("--variants", "nowhere").failed(2, "--variants nowhere: no variants in");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--json", "--page", "--compare", "--from", "--kernels", "--variants"})
  void anEmptyPathIsWrongUsage(String option) {
    bench("--device", "nosuch", option, "")
        .failed(2, "'" + option + "'", "'' names no file or folder");
  }

  @Test
  void listsTheSelectedCases() {
    String out = bench("--list", "--case", "parked-*", "--case=chain").succeeded().out();
    assertEquals(3, out.lines().count(), out);
    assertTrue(out.lines().allMatch(line -> line.matches("(parked-|chain ).*")), out);
  }

  @Test
  void measuresWhatTheOptionsSay(@TempDir Path folder) throws IOException {
    Path json = folder.resolve("results.json");
    Path page = folder.resolve("page.html");
    String few = "--device mock --max 10 --rounds 2 --warm-up 0 --case ping-pong --commit 1234567";
    String[] options = (few + " --json " + json + " --page=" + page).split(" ", -1);
    bench(options).succeeded();
    JsonObject root = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
    assertEquals("1234567", root.get("commit").getAsString());
    assertEquals(1, root.getAsJsonArray("cases").size(), root::toString);
    JsonObject row =
        root.getAsJsonArray("cases")
            .get(0)
            .getAsJsonObject()
            .getAsJsonArray("rows")
            .get(0)
            .getAsJsonObject();
    assertEquals(2, row.getAsJsonObject("jhal").getAsJsonArray("samples").size(), row::toString);
    assertTrue(Files.readString(page).contains("ping-pong"));

    Path second = folder.resolve("second.html");
    String from = "--from " + json + " --compare " + json + " --page " + second;
    assertEquals("", bench(from.split(" ", -1)).succeeded().out());
    assertTrue(Files.readString(second).contains("b: results.json"));
    String content = Files.readString(json);
    bench("--from", json.toString(), "--page", json.toString())
        .failed(2, "INVALID_ARGUMENT: --page and --from name the same file: ", "hal bench --help");
    assertEquals(content, Files.readString(json));
    bench("--from", json.toString()).failed(2, "--from needs --page");
    bench("--compare", json.toString()).failed(2, "--compare needs --page");
    Path third = folder.resolve("third.html");
    bench("--from", json.toString(), "--page", third.toString(), "--device", "mock")
        .failed(2, "--from measures nothing, so --device, --peer and --json are useless");
    assertFalse(Files.exists(third));
  }

  @Test
  void passesOnTheExitCode() {
    bench("--device", "nosuch").failed(3, "NOT_FOUND");
    bench("--device", "mock", "--case", "ping-pong", "--peer", "nosuch").failed(3, "NOT_FOUND");
    bench("--device", "mock", "--case", "cuda-chain").failed(2, "UNIMPLEMENTED: case cuda-chain");
  }
}
