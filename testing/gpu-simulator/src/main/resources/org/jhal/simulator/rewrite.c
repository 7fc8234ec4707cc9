// SPDX-License-Identifier: Apache-2.0
// From preprocessed GPU C++ to C++ for the host.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

enum { DEPTH = 64, KERNELS = 1024, WORD = 256 };

typedef struct {
  const char* at;
  gs_text* out;
  int depth, c_scope[DEPTH];  // braces; those of extern "C" count as none for what is at file scope
  int c_declaration;          // this declaration began with extern "C"
  int expect_kernel;          // between the marker and the kernel's name
  int kernels;
  char names[KERNELS][WORD];
} state;

static int is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char* spaces(const char* at) {
  while (isspace((unsigned char)*at)) at++;
  return at;
}

static const char* word_at(const char* at, char* word) {
  size_t n = 0;
  while (is_word(at[n])) n++;
  size_t kept = n < WORD - 1 ? n : WORD - 1;
  memcpy(word, at, kept);
  word[kept] = 0;
  return at + n;
}

static const char* literal_end(const char* at) {
  char quote = *at++;
  while (*at && *at != quote && *at != '\n') at += *at == '\\' && at[1] ? 2 : 1;
  return *at == quote ? at + 1 : at;
}

static int in_function(state* s) {
  for (int i = 0; i < s->depth && i < DEPTH; i++) {
    if (!s->c_scope[i]) return 1;
  }
  return 0;
}

static int is_c(state* s) {
  for (int i = 0; i < s->depth && i < DEPTH; i++) {
    if (s->c_scope[i]) return 1;
  }
  return s->c_declaration;
}

// "extern MARKER T name[];": the dynamic shared memory of the block, under this name.
static const char* dynamic_shared(state* s, const char* at) {
  const char* bracket = strchr(at, '[');
  const char* end = strchr(at, ';');
  if (!bracket || !end || bracket > end) return at;
  const char* stop = bracket;
  while (stop > at && isspace((unsigned char)stop[-1])) stop--;
  const char* name = stop;
  while (name > at && is_word(name[-1])) name--;
  int type = (int)(name - at), length = (int)(stop - name);
  if (in_function(s)) {
    gs_text_add(s->out, "%.*s* %.*s = (%.*s*)gpusim_self->shared", type, at, length, name, type, at);
  } else {
    gs_text_add(s->out, "static struct { operator %.*s*() const { return (%.*s*)gpusim_self->shared; } } %.*s", type, at,
                type, at, length, name);
  }
  return end;
}

static void kernel(state* s, const char* name) {
  s->expect_kernel = 0;
  if (!is_c(s) || s->kernels == KERNELS) return;
  for (int i = 0; i < s->kernels; i++) {
    if (!strcmp(s->names[i], name)) return;
  }
  strcpy(s->names[s->kernels++], name);
}

static const char* word(state* s, const char* at) {
  char text[WORD], next[WORD];
  const char* end = word_at(at, text);
  const char* behind = spaces(end);
  if (!strcmp(text, "__gpusim_global__")) {
    gs_text_add(s->out, "__attribute__((visibility(\"default\")))");
    s->expect_kernel = 1;
    return end;
  }
  if (!strcmp(text, "__gpusim_shared__")) {
    gs_text_add(s->out, "static thread_local");
    return end;
  }
  if (!strcmp(text, "extern")) {
    const char* after = word_at(behind, next);
    if (!strcmp(next, "__gpusim_shared__")) return dynamic_shared(s, spaces(after));
    if (!strncmp(behind, "\"C\"", 3)) {
      s->c_declaration = 1;
      const char* brace = spaces(behind + 3);
      if (*brace == '{') {
        gs_text_add(s->out, "extern \"C\" {");
        if (s->depth < DEPTH) s->c_scope[s->depth] = 1;
        s->depth++;
        s->c_declaration = 0;
        return brace + 1;
      }
    }
  }
  if (s->expect_kernel && *behind == '(' && strcmp(text, "__attribute__")) kernel(s, text);
  gs_text_append(s->out, at, (size_t)(end - at));
  return end;
}

void gs_describe(gs_text* out, const char* name, const char* function) {
  gs_text_add(out,
              "extern \"C\" {\n"
              "extern __attribute__((visibility(\"default\"))) const gpusim_table<decltype(&%s)> %s__args;\n"
              "const gpusim_table<decltype(&%s)> %s__args{};\n",
              function, name, function, name);
  gs_text_add(out,
              "__attribute__((visibility(\"default\"))) void %s__run(void** arguments, gpusim_thread* self) {\n"
              "  gpusim_self = self;\n"
              "  gpusim_call(&%s, arguments);\n"
              "}\n}\n",
              name, function);
}

void gs_rewrite(const char* text, gs_text* out) {
  state* s = calloc(1, sizeof *s);
  s->at = text;
  s->out = out;
  int line_start = 1;
  while (*s->at) {
    const char* at = s->at;
    if (line_start && *at == '#') {
      const char* end = strchr(at, '\n');
      s->at = end ? end : at + strlen(at);
      gs_text_append(out, at, (size_t)(s->at - at));
      continue;
    }
    line_start = *at == '\n';
    if (is_word(*at)) {
      s->at = word(s, at);
      continue;
    }
    const char* end = *at == '"' || *at == '\'' ? literal_end(at) : at + 1;
    if (*at == '{') {
      if (s->depth < DEPTH) s->c_scope[s->depth] = 0;
      s->depth++;
    } else if (*at == '}' && s->depth > 0) {
      s->depth--;
    }
    if (strchr(";{}", *at)) s->c_declaration = s->expect_kernel = 0;
    gs_text_append(out, at, (size_t)(end - at));
    s->at = end;
  }
  gs_text_add(out, "\n# 1 \"<kernels>\"\n");
  for (int i = 0; i < s->kernels; i++) gs_describe(out, s->names[i], s->names[i]);
  free(s);
}
