// SPDX-License-Identifier: Apache-2.0
// Kernels that a program names by expressions. Their symbols look like those of the host's compiler, and are its own.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

enum { SYMBOL = 128, SHOWN = 64 };

// "_Z6reduce9e3779b97f4a7c15": the function, and what tells apart its instances.
static char* symbol_of(const char* expression) {
  const char* name = expression;
  size_t length = strcspn(name, "< ");
  for (const char* at = name; at < expression + length; at++) {
    if (*at == ':') name = at + 1;
  }
  length -= (size_t)(name - expression);
  uint64_t hash = 0xCBF29CE484222325u;
  for (const char* at = expression; *at; at++) hash = (hash ^ (unsigned char)*at) * 0x100000001B3u;
  char text[SYMBOL];
  int shown = length < SHOWN ? (int)length : SHOWN;
  snprintf(text, sizeof text, "_Z%d%.*s%016llx", shown, shown, name, (unsigned long long)hash);
  return strdup(text);
}

const char* gs_instance_symbol(const gs_instances* all, const char* expression) {
  for (int i = 0; i < all->count; i++) {
    if (!strcmp(all->expressions[i], expression)) return all->symbols[i];
  }
  return NULL;
}

int gs_instance_add(gs_instances* all, const char* expression) {
  if (gs_instance_symbol(all, expression)) return 0;
  size_t size = ((size_t)all->count + 1) * sizeof(char*);
  char** expressions = realloc(all->expressions, size);
  if (!expressions) return -1;
  all->expressions = expressions;
  char** symbols = realloc(all->symbols, size);
  if (!symbols) return -1;
  all->symbols = symbols;
  expressions[all->count] = strdup(expression);
  symbols[all->count++] = symbol_of(expression);
  return 0;
}

void gs_instances_free(gs_instances* all) {
  for (int i = 0; i < all->count; i++) {
    free(all->expressions[i]);
    free(all->symbols[i]);
  }
  free(all->expressions);
  free(all->symbols);
}

void gs_instances_write(const gs_instances* all, gs_text* source) {
  if (all->count) gs_text_add(source, "\n# 1 \"<name expressions>\"\n");
  for (int i = 0; i < all->count; i++) gs_describe(source, all->symbols[i], all->expressions[i]);
}
