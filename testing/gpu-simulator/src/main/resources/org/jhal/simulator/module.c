// SPDX-License-Identifier: Apache-2.0
// Modules: shared libraries for the host's processor, in memory.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#else
#define HOST_MACHINE EM_AARCH64
#endif

static void module_free(gs_object* object) {
  gs_module* module = (gs_module*)object;
  dlclose(module->library);
  close(module->file);
  free(module);
}

static void function_free(gs_object* object) {
  gs_unref(&((gs_function*)object)->module->object);
  free(object);
}

// What an image is; its size, if it can be loaded.
static int size_of(const unsigned char* image, size_t* size) {
  if (memcmp(image, ELFMAG, SELFMAG)) {
    uint32_t magic;
    memcpy(&magic, image, sizeof magic);
    if (magic == 0xBA55ED50 || magic == 0x466243B1) return GS_NO_BINARY_FOR_DEVICE;
    const char* text = (const char*)image + strspn((const char*)image, " \t\r\n");
    return !strncmp(text, "//", 2) || !strncmp(text, ".version", 8) ? GS_INVALID_TEXT : GS_INVALID_IMAGE;
  }
  const Elf64_Ehdr* header = (const Elf64_Ehdr*)image;
  if (header->e_ident[EI_CLASS] != ELFCLASS64) return GS_INVALID_IMAGE;
  if (header->e_machine != HOST_MACHINE) return GS_NO_BINARY_FOR_DEVICE;
  if (header->e_type != ET_DYN || !header->e_shnum || header->e_shentsize != sizeof(Elf64_Shdr)) return GS_INVALID_IMAGE;
  *size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
  return GS_OK;
}

// The loader knows a library by its name, which is the number of its file here. So the file stays open.
static int open_image(const void* image, size_t size, void** library, int* opened, char* text, size_t text_size) {
  int file = memfd_create("gpusim-module", MFD_CLOEXEC);
  if (file < 0) return GS_OUT_OF_MEMORY;
  size_t done = 0;
  while (done < size) {
    ssize_t n = write(file, (const char*)image + done, size - done);
    if (n <= 0) break;
    done += (size_t)n;
  }
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  *library = done == size ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (*library) {
    *opened = file;
    return GS_OK;
  }
  snprintf(text, text_size, "%s", dlerror());
  close(file);
  return GS_INVALID_IMAGE;
}

static int fits(void* library, const char* architecture) {
  const char* made_for = dlsym(library, "gpusim_architecture");
  if (!made_for || !architecture) return 1;
  size_t length = strlen(made_for);
  return !strncmp(made_for, architecture, length) && (!architecture[length] || architecture[length] == ':');
}

// What a newer toolkit made: a driver takes text of no newer version, and other code of no newer major version.
static int too_new(void* library) {
  const int* toolkit = dlsym(library, "gpusim_toolkit");
  const int* text = dlsym(library, "gpusim_text");
  if (!toolkit || !text || !gs.driver_version) return GS_OK;
  if (*text) return *toolkit > gs.driver_version ? GS_UNSUPPORTED_TEXT : GS_OK;
  return *toolkit / 1000 > gs.driver_version / 1000 ? GS_NO_BINARY_FOR_DEVICE : GS_OK;
}

int gs_module_load(gs_context* context, const void* image, const char* architecture, gs_handle* handle, char* text,
                   size_t text_size) {
  if (text_size) text[0] = 0;
  if (!image) return GS_INVALID_VALUE;
  size_t size = 0;
  void* library = NULL;
  int file = -1;
  int code = gs_idle(1u << context->device);
  if (!code) code = gs_quiet(context->device);
  if (!code) code = size_of(image, &size);
  if (code == GS_INVALID_TEXT) {
    snprintf(text, text_size, "gpusim error   : the simulator cannot compile text, only load what its compiler made");
  }
  if (!code) code = open_image(image, size, &library, &file, text, text_size);
  if (code) return code;
  code = fits(library, architecture) ? too_new(library) : GS_NO_BINARY_FOR_DEVICE;
  if (code) {
    dlclose(library);
    close(file);
    return code;
  }
  gs_module* module = calloc(1, sizeof *module);
  module->library = library;
  module->file = file;
  gs_object_add(&module->object, GS_MODULE, context, module_free);
  *handle = module->object.id;
  return GS_OK;
}

int gs_module_unload(gs_handle handle) {
  gs_module* module = gs_find(handle, GS_MODULE);
  if (!module) return GS_INVALID_HANDLE;
  int code = gs_idle(1u << module->object.context->device);
  if (code) return code;
  if (module->launches && !module->object.context->sticky)  // else they are not begun any more
    gs_misuse("%d launches of the module's functions have not finished", module->launches);
  // In a failed context a destroyed instance lives as long as its launches, which are not begun any more.
  if (module->nodes && !module->object.context->sticky)
    gs_misuse("%d nodes of graphs and of their instances hold the module's functions", module->nodes);
  module->unloaded = 1;
  for (gs_object* o = gs_first(NULL); o;) {
    if (o->kind == GS_FUNCTION && ((gs_function*)o)->module == module) {
      gs_object_remove(o);
      o = gs_first(NULL);
    } else {
      o = gs_first(o);
    }
  }
  for (size_t i = 0; gs_block_each(i); i++) {
    gs_block* block = gs_block_each(i);
    if (block->kind == GS_GLOBAL_MEMORY && block->flags == (unsigned)(module->object.id >> 8)) {
      gs_block_release(block);
      i = (size_t)-1;
    }
  }
  gs_object_remove(&module->object);
  return GS_OK;
}

static void* symbol(gs_module* module, const char* name, const char* suffix) {
  char full[1024];
  snprintf(full, sizeof full, "%s%s", name, suffix);
  return dlsym(module->library, full);
}

int gs_module_function(gs_handle handle, const char* name, gs_handle* result) {
  gs_module* module = gs_find(handle, GS_MODULE);
  if (!module) return GS_INVALID_HANDLE;
  if (!name) return GS_INVALID_VALUE;
  for (gs_object* o = gs_first(NULL); o; o = gs_first(o)) {
    gs_function* known = (gs_function*)o;
    if (o->kind == GS_FUNCTION && known->module == module && !strcmp(known->name, name)) {
      *result = o->id;
      return GS_OK;
    }
  }
  gpusim_run* run = (gpusim_run*)symbol(module, name, "__run");
  const gpusim_args* args = symbol(module, name, "__args");
  if (!run || !args) return GS_NOT_FOUND;
  gs_function* function = calloc(1, sizeof *function + strlen(name) + 1);
  strcpy(function->name, name);
  function->module = module;
  gs_ref(&module->object);
  function->run = run;
  function->args = args;
  unsigned* shared = symbol(module, name, "__shared");
  function->static_shared = shared ? *shared : 0;
  function->max_dynamic_shared =
      function->static_shared < GS_SHARED_DEFAULT ? GS_SHARED_DEFAULT - function->static_shared : 0;
  gs_object_add(&function->object, GS_FUNCTION, module->object.context, function_free);
  *result = function->object.id;
  return GS_OK;
}

int gs_module_global(gs_handle handle, const char* name, uint64_t* address, size_t* size) {
  gs_module* module = gs_find(handle, GS_MODULE);
  if (!module) return GS_INVALID_HANDLE;
  void* at = name ? dlsym(module->library, name) : NULL;
  Dl_info info;
  ElfW(Sym)* entry = NULL;
  if (!at || !dladdr1(at, &info, (void**)&entry, RTLD_DL_SYMENT) || !entry) return GS_NOT_FOUND;
  if (ELF64_ST_TYPE(entry->st_info) != STT_OBJECT) return GS_NOT_FOUND;
  if (!gs_block_at((uint64_t)at)) {
    gs_block* block = gs_block_make(module->object.context, GS_GLOBAL_MEMORY, (uint64_t)at, entry->st_size);
    block->flags = (unsigned)(module->object.id >> 8);
  }
  if (address) *address = (uint64_t)at;
  if (size) *size = entry->st_size;
  return GS_OK;
}

int gs_function_info_of(gs_handle handle, gs_function_info* info) {
  gs_function* function = gs_find(handle, GS_FUNCTION);
  if (!function) return GS_INVALID_HANDLE;
  info->static_shared = function->static_shared;
  info->max_dynamic_shared = function->max_dynamic_shared;
  info->parameters = function->args->count;
  return GS_OK;
}

int gs_function_module(gs_handle handle, gs_handle* module) {
  gs_function* function = gs_find(handle, GS_FUNCTION);
  if (!function) return GS_INVALID_HANDLE;
  *module = function->module->object.id;
  return GS_OK;
}

int gs_function_parameter(gs_handle handle, unsigned index, size_t* offset, size_t* size) {
  gs_function* function = gs_find(handle, GS_FUNCTION);
  if (!function) return GS_INVALID_HANDLE;
  if (index >= function->args->count) return GS_INVALID_VALUE;
  *offset = function->args->arg[index].offset;
  if (size) *size = function->args->arg[index].size;
  return GS_OK;
}

int gs_function_max_dynamic_shared(gs_handle handle, int bytes) {
  gs_function* function = gs_find(handle, GS_FUNCTION);
  if (!function) return GS_INVALID_HANDLE;
  if (bytes < 0 || (unsigned)bytes + function->static_shared > GS_SHARED_OPT_IN) return GS_INVALID_VALUE;
  function->max_dynamic_shared = (unsigned)bytes;
  return GS_OK;
}
