// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xml.sax.InputSource;

class PictureTraceTest {
  /** Programs may give threads and kernels any name. */
  @Test
  void writesValidXmlForAnyName() throws Exception {
    StringBuilder every = new StringBuilder("<&>\"']]>");
    for (char c = 0; c < 0xA1; c++) {
      every.append(c);
    }
    every.append("\ud800 \udc00 \ufffe\uffff\ufdd0").appendCodePoint(0x1F600);
    String name = every.toString();
    StringWriter out = new StringWriter();
    PictureTrace picture = new PictureTrace(out, PictureTrace.WIDTH, null);
    TraceSink.Track track = new TraceSink.Track(1, name, name);
    picture.track(track);
    picture.slice(track, name, "wait", 10, 20, Map.of(name, name));
    TraceSink.Point point = new TraceSink.Point(track, 15);
    picture.arrow(TraceSink.HOST, point, TraceSink.HOST, point, name);
    picture.end();
    var read =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(out.toString())));
    assertEquals("svg", read.getDocumentElement().getTagName());
    assertEquals("a\u00e9??\ud83d\ude00", Xml.escape("a\u00e9\ufffe\ud800\ud83d\ude00"));
  }

  /**
   * A narrow picture is for narrow screens, which scale a wide one down until nobody can read it.
   */
  @ParameterizedTest
  @CsvSource({
    "320, 1990",
    "320, 19900000",
    "390, 50000000",
    "390, 987654321",
    "1230, 12345678",
    "1230, 50000000"
  })
  void nothingReachesBeyondTheWidth(int width, long nanos) throws Exception {
    StringWriter out = new StringWriter();
    PictureTrace picture = new PictureTrace(out, width, null);
    TraceSink.Track track =
        new TraceSink.Track(
            1, "mock-0 (Mock device 0)", "mock-0-q0 with a name for which is no room");
    picture.track(track);
    for (long begin : new long[] {0, nanos / 3, nanos * 3 / 4}) {
      picture.slice(
          track, "saxpy", "dispatch", begin, begin + nanos / 4, Map.of("operation", begin));
    }
    picture.end();
    String svg = out.toString();
    assertTrue(svg.contains("viewBox=\"0 0 " + width + ' '), svg);
    assertTrue(svg.contains("…"), "a name is longer than the room for it: " + svg);
    assertFalse(svg.contains("e+"), svg);
    List<Double> ends = new ArrayList<>();
    Matcher texts = Pattern.compile("<text x=\"([\\d.]+)\" y=\"(\\d+)\"[^>]*>([^<]*)").matcher(svg);
    double last = 0; // the end of the label before it on the axis
    while (texts.find()) {
      double begin = Double.parseDouble(texts.group(1));
      double end = begin + (texts.group(3).length() - 1) * 6.2;
      ends.add(end);
      if (texts.group(2).equals("16")) {
        assertTrue(begin >= last, () -> "labels of the axis overlap: " + svg);
        last = end;
      }
    }
    Matcher bars =
        Pattern.compile("<rect x=\"([\\d.]+)\" y=\"\\d+\" width=\"([\\d.]+)\"").matcher(svg);
    while (bars.find()) {
      ends.add(Double.parseDouble(bars.group(1)) + Double.parseDouble(bars.group(2)));
    }
    assertTrue(ends.size() > 6, svg);
    assertTrue(ends.stream().allMatch(end -> end <= width), () -> ends + " in " + width + svg);
  }
}
