#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# NVIDIA's Vulkan driver leaves out a conversion to 16 bits and back.
#
# Expected  a float that is converted to a half and back is the nearest number that a half can be, or infinity: 3.1415927 becomes
#           3.140625, 70000 infinity, and 1e-9 zero. The shader demands that NaN and infinity are kept, and that results are
#           rounded to the nearest number, which the device offers.
# Happens   it is the float that it was.
# Version   driver 580.159.04 on an H200.
# Meets it  whoever rounds to halves in a shader and goes on with floats, as emulations of mixed precision do. The same kernel in
#           CUDA is right.
#
# Needs gcc, spirv-as, the headers and the loader of Vulkan, and a GPU of NVIDIA; ends with 77 without them, with 1 if the
# results have changed.
set -euo pipefail
command -v gcc >/dev/null && command -v spirv-as >/dev/null || { echo "needs gcc and spirv-as"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
cat >half.asm <<'CODE'
       OpCapability Shader
       OpCapability Float16
       OpCapability SignedZeroInfNanPreserve
       OpCapability RoundingModeRTE
       OpMemoryModel Logical GLSL450
       OpEntryPoint GLCompute %main "main" %id %buffer
       OpExecutionMode %main LocalSize 4 1 1
       OpExecutionMode %main SignedZeroInfNanPreserve 16
       OpExecutionMode %main SignedZeroInfNanPreserve 32
       OpExecutionMode %main RoundingModeRTE 16
       OpExecutionMode %main RoundingModeRTE 32
       OpDecorate %id BuiltIn LocalInvocationId
       OpDecorate %floats ArrayStride 4
       OpDecorate %block Block
       OpMemberDecorate %block 0 Offset 0
       OpDecorate %buffer DescriptorSet 0
       OpDecorate %buffer Binding 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%uint = OpTypeInt 32 0
%float = OpTypeFloat 32
%half = OpTypeFloat 16
  %v3 = OpTypeVector %uint 3
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %floats
 %pb = OpTypePointer StorageBuffer %block
 %pf = OpTypePointer StorageBuffer %float
 %pv = OpTypePointer Input %v3
%buffer = OpVariable %pb StorageBuffer
  %id = OpVariable %pv Input
  %c0 = OpConstant %uint 0
  %c4 = OpConstant %uint 4
%main = OpFunction %void None %type
%entry = OpLabel
%all = OpLoad %v3 %id
%item = OpCompositeExtract %uint %all 0
%from = OpAccessChain %pf %buffer %c0 %item
   %x = OpLoad %float %from
   %h = OpFConvert %half %x
   %y = OpFConvert %float %h
 %at = OpIAdd %uint %item %c4
 %to = OpAccessChain %pf %buffer %c0 %at
        OpStore %to %y
        OpReturn
        OpFunctionEnd
CODE
cat >run.c <<'CODE'
#include <stdio.h>
#include <string.h>
#include <vulkan/vulkan.h>
#define DO(call) if ((call) != VK_SUCCESS) return puts(#call), 77
#define INFO(TYPE) .sType = VK_STRUCTURE_TYPE_##TYPE
enum { NVIDIA = 0x10de };
int main(void) {
  VkApplicationInfo application = {INFO(APPLICATION_INFO), .apiVersion = VK_API_VERSION_1_2};
  VkInstanceCreateInfo forInstance = {INFO(INSTANCE_CREATE_INFO), .pApplicationInfo = &application};
  VkInstance instance;
  DO(vkCreateInstance(&forInstance, NULL, &instance));
  uint32_t count = 8, chosen = 8;
  VkPhysicalDevice all[8];
  DO(vkEnumeratePhysicalDevices(instance, &count, all));
  for (uint32_t i = 0; i < count; i++) {
    VkPhysicalDeviceProperties properties;
    vkGetPhysicalDeviceProperties(all[i], &properties);
    if (properties.vendorID == NVIDIA) chosen = i;
  }
  if (chosen == 8) return puts("there is no GPU of NVIDIA"), 77;
  VkPhysicalDevice physical = all[chosen];
  VkPhysicalDeviceFloatControlsProperties modes = {INFO(PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES)};
  VkPhysicalDeviceProperties2 properties = {INFO(PHYSICAL_DEVICE_PROPERTIES_2), .pNext = &modes};
  vkGetPhysicalDeviceProperties2(physical, &properties);
  if (!modes.shaderSignedZeroInfNanPreserveFloat16 || !modes.shaderRoundingModeRTEFloat16) return puts("it lacks the modes"), 77;
  float priority = 1;
  VkPhysicalDeviceVulkan12Features features = {INFO(PHYSICAL_DEVICE_VULKAN_1_2_FEATURES), .shaderFloat16 = VK_TRUE};
  VkDeviceQueueCreateInfo forQueue = {INFO(DEVICE_QUEUE_CREATE_INFO), .queueCount = 1, .pQueuePriorities = &priority};
  VkDeviceCreateInfo forDevice = {
      INFO(DEVICE_CREATE_INFO), .pNext = &features, .queueCreateInfoCount = 1, .pQueueCreateInfos = &forQueue};
  VkDevice device;
  DO(vkCreateDevice(physical, &forDevice, NULL, &device));
  VkQueue queue;
  vkGetDeviceQueue(device, 0, 0, &queue);

  VkBufferCreateInfo forBuffer = {INFO(BUFFER_CREATE_INFO), .size = 32, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  VkBuffer buffer;
  DO(vkCreateBuffer(device, &forBuffer, NULL, &buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, buffer, &needs);
  VkPhysicalDeviceMemoryProperties memories;
  vkGetPhysicalDeviceMemoryProperties(physical, &memories);
  const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t kind = 0;
  while (!(needs.memoryTypeBits >> kind & 1) || (memories.memoryTypes[kind].propertyFlags & wanted) != wanted) kind++;
  VkMemoryAllocateInfo forMemory = {INFO(MEMORY_ALLOCATE_INFO), .allocationSize = needs.size, .memoryTypeIndex = kind};
  VkDeviceMemory memory;
  DO(vkAllocateMemory(device, &forMemory, NULL, &memory));
  DO(vkBindBufferMemory(device, buffer, memory, 0));
  float* data;
  DO(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void**)&data));
  const float numbers[] = {3.1415927f, 70000, 1e-9f, 1.5f};
  memcpy(data, numbers, sizeof numbers);

  static uint32_t code[4096];
  FILE* file = fopen("half.spv", "rb");
  size_t size = fread(code, 1, sizeof code, file);
  VkShaderModuleCreateInfo forModule = {INFO(SHADER_MODULE_CREATE_INFO), .codeSize = size, .pCode = code};
  VkShaderModule module;
  DO(vkCreateShaderModule(device, &forModule, NULL, &module));
  VkDescriptorSetLayoutBinding binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
  VkDescriptorSetLayoutCreateInfo forSets = {INFO(DESCRIPTOR_SET_LAYOUT_CREATE_INFO), .bindingCount = 1, .pBindings = &binding};
  VkDescriptorSetLayout sets;
  DO(vkCreateDescriptorSetLayout(device, &forSets, NULL, &sets));
  VkPipelineLayoutCreateInfo forLayout = {INFO(PIPELINE_LAYOUT_CREATE_INFO), .setLayoutCount = 1, .pSetLayouts = &sets};
  VkPipelineLayout layout;
  DO(vkCreatePipelineLayout(device, &forLayout, NULL, &layout));
  VkComputePipelineCreateInfo forPipeline = {
      INFO(COMPUTE_PIPELINE_CREATE_INFO), .layout = layout,
      .stage = {INFO(PIPELINE_SHADER_STAGE_CREATE_INFO), .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main"}};
  VkPipeline pipeline;
  DO(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &forPipeline, NULL, &pipeline));

  VkDescriptorPoolSize sizes = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
  VkDescriptorPoolCreateInfo forSetPool = {INFO(DESCRIPTOR_POOL_CREATE_INFO), .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &sizes};
  VkDescriptorPool setPool;
  DO(vkCreateDescriptorPool(device, &forSetPool, NULL, &setPool));
  VkDescriptorSetAllocateInfo forSet = {
      INFO(DESCRIPTOR_SET_ALLOCATE_INFO), .descriptorPool = setPool, .descriptorSetCount = 1, .pSetLayouts = &sets};
  VkDescriptorSet set;
  DO(vkAllocateDescriptorSets(device, &forSet, &set));
  VkDescriptorBufferInfo range = {buffer, 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write = {INFO(WRITE_DESCRIPTOR_SET), .dstSet = set, .descriptorCount = 1,
                                .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .pBufferInfo = &range};
  vkUpdateDescriptorSets(device, 1, &write, 0, NULL);

  VkCommandPoolCreateInfo forPool = {INFO(COMMAND_POOL_CREATE_INFO)};
  VkCommandPool pool;
  DO(vkCreateCommandPool(device, &forPool, NULL, &pool));
  VkCommandBufferAllocateInfo forCommands = {INFO(COMMAND_BUFFER_ALLOCATE_INFO), .commandPool = pool, .commandBufferCount = 1};
  VkCommandBuffer commands;
  DO(vkAllocateCommandBuffers(device, &forCommands, &commands));
  VkCommandBufferBeginInfo begin = {INFO(COMMAND_BUFFER_BEGIN_INFO)};
  DO(vkBeginCommandBuffer(commands, &begin));
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
  vkCmdDispatch(commands, 1, 1, 1);
  DO(vkEndCommandBuffer(commands));
  VkSubmitInfo submit = {INFO(SUBMIT_INFO), .commandBufferCount = 1, .pCommandBuffers = &commands};
  DO(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
  DO(vkQueueWaitIdle(queue));

  for (int i = 0; i < 4; i++) printf("%.9g%c", data[4 + i], i < 3 ? ' ' : '\n');
}
CODE
spirv-as --target-env vulkan1.2 half.asm -o half.spv
gcc run.c -o run -l:libvulkan.so.1 2>compiler || { echo "needs the headers and the loader of Vulkan"; exit 77; }
./run >seen || { code=$?; cat seen; exit "$code"; }
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
3.14159274 70000 9.99999972e-10 1.5
SEEN
echo "as described: the numbers are not rounded to halves"
