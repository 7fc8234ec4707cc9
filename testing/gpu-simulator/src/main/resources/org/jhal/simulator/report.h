// SPDX-License-Identifier: Apache-2.0
// Text that grows, for what the simulator tells.
#ifndef GPUSIM_REPORT_H
#define GPUSIM_REPORT_H

#include <stddef.h>

typedef struct {
  char* chars;
  size_t length, capacity;
} gs_text;

void gs_text_add(gs_text* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
void gs_text_append(gs_text* text, const char* chars, size_t length);

void gs_report_calls(gs_text* text);
void gs_report_misuses(gs_text* text);
void gs_report_places(gs_text* text);

#endif
