#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# In Mesa's Vulkan driver for processors, a signed 64-bit number is greater than each constant.
#
# Expected  OpSGreaterThan of a number of 64 bits and a constant compares them. The driver reports shaderInt64.
# Happens   the result is true for all numbers, and that of OpSLessThan false. A comparison with a number that is no constant is
#           right, and so are unsigned ones. In a loop of few rounds, the counter is such a constant: the driver unrolls it.
# Version   Mesa 22.3.6 with LLVM 15.0.6 (Debian 12, x86-64), vectors of 256 and of 128 bits.
# Meets it  whoever tests kernels with 64-bit indexes on lavapipe: `if (row > 0)` is taken in row 0, and in
#           `for (m = 0; m < 16; m++) if (row <= m) ...` nothing is ever done.
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
# Eight numbers of 32 bits, which become 64 bits wide: compared with the constant 0, with a 0 from the buffer, and with the
# counter of a loop of four rounds, which adds up how often they are greater.
cat >compare.asm <<'CODE'
       OpCapability Shader
       OpCapability Int64
       OpMemoryModel Logical GLSL450
       OpEntryPoint GLCompute %main "main" %id
       OpExecutionMode %main LocalSize 8 1 1
       OpDecorate %id BuiltIn LocalInvocationId
       OpDecorate %ints ArrayStride 4
       OpDecorate %block BufferBlock
       OpMemberDecorate %block 0 Offset 0
       OpDecorate %buffer DescriptorSet 0
       OpDecorate %buffer Binding 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
 %int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%long = OpTypeInt 64 1
  %v3 = OpTypeVector %uint 3
%ints = OpTypeRuntimeArray %int
%block = OpTypeStruct %ints
 %pb = OpTypePointer Uniform %block
 %pi = OpTypePointer Uniform %int
 %pv = OpTypePointer Input %v3
 %id = OpVariable %pv Input
%buffer = OpVariable %pb Uniform
  %i0 = OpConstant %int 0
  %i1 = OpConstant %int 1
  %u8 = OpConstant %uint 8
 %u16 = OpConstant %uint 16
 %u24 = OpConstant %uint 24
  %l0 = OpConstant %long 0
  %l1 = OpConstant %long 1
  %l4 = OpConstant %long 4
 %u32 = OpConstant %uint 32
%main = OpFunction %void None %type
%entry = OpLabel
 %all = OpLoad %v3 %id
   %x = OpCompositeExtract %uint %all 0
  %p0 = OpAccessChain %pi %buffer %i0 %x
  %n0 = OpLoad %int %p0
   %n = OpSConvert %long %n0
  %p1 = OpAccessChain %pi %buffer %i0 %u24
  %z0 = OpLoad %int %p1
   %z = OpSConvert %long %z0
  %b0 = OpSGreaterThan %bool %n %l0
  %r0 = OpSelect %int %b0 %i1 %i0
  %a0 = OpIAdd %uint %x %u8
  %q0 = OpAccessChain %pi %buffer %i0 %a0
        OpStore %q0 %r0
  %b1 = OpSGreaterThan %bool %n %z
  %r1 = OpSelect %int %b1 %i1 %i0
  %a1 = OpIAdd %uint %x %u16
  %q1 = OpAccessChain %pi %buffer %i0 %a1
        OpStore %q1 %r1
        OpBranch %head
%head = OpLabel
   %m = OpPhi %long %l0 %entry %mn %next
 %sum = OpPhi %int %i0 %entry %su %next
  %go = OpINotEqual %bool %m %l4
        OpLoopMerge %done %next None
        OpBranchConditional %go %body %done
%body = OpLabel
  %b2 = OpSGreaterThan %bool %n %m
  %r2 = OpSelect %int %b2 %i1 %i0
  %su = OpIAdd %int %sum %r2
        OpBranch %next
%next = OpLabel
  %mn = OpIAdd %long %m %l1
        OpBranch %head
%done = OpLabel
  %a2 = OpIAdd %uint %x %u32
  %q2 = OpAccessChain %pi %buffer %i0 %a2
        OpStore %q2 %sum
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
  VkPhysicalDeviceFeatures features;
  vkGetPhysicalDeviceFeatures(physical, &features);
  if (!features.shaderInt64) return puts("no shaderInt64"), 2;
  float priority = 1;
  VkDeviceQueueCreateInfo forQueue = {INFO(DEVICE_QUEUE_CREATE_INFO), .queueCount = 1, .pQueuePriorities = &priority};
  VkPhysicalDeviceFeatures used = {.shaderInt64 = VK_TRUE};
  VkDeviceCreateInfo forDevice = {
      INFO(DEVICE_CREATE_INFO), .queueCreateInfoCount = 1, .pQueueCreateInfos = &forQueue, .pEnabledFeatures = &used};
  VkDevice device;
  DO(vkCreateDevice(physical, &forDevice, NULL, &device));
  VkQueue queue;
  vkGetDeviceQueue(device, 0, 0, &queue);

  VkBufferCreateInfo forBuffer = {INFO(BUFFER_CREATE_INFO), .size = 160, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
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
  for (int i = 0; i < 8; i++) data[i] = i - 3;
  data[24] = 0;

  static uint32_t code[4096];
  FILE* file = fopen("compare.spv", "rb");
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

  printf("constant:");
  for (int i = 0; i < 8; i++) printf(" %d>0:%d", data[i], data[8 + i]);
  printf("\nnumber:  ");
  for (int i = 0; i < 8; i++) printf(" %d>0:%d", data[i], data[16 + i]);
  printf("\nloop:    ");
  for (int i = 0; i < 8; i++) printf(" %d:%d", data[i], data[32 + i]);
  puts("");
}
CODE
assembler=$(find root -name spirv-as -type f)
LD_LIBRARY_PATH=$libraries "$assembler" --target-env vulkan1.1 compare.asm -o compare.spv
LD_LIBRARY_PATH=$libraries "${assembler%-as}-val" --target-env vulkan1.1 compare.spv
gcc -I root/usr/include run.c -o run "$(find root -name 'libvulkan.so.1' | head -n 1)"
LD_LIBRARY_PATH=$libraries VK_ICD_FILENAMES=$folder/lavapipe.json ./run >seen || { code=$?; cat seen; exit "$code"; }
diff - seen <<'SEEN' || { echo "this has changed"; exit 1; }
constant: -3>0:1 -2>0:1 -1>0:1 0>0:1 1>0:1 2>0:1 3>0:1 4>0:1
number:   -3>0:0 -2>0:0 -1>0:0 0>0:0 1>0:1 2>0:1 3>0:1 4>0:1
loop:     -3:4 -2:4 -1:4 0:4 1:4 2:4 3:4 4:4
SEEN
echo "as described: each number is greater than a constant"
