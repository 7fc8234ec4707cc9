// SPDX-License-Identifier: Apache-2.0
// Text that grows.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

void gs_text_append(gs_text* text, const char* chars, size_t length) {
  size_t need = text->length + length + 1;
  if (need > text->capacity) {
    text->capacity = need * 2;
    text->chars = realloc(text->chars, text->capacity);
  }
  memcpy(text->chars + text->length, chars, length);
  text->length += length;
  text->chars[text->length] = 0;
}

void gs_text_add(gs_text* text, const char* format, ...) {
  char line[2048];
  va_list list;
  va_start(list, format);
  int length = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  gs_text_append(text, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}
