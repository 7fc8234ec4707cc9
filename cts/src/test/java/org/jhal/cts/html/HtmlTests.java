// SPDX-License-Identifier: Apache-2.0
package org.jhal.cts.html;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.StringReader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** Pages are well-formed for any text. */
class HtmlTests {
  /** Text that would break a page without escaping. */
  private static final String NASTY =
      "</style><script>alert('1')</script> & \"x\" \u0000\u001b[1m \ud800 \ufffe \u202e ]]> <!--"
          + " \u00e4\ud83d\ude00";

  private static Document parse(String page) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(page)));
  }

  @Test
  void textAndAttributesAreEscaped() throws Exception {
    Html page = new Html(NASTY, "p { color: red; }\n");
    page.open("p", "title", NASTY).text(NASTY).close();
    page.openTable(NASTY, "b").row(NASTY, NASTY).closeTable();
    String text = page.end();
    assertFalse(text.contains("<script"), text);
    Document parsed = parse(text);
    String shown =
        "</style><script>alert('1')</script> & \"x\" \ufffd\ufffd[1m \ufffd \ufffd \ufffd ]]> <!--"
            + " \u00e4\ud83d\ude00";
    Element p = (Element) parsed.getElementsByTagName("p").item(0);
    assertEquals(shown, p.getTextContent());
    assertEquals(shown, p.getAttribute("title"));
    assertEquals(shown, parsed.getElementsByTagName("title").item(0).getTextContent());
    assertEquals(3, parsed.getElementsByTagName("th").getLength());
  }

  /** Otherwise a wide column would shrink the others to single letters. */
  @Test
  void aWideTableScrollsAndKeepsWordsWhole() throws Exception {
    Html page = new Html("t", "");
    page.openTable("a", "b").row("c", "d").closeTable().element("p", "after");
    Document parsed = parse(page.end());
    String style = parsed.getElementsByTagName("style").item(0).getTextContent();
    Matcher cells = Pattern.compile("\\b(?:td|th)\\b[^{}]*\\{([^}]*)}").matcher(style);
    assertTrue(cells.find(), style);
    do {
      assertFalse(cells.group(1).matches("(?s).*(anywhere|break-all|break-word).*"), cells.group());
    } while (cells.find());
    Element around = (Element) parsed.getElementsByTagName("table").item(0).getParentNode();
    assertEquals("table", around.getAttribute("class"));
    assertTrue(style.contains(".table { overflow-x: auto;"), style);
    assertEquals("body", parsed.getElementsByTagName("p").item(0).getParentNode().getNodeName());
  }

  @Test
  void theEndClosesOpenElements() throws Exception {
    String text = new Html("t", "").open("div").open("p").text("in it").end();
    assertEquals(1, parse(text).getElementsByTagName("p").getLength());
    assertTrue(text.endsWith("</p>\n</div>\n</body>\n</html>\n"), text);
  }

  @Test
  void nothingIsLoadedAndNoScriptRuns() {
    String text = new Html("t", "").end();
    assertTrue(text.contains("content=\"default-src 'none';"), text);
    assertTrue(text.contains("prefers-color-scheme: dark"), text);
  }
}
