// SPDX-License-Identifier: Apache-2.0
package org.jhal.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.StringReader;
import java.io.StringWriter;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
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
    PictureTrace picture = new PictureTrace(out, null);
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
}
