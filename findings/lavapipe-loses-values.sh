#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Mesa's Vulkan driver for processors loses what a loop has loaded, for work items that leave it before others.
#
# Expected  eight work items look for the first number of 100 or more from their own on, and each stores the one that it has found.
# Happens   only those that go on longest do; all others store 0. Nothing reports it. With a second way out of the loop that
#           stores something else, or if the loop itself uses the number in its next round, it is right.
# Version   Mesa 22.3.6 with LLVM 15.0.6 (Debian 12, x86-64). With Mesa 25.0.7 of Debian 13 it is right.
# Meets it  whoever searches in a loop on lavapipe, as in `do v = x[i++]; while (v < 100);`.
#
# Needs Debian 12 or a system that has its packages, and gcc; no GPU. Ends with 77 without them, with 1 if it has changed.
set -euo pipefail
command -v gcc >/dev/null && command -v apt-get >/dev/null && command -v dpkg >/dev/null ||
  { echo "needs gcc, apt-get and dpkg"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd "$folder"
apt-get download mesa-vulkan-drivers=22.3.6-1+deb12u2 >/dev/null 2>&1 || { echo "no package of Mesa 22.3.6"; exit 77; }
# What it needs, and what this script needs, in the versions of the same distribution.
others=(libvulkan1 libvulkan-dev spirv-tools)
needed=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
  mesa-vulkan-drivers "${others[@]}" | grep '^\w' | grep -v -x -e libc6 -e mesa-vulkan-drivers | sort -u)
apt-get download $needed >/dev/null 2>&1 || true # what is virtual cannot be downloaded
mkdir root
for file in *.deb; do dpkg -x "$file" root; done
libraries=$(find "$folder/root" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
driver=$(find "$folder/root" -name libvulkan_lvp.so)
[ -n "$driver" ] || { echo "the package has no lavapipe"; exit 77; }
echo "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"$driver\", \"api_version\": \"1.3.230\"}}" >lavapipe.json
# Eight work items, each with a number in the first half of the buffer and a result in the second.
cat >loops.asm <<'CODE'
       OpCapability Shader
       OpMemoryModel Logical GLSL450
       OpEntryPoint GLCompute %main "main" %id
       OpExecutionMode %main LocalSize 8 1 1
       OpDecorate %id BuiltIn LocalInvocationId
       OpDecorate %uints ArrayStride 4
       OpDecorate %block BufferBlock
       OpMemberDecorate %block 0 Offset 0
       OpDecorate %buffer DescriptorSet 0
       OpDecorate %buffer Binding 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
  %v3 = OpTypeVector %uint 3
%uints = OpTypeRuntimeArray %uint
%block = OpTypeStruct %uints
 %pb = OpTypePointer Uniform %block
 %pi = OpTypePointer Uniform %uint
 %pv = OpTypePointer Input %v3
%buffer = OpVariable %pb Uniform
  %id = OpVariable %pv Input
  %c0 = OpConstant %uint 0
  %c1 = OpConstant %uint 1
 %c16 = OpConstant %uint 16
%c100 = OpConstant %uint 100
%main = OpFunction %void None %type
%entry = OpLabel
%all = OpLoad %v3 %id
%item = OpCompositeExtract %uint %all 0
        OpBranch %head
%head = OpLabel
   %i = OpPhi %uint %item %entry %next %again
        OpLoopMerge %after %again None
        OpBranch %body
%body = OpLabel
%from = OpAccessChain %pi %buffer %c0 %i
   %n = OpLoad %uint %from
  %is = OpULessThan %bool %n %c100
        OpBranchConditional %is %again %after
%again = OpLabel
%next = OpIAdd %uint %i %c1
        OpBranch %head
%after = OpLabel
 %at = OpIAdd %uint %item %c16
 %to = OpAccessChain %pi %buffer %c0 %at
        OpStore %to %n
        OpReturn
        OpFunctionEnd
CODE
cat >run.c <<'CODE'
#include <stdio.h>
#include <stdlib.h>
#include <vulkan/vulkan.h>
#define DO(call) if ((call) != VK_SUCCESS) return puts(#call), 2
#define INFO(TYPE) .sType = VK_STRUCTURE_TYPE_##TYPE
int main(void) {
  VkApplicationInfo application = {INFO(APPLICATION_INFO), .apiVersion = VK_API_VERSION_1_1};
  VkInstanceCreateInfo forInstance = {INFO(INSTANCE_CREATE_INFO), .pApplicationInfo = &application};
  VkInstance instance;
  DO(vkCreateInstance(&forInstance, NULL, &instance));
  uint32_t one = 1;
  VkPhysicalDevice physical;
  DO(vkEnumeratePhysicalDevices(instance, &one, &physical));
  float priority = 1;
  VkDeviceQueueCreateInfo forQueue = {INFO(DEVICE_QUEUE_CREATE_INFO), .queueCount = 1, .pQueuePriorities = &priority};
  VkDeviceCreateInfo forDevice = {
      INFO(DEVICE_CREATE_INFO), .queueCreateInfoCount = 1, .pQueueCreateInfos = &forQueue};
  VkDevice device;
  DO(vkCreateDevice(physical, &forDevice, NULL, &device));
  VkQueue queue;
  vkGetDeviceQueue(device, 0, 0, &queue);

  VkBufferCreateInfo forBuffer = {INFO(BUFFER_CREATE_INFO), .size = 96, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
  VkBuffer buffer;
  DO(vkCreateBuffer(device, &forBuffer, NULL, &buffer));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device, buffer, &needs);
  VkMemoryAllocateInfo forMemory = {INFO(MEMORY_ALLOCATE_INFO), .allocationSize = needs.size};
  VkDeviceMemory memory;
  DO(vkAllocateMemory(device, &forMemory, NULL, &memory));
  DO(vkBindBufferMemory(device, buffer, memory, 0));
  int* data;
  DO(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, (void**)&data));
  for (int i = 0; i < 16; i++) data[i] = i % 3 == 2 ? 100 + i : i;

  static uint32_t code[4096];
  FILE* file = fopen("loops.spv", "rb");
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

  for (int i = 0; i < 8; i++) printf("%d%c", data[16 + i], i < 7 ? ' ' : '\n');
}
CODE
assembler=$(find root -name spirv-as -type f)
LD_LIBRARY_PATH=$libraries "$assembler" --target-env vulkan1.1 loops.asm -o loops.spv
LD_LIBRARY_PATH=$libraries "${assembler%-as}-val" --target-env vulkan1.1 loops.spv
gcc -I root/usr/include run.c -o run "$(find root -name 'libvulkan.so.1' | head -n 1)"
LD_LIBRARY_PATH=$libraries VK_ICD_FILENAMES=$folder/lavapipe.json ./run >seen || { code=$?; cat seen; exit "$code"; }
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
102 0 0 105 0 0 108 0
SEEN
echo "as described: those that leave the loop early lose what they have found"
