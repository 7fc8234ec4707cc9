// SPDX-License-Identifier: Apache-2.0
/*
 * What the cases of `hal bench` for Vulkan devices are compared with: the same work as plain Vulkan.
 *
 *   loops SPIRV_FILE UUID
 *
 * for the device with this deviceUUID, as 32 hexadecimal digits, prints "ready", then reads requests from stdin, a line
 * each, until its end:
 *
 *   CASE 0 STEPS
 *
 * and answers each with a line
 *
 *   result CASE 0 STEPS P25 P50 P75
 *
 * in nanoseconds: the quartiles of the steps. A step is one dispatch, whose end the host polls for. "round-trip" records
 * each dispatch, as a program with changing arguments does; "recorded-round-trip" records one, and submits it again and
 * again. If anything goes wrong it prints "error WHAT" and exits.
 */
#define _POSIX_C_SOURCE 200809L
#define VK_NO_PROTOTYPES

#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan_core.h>

enum { VALUE = 1234567891, MOST_FAMILIES = 64, MOST_DEVICES = 16 };

#define FUNCTIONS(F)                    \
  F(vkEnumeratePhysicalDevices)         \
  F(vkGetPhysicalDeviceProperties2)     \
  F(vkGetPhysicalDeviceMemoryProperties) \
  F(vkGetPhysicalDeviceQueueFamilyProperties) \
  F(vkCreateDevice)                     \
  F(vkGetDeviceQueue)                   \
  F(vkCreateBuffer)                     \
  F(vkGetBufferMemoryRequirements)      \
  F(vkAllocateMemory)                   \
  F(vkBindBufferMemory)                 \
  F(vkMapMemory)                        \
  F(vkGetBufferDeviceAddress)           \
  F(vkCreateShaderModule)               \
  F(vkCreatePipelineLayout)             \
  F(vkCreateComputePipelines)           \
  F(vkCreateSemaphore)                  \
  F(vkGetSemaphoreCounterValue)         \
  F(vkCreateCommandPool)                \
  F(vkAllocateCommandBuffers)           \
  F(vkBeginCommandBuffer)               \
  F(vkEndCommandBuffer)                 \
  F(vkCmdBindPipeline)                  \
  F(vkCmdPushConstants)                 \
  F(vkCmdDispatch)                      \
  F(vkCmdPipelineBarrier)               \
  F(vkQueueSubmit)

#define DECLARE(name) static PFN_##name name##_;
FUNCTIONS(DECLARE)

static VkDevice device;
static VkQueue queue;
static VkPipeline pipeline;
static VkPipelineLayout layout;
static VkSemaphore timeline;
static VkCommandBuffer commands[2];
static uint64_t reached; /* the last value of the timeline */
static VkDeviceAddress target;
static volatile uint32_t *word; /* the same for the host */

static void die(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  printf("error ");
  vprintf(format, arguments);
  printf("\n");
  fflush(stdout);
  va_end(arguments);
  _Exit(1);
}

static void check(VkResult result, const char *call) {
  if (result != VK_SUCCESS) {
    die("%s returned %d", call, (int)result);
  }
}

#define CALL(name, ...) check(name##_(__VA_ARGS__), #name)

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1000000000LL * time.tv_sec + time.tv_nsec;
}

/* ---- the device ---- */

static VkPhysicalDevice find_device(VkInstance instance, const char *uuid) {
  VkPhysicalDevice all[MOST_DEVICES];
  uint32_t count = MOST_DEVICES;
  check(vkEnumeratePhysicalDevices_(instance, &count, all), "vkEnumeratePhysicalDevices");
  for (uint32_t i = 0; i < count; i++) {
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &id};
    char text[2 * VK_UUID_SIZE + 1];
    vkGetPhysicalDeviceProperties2_(all[i], &properties);
    for (unsigned j = 0; j < VK_UUID_SIZE; j++) {
      snprintf(text + 2 * j, 3, "%02x", id.deviceUUID[j]);
    }
    if (strcmp(text, uuid) == 0) {
      return all[i];
    }
  }
  die("no device has the uuid %s", uuid);
  return NULL;
}

/* A family that computes, without graphics if there is one: a submission costs less there. */
static uint32_t find_family(VkPhysicalDevice physical) {
  VkQueueFamilyProperties all[MOST_FAMILIES];
  uint32_t count = MOST_FAMILIES;
  int found = -1;
  vkGetPhysicalDeviceQueueFamilyProperties_(physical, &count, all);
  for (uint32_t i = 0; i < count; i++) {
    int graphics = (all[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
    if ((all[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0 && (found < 0 || !graphics)) {
      found = (int)i;
      if (!graphics) {
        break;
      }
    }
  }
  if (found < 0) {
    die("the device has no queue that computes");
  }
  return (uint32_t)found;
}

static void open_device(const char *uuid) {
  void *loader = dlopen("libvulkan.so.1", RTLD_NOW);
  if (loader == NULL) {
    die("%s", dlerror());
  }
  PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(loader, "vkGetInstanceProcAddr");
  PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
  VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
  VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
  VkInstance instance;
  check(create(&instance_info, NULL, &instance), "vkCreateInstance");
#define LOOK_UP(name)                               \
  name##_ = (PFN_##name)get(instance, #name);       \
  if (name##_ == NULL) {                            \
    die("the loader has no %s", #name);             \
  }
  FUNCTIONS(LOOK_UP)

  VkPhysicalDevice physical = find_device(instance, uuid);
  uint32_t family = find_family(physical);
  float priority = 1;
  VkDeviceQueueCreateInfo queues = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                    .queueFamilyIndex = family,
                                    .queueCount = 1,
                                    .pQueuePriorities = &priority};
  VkPhysicalDeviceVulkan12Features features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                               .bufferDeviceAddress = VK_TRUE,
                                               .timelineSemaphore = VK_TRUE};
  VkPhysicalDeviceFeatures2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                   .pNext = &features,
                                   .features = {.shaderInt64 = VK_TRUE}};
  VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                             .pNext = &all,
                             .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &queues};
  CALL(vkCreateDevice, physical, &info, NULL, &device);
  vkGetDeviceQueue_(device, family, 0, &queue);

  VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                    .size = sizeof *word,
                                    .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
  VkBuffer buffer;
  CALL(vkCreateBuffer, device, &buffer_info, NULL, &buffer);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements_(device, buffer, &needs);
  VkPhysicalDeviceMemoryProperties memories;
  vkGetPhysicalDeviceMemoryProperties_(physical, &memories);
  VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while (type < memories.memoryTypeCount && ((needs.memoryTypeBits >> type & 1) == 0 ||
                                             (memories.memoryTypes[type].propertyFlags & wanted) != wanted)) {
    type++;
  }
  VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                     .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
  VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                      .pNext = &flags,
                                      .allocationSize = needs.size,
                                      .memoryTypeIndex = type};
  VkDeviceMemory memory;
  CALL(vkAllocateMemory, device, &memory_info, NULL, &memory);
  CALL(vkBindBufferMemory, device, buffer, memory, 0);
  void *mapped;
  CALL(vkMapMemory, device, memory, 0, VK_WHOLE_SIZE, 0, &mapped);
  word = mapped;
  VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer};
  target = vkGetBufferDeviceAddress_(device, &of);

  VkSemaphoreTypeCreateInfo kind = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                    .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  VkSemaphoreCreateInfo semaphore_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &kind};
  CALL(vkCreateSemaphore, device, &semaphore_info, NULL, &timeline);
  VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                       .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                       .queueFamilyIndex = family};
  VkCommandPool pool;
  CALL(vkCreateCommandPool, device, &pool_info, NULL, &pool);
  VkCommandBufferAllocateInfo commands_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               .commandPool = pool,
                                               .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                               .commandBufferCount = 2};
  CALL(vkAllocateCommandBuffers, device, &commands_info, commands);
}

/* ---- the kernel ---- */

static void load_kernel(const char *file) {
  static uint32_t code[1 << 14];
  FILE *in = fopen(file, "rb");
  if (in == NULL) {
    die("cannot open %s", file);
  }
  size_t bytes = fread(code, 1, sizeof code, in);
  fclose(in);
  VkShaderModuleCreateInfo shader_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = bytes, .pCode = code};
  VkShaderModule shader;
  CALL(vkCreateShaderModule, device, &shader_info, NULL, &shader);
  VkPushConstantRange range = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = 16};
  VkPipelineLayoutCreateInfo layout_info = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .pushConstantRangeCount = 1,
                                            .pPushConstantRanges = &range};
  CALL(vkCreatePipelineLayout, device, &layout_info, NULL, &layout);
  VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                      .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                .module = shader,
                                                .pName = "touch"},
                                      .layout = layout};
  CALL(vkCreateComputePipelines, device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline);
}

/* A dispatch, and a barrier so that the host sees what it has written. */
static void record(VkCommandBuffer into, VkCommandBufferUsageFlags usage) {
  struct {
    VkDeviceAddress target;
    uint32_t value;
    uint32_t unused;
  } arguments = {target, VALUE, 0};
  VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, .flags = usage};
  VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                             .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                             .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_HOST_READ_BIT};
  CALL(vkBeginCommandBuffer, into, &begin);
  vkCmdBindPipeline_(into, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdPushConstants_(into, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments, &arguments);
  vkCmdDispatch_(into, 1, 1, 1);
  vkCmdPipelineBarrier_(into, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                        VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0,
                        NULL);
  CALL(vkEndCommandBuffer, into);
}

static void submit(VkCommandBuffer buffer) {
  reached++;
  VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                          .signalSemaphoreValueCount = 1,
                                          .pSignalSemaphoreValues = &reached};
  VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                       .pNext = &values,
                       .commandBufferCount = 1,
                       .pCommandBuffers = &buffer,
                       .signalSemaphoreCount = 1,
                       .pSignalSemaphores = &timeline};
  CALL(vkQueueSubmit, queue, 1, &info, VK_NULL_HANDLE);
}

static void poll(void) {
  uint64_t value;
  do {
    CALL(vkGetSemaphoreCounterValue, device, timeline, &value);
  } while (value < reached);
}

/* ---- the cases ---- */

static void round_trips(int is_recorded, int steps, long long *times) {
  *word = 0;
  if (is_recorded) {
    record(commands[1], 0);
  }
  for (int i = 0; i < steps; i++) {
    long long start = now();
    if (!is_recorded) {
      record(commands[0], VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
    }
    submit(commands[is_recorded]);
    poll();
    times[i] = now() - start;
  }
  if (*word != VALUE) {
    die("the device's memory has %u where %u should be", *word, VALUE);
  }
}

static int compare(const void *first, const void *second) {
  long long a = *(const long long *)first;
  long long b = *(const long long *)second;
  return (a > b) - (a < b);
}

/* Between two of the sorted numbers. */
static double quantile(const long long *sorted, int count, double part) {
  double place = part * (count - 1);
  int below = (int)place;
  int above = below + 1 < count ? below + 1 : below;
  return (double)sorted[below] + (place - below) * (double)(sorted[above] - sorted[below]);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    die("usage: loops SPIRV_FILE UUID");
  }
  open_device(argv[2]);
  load_kernel(argv[1]);
  printf("ready\n");
  fflush(stdout);
  char line[256];
  while (fgets(line, sizeof line, stdin) != NULL) {
    char name[64];
    long long size;
    int steps;
    if (sscanf(line, "%63s %lld %d", name, &size, &steps) != 3 || steps < 1) {
      die("not understood: %s", line);
    }
    int is_recorded = strcmp(name, "recorded-round-trip") == 0;
    if (!is_recorded && strcmp(name, "round-trip") != 0) {
      die("no case %s", name);
    }
    long long *times = malloc(sizeof *times * (size_t)steps);
    if (times == NULL) {
      die("no memory for %d numbers", steps);
    }
    round_trips(is_recorded, steps, times);
    qsort(times, (size_t)steps, sizeof *times, compare);
    printf("result %s %lld %d %.1f %.1f %.1f\n", name, size, steps, quantile(times, steps, 0.25),
           quantile(times, steps, 0.5), quantile(times, steps, 0.75));
    fflush(stdout);
    free(times);
  }
  _Exit(0); /* vendors' libraries have crashed when they were unloaded */
}
