// SPDX-License-Identifier: Apache-2.0
package org.jhal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rule D3: how a device is named. */
class DeviceUriTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "mock, mock, ''",
    "mock://, mock, ''",
    "mock://?, mock, ''",
    "mock://3, mock, 3",
    "my-driver2://GPU-57a8, my-driver2, GPU-57a8",
    "mock://pci:0000:03:00.0, mock, pci:0000:03:00.0",
  })
  void readsDriverAndSelector(String uri, String driver, String selector) {
    assertEquals(new DeviceUri(driver, selector, Map.of()), DeviceUri.parse(uri));
  }

  @Test
  void readsOptionsInTheirOrder() {
    DeviceUri uri = DeviceUri.parse("mock://1?queues=4&devices=2&text=a=b&empty=");

    assertEquals("1", uri.selector());
    assertEquals(
        List.of("queues=4", "devices=2", "text=a=b", "empty="),
        uri.options().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList());
  }

  @Test
  void decodesValues() {
    assertEquals(
        "/a b&c+d\u20ac",
        DeviceUri.parse("mock://?path=%2Fa%20b%26c+d%E2%82%AC").options().get("path"));
  }

  @ParameterizedTest(name = "[{index}] {0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | driver name '' must be lower-case letters, digits and dashes",
        "Mock | driver name 'Mock' must be",
        "1mock | driver name '1mock' must be",
        "-mock | driver name '-mock' must be",
        "mo ck | driver name 'mo ck' must be",
        "://1 | driver name '' must be",
        "mock: | expected DRIVER, DRIVER://SELECTOR, DRIVER://?OPTION=VALUE&... or DRIVER://SELECTOR?",
        "mock:1 | expected DRIVER",
        "mock:/1 | expected DRIVER",
        "mock?queues=4 | expected DRIVER",
        "mock://1#x | expected DRIVER",
        "mock/1 | expected DRIVER",
        "mock://?queues | option 'queues' is not of the form NAME=VALUE",
        "mock://?=4 | option '=4' is not of the form NAME=VALUE",
        "mock://?a=1& | option '' is not of the form NAME=VALUE",
        "mock://?a=1&&b=2 | option '' is not of the form NAME=VALUE",
        "mock://?a=1&a=1 | option 'a' is given twice",
        "mock://?a=% | value '%' is not percent-encoded correctly",
        "mock://?a=%4 | value '%4' is not percent-encoded correctly",
        "mock://?a=%zz | value '%zz' is not percent-encoded correctly",
      })
  void refusesAMalformedUriAndSaysHow(String uri, String why) {
    HalException refused = assertThrows(HalException.class, () -> DeviceUri.parse(uri));

    assertEquals(Status.INVALID_ARGUMENT, refused.status());
    String start = "malformed device URI '" + uri + "': " + why;
    assertTrue(
        refused.getMessage().startsWith(start),
        () -> "expected: " + start + "\n but was: " + refused.getMessage());
  }

  @ParameterizedTest(name = "[{index}] {0}")
  @CsvSource({
    "mock?queues=4, mock://?queues=4",
    "mock?a=1&b=%2F, mock://?a=1&b=%2F",
    "MOCK, mock",
    "Mock://1?a=B, mock://1?a=B",
    "MOCK?a=B, mock://?a=B",
    "mock:, mock",
    "mock:1, mock://1",
    "mock/1?a=1, mock://1?a=1",
    "mock:/1, mock://1",
    "cuda:pci:0000:03:00.0, cuda://pci:0000:03:00.0",
  })
  void suggestsTheUriThatWasMeant(String uri, String meant) {
    HalException refused = assertThrows(HalException.class, () -> DeviceUri.parse(uri));

    String end = "; did you mean '" + meant + "'?";
    assertTrue(String.valueOf(refused.getMessage()).endsWith(end), refused::getMessage);
    DeviceUri.parse(meant);
  }

  @ParameterizedTest(name = "[{index}] {0}")
  @ValueSource(
      strings = {"", "?a=1", "1mock", "mo ck", "mock://1#x", "mock?a", "mock?a=1&a=1", "m?a=%"})
  void suggestsNothingThatIsMalformed(String uri) {
    HalException refused = assertThrows(HalException.class, () -> DeviceUri.parse(uri));

    assertFalse(String.valueOf(refused.getMessage()).contains("did you mean"), refused::getMessage);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "mock, mock",
    "mock://, mock",
    "mock://1, mock://1",
    "mock://?a=1&b=2, mock://?a=1&b=2",
    "mock://x?a=1, mock://x?a=1",
    "mock://x?a=%25%26%23+%2F&b=%E2%82%AC, mock://x?a=%25%26%23+/&b=\u20ac",
  })
  void printsAsAUri(String uri, String written) {
    assertEquals(written, DeviceUri.parse(uri).toString());
    assertEquals(DeviceUri.parse(uri), DeviceUri.parse(written));
  }

  @Test
  void copiesItsOptions() {
    Map<String, String> options = new LinkedHashMap<>(Map.of("a", "1"));
    DeviceUri uri = new DeviceUri("mock", "", options);
    options.put("b", "2");

    assertEquals(Map.of("a", "1"), uri.options());
    assertThrows(UnsupportedOperationException.class, () -> uri.options().put("c", "3"));
  }
}
