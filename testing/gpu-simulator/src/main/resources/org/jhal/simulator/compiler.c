// SPDX-License-Identifier: Apache-2.0
// Runs the host's C++ compiler, and keeps what it made: sources are compiled again and again.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler.h"

enum { PATH = 1024, ARGUMENTS = 128 };

// With -march=native, fmaf() and its like are instructions, not calls.
#ifdef __x86_64__
#define FOR_PROCESSOR "-march=native",
#else
#define FOR_PROCESSOR
#endif

extern char** environ;

// The folder of this library, which holds the prelude, and where compiled kernels are kept.
static void folder(char* path) {
  Dl_info info;
  snprintf(path, PATH, "%s", dladdr((void*)folder, &info) ? info.dli_fname : "./x");
  char* slash = strrchr(path, '/');
  if (slash) *slash = 0;
}

static int read_file(const char* path, gs_text* text) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  char chunk[16384];
  ssize_t n;
  while ((n = read(file, chunk, sizeof chunk)) > 0) gs_text_append(text, chunk, (size_t)n);
  close(file);
  return 0;
}

static int write_file(const char* path, const char* chars, size_t length) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  size_t done = 0;
  while (done < length) {
    ssize_t n = write(file, chars + done, length - done);
    if (n <= 0) break;
    done += (size_t)n;
  }
  return close(file) || done < length ? -1 : 0;
}

static int run(const char* const* arguments, const char* log_path) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child;
  int code = posix_spawnp(&child, arguments[0], &actions, NULL, (char* const*)arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (code) return code;
  int status;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void hash(uint64_t state[2], const char* text) {
  for (; *text; text++) {
    state[0] = (state[0] ^ (unsigned char)*text) * 0x100000001B3u;
    state[1] = (state[1] + (unsigned char)*text) * 0x9E3779B97F4A7C15u;
  }
  state[0] *= 0x100000001B3u;
}

// Kernels are compiled for this processor, and must not run on another one that shares the folder.
static void hash_processor(uint64_t state[2]) {
  FILE* info = fopen("/proc/cpuinfo", "re");
  char line[8192];
  while (info && fgets(line, sizeof line, info)) {
    if (!strncmp(line, "model name", 10) || !strncmp(line, "flags", 5)) hash(state, line);
    if (line[0] == '\n') break;  // all others are alike
  }
  if (info) fclose(info);
}

typedef struct {
  char home[PATH], work[PATH], include[PATH + 16], source[PATH + 16], expanded[PATH + 16], log[PATH + 16], image[PATH + 16];
} paths;

static int expand(paths* p, const char* source, const char* name, const char* const* options, int count, gs_text* log) {
  gs_text text = {0};
  gs_text_add(&text, "# 1 \"%s\"\n", name);
  gs_text_append(&text, source, strlen(source));
  int code = write_file(p->source, text.chars, text.length);
  free(text.chars);
  if (code) return code;
  char prelude[PATH + 16];
  snprintf(prelude, sizeof prelude, "%s/gpu_prelude.h", p->home);
  const char* arguments[ARGUMENTS] = {GPUSIM_CXX, "-E", "-x", "c++", "-std=c++17", "-include", prelude};
  int n = 7;
  arguments[n++] = "-I";
  arguments[n++] = p->include;
  for (int i = 0; i < count && n < ARGUMENTS - 4; i++) arguments[n++] = options[i];
  arguments[n++] = "-o";
  arguments[n++] = p->expanded;
  arguments[n++] = p->source;
  code = run(arguments, p->log);
  read_file(p->log, log);
  return code;
}

static int build(paths* p, gs_text* log) {
  gs_text text = {0}, out = {0};
  if (read_file(p->expanded, &text)) return -1;
  gs_rewrite(text.chars ? text.chars : "", &out);
  int code = write_file(p->expanded, out.chars, out.length);
  free(text.chars);
  free(out.chars);
  if (code) return code;
  const char* arguments[ARGUMENTS] = {GPUSIM_CXX, "-x", "c++-cpp-output", "-std=c++17", "-O2", "-g1", "-fPIC", "-shared",
                                      "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti", "-fno-builtin", "-fwrapv",
                                      "-fno-strict-aliasing", "-ffp-contract=off", FOR_PROCESSOR "-U_FORTIFY_SOURCE",
                                      "-Wno-attributes", "-Wl,-Bsymbolic", "-o", p->image, p->expanded, "-lm"};
  // The shared memory of a template would be a unique symbol, which keeps a library from being unloaded.
  if (!strstr(GPUSIM_CXX, "clang")) {
    int n = 0;
    while (arguments[n]) n++;
    arguments[n] = "-fno-gnu-unique";
  }
  code = run(arguments, p->log);
  read_file(p->log, log);
  return code;
}

// Writes the headers below a folder of their own.
static int write_headers(const paths* p, const gs_headers* headers) {
  for (int i = 0; i < headers->count; i++) {
    char path[2 * PATH];
    int length = snprintf(path, sizeof path, "%s/%s", p->include, headers->names[i]);
    if (length < 0 || (size_t)length >= sizeof path) return -1;
    for (char* slash = path + strlen(p->work) + 1; (slash = strchr(slash, '/')); slash++) {
      *slash = 0;
      mkdir(path, 0700);
      *slash = '/';
    }
    if (write_file(path, headers->texts[i], strlen(headers->texts[i]))) return -1;
  }
  return 0;
}

static int remove_one(const char* path, const struct stat* is, int kind, struct FTW* where) {
  (void)is;
  (void)kind;
  (void)where;
  remove(path);
  return 0;
}

int gs_compile(const char* source, const char* name, const gs_headers* headers, const char* const* options,
               int option_count, gs_text* image, gs_text* log) {
  paths p;
  folder(p.home);
  uint64_t state[2] = {0xCBF29CE484222325u, 1};
  hash_processor(state);
  hash(state, name);
  hash(state, source);
  for (int i = 0; i < option_count; i++) hash(state, options[i]);
  for (int i = 0; i < headers->count; i++) {
    hash(state, headers->names[i]);
    hash(state, headers->texts[i]);
  }
  char kept[PATH + 64];
  snprintf(kept, sizeof kept, "%s/kernels-%016llx%016llx.so", p.home, (unsigned long long)state[0],
           (unsigned long long)state[1]);
  if (!read_file(kept, image)) return 0;

  snprintf(p.work, sizeof p.work, "%.*s/compile-XXXXXX", PATH - 32, p.home);
  if (!mkdtemp(p.work)) {
    gs_text_add(log, "cannot make a folder in %s: %s\n", p.home, strerror(errno));
    return -1;
  }
  snprintf(p.source, sizeof p.source, "%s/source.cpp", p.work);
  snprintf(p.expanded, sizeof p.expanded, "%s/source.ii", p.work);
  snprintf(p.log, sizeof p.log, "%s/log", p.work);
  snprintf(p.image, sizeof p.image, "%s/image.so", p.work);
  snprintf(p.include, sizeof p.include, "%s/include", p.work);
  int code = write_headers(&p, headers);
  if (!code) code = expand(&p, source, name, options, option_count, log);
  if (!code) code = build(&p, log);
  if (!code) code = read_file(p.image, image);
  // Another process may do the same at the same time; both have the same content.
  if (!code) rename(p.image, kept);
  nftw(p.work, remove_one, 8, FTW_DEPTH | FTW_PHYS);
  return code;
}
