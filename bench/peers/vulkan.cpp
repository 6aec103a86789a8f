#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vulkan/vulkan_raii.hpp>

#include "peer.h"

namespace warpjit::bench {
namespace {

struct Device {
  vk::raii::Context context;
  vk::raii::Instance instance;
  vk::raii::PhysicalDevice physical;
  vk::raii::Device device;
  vk::raii::Queue queue;
  vk::raii::CommandPool pool;

  // Throws vk::SystemError or std::runtime_error.
  Device()
      : instance(make_instance(context)),
        physical(find(instance)),
        device(make_device(physical)),
        queue(device, 0, 0),
        pool(device, vk::CommandPoolCreateInfo({}, 0)) {}
  static Device& get() {
    static Device one;
    return one;
  }

 private:
  static vk::raii::Instance make_instance(const vk::raii::Context& context) {
    setenv("LP_NUM_THREADS", "1", 0);
    const vk::ApplicationInfo application("warpjit bench", 1, nullptr, 0, VK_API_VERSION_1_1);
    return {context, vk::InstanceCreateInfo({}, &application)};
  }
  static vk::raii::PhysicalDevice find(const vk::raii::Instance& instance) {
    for (vk::raii::PhysicalDevice& candidate : vk::raii::PhysicalDevices(instance))
      if (candidate.getProperties().deviceType == vk::PhysicalDeviceType::eCpu) return std::move(candidate);
    throw std::runtime_error("no CPU device");
  }
  static vk::raii::Device make_device(const vk::raii::PhysicalDevice& physical) {
    const float priority = 1;
    const vk::DeviceQueueCreateInfo queue({}, 0, 1, &priority);
    return {physical, vk::DeviceCreateInfo({}, queue)};
  }
};

// Memory that the host sees.
struct Buffer {
  vk::raii::Buffer buffer;
  vk::raii::DeviceMemory memory;
  std::size_t words;

  Buffer(const Device& device, std::span<const std::uint32_t> contents)
      : buffer(device.device,
               vk::BufferCreateInfo({}, contents.size_bytes(), vk::BufferUsageFlagBits::eStorageBuffer)),
        memory(allocate(device, buffer)),
        words(contents.size()) {
    buffer.bindMemory(*memory, 0);
    std::memcpy(memory.mapMemory(0, VK_WHOLE_SIZE), contents.data(), contents.size_bytes());
    memory.unmapMemory();
  }

 private:
  static vk::raii::DeviceMemory allocate(const Device& device, const vk::raii::Buffer& buffer) {
    const vk::MemoryRequirements needed = buffer.getMemoryRequirements();
    const auto wanted = vk::MemoryPropertyFlagBits::eHostVisible | vk::MemoryPropertyFlagBits::eHostCoherent;
    const vk::PhysicalDeviceMemoryProperties types = device.physical.getMemoryProperties();
    for (std::uint32_t k = 0; k < types.memoryTypeCount; ++k)
      if ((needed.memoryTypeBits >> k & 1) != 0 && (types.memoryTypes[k].propertyFlags & wanted) == wanted)
        return {device.device, vk::MemoryAllocateInfo(needed.size, k)};
    throw std::runtime_error("no memory that the host sees");
  }
};

vk::raii::ShaderModule load(const Device& device, const std::string& kernel) {
  std::ifstream in(WARPJIT_PEER_SHADERS + kernel + ".spv", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (bytes.empty()) throw std::runtime_error("no " + kernel + ".spv");
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return {device.device, vk::ShaderModuleCreateInfo({}, words)};
}

class VulkanKernel final : public PeerKernel {
 public:
  explicit VulkanKernel(const PeerLaunch& launch)
      : device_(Device::get()),
        set_layout_(make_set_layout(launch.words.size())),
        layout_(device_.device, vk::PipelineLayoutCreateInfo({}, *set_layout_)),
        pipeline_(make_pipeline(launch.kernel)),
        pool_(make_pool(launch.words.size())),
        set_(std::move(vk::raii::DescriptorSets(device_.device,
                                                vk::DescriptorSetAllocateInfo(*pool_, *set_layout_))[0])),
        commands_(std::move(vk::raii::CommandBuffers(
            device_.device,
            vk::CommandBufferAllocateInfo(*device_.pool, vk::CommandBufferLevel::ePrimary, 1))[0])),
        fence_(device_.device, vk::FenceCreateInfo()) {
    for (std::uint32_t k = 0; k < launch.words.size(); ++k) {
      buffers_.emplace_back(device_, launch.words[k]);
      const vk::DescriptorBufferInfo info(*buffers_.back().buffer, 0, VK_WHOLE_SIZE);
      device_.device.updateDescriptorSets(
          vk::WriteDescriptorSet(*set_, k, 0, vk::DescriptorType::eStorageBuffer, {}, info), {});
    }
    commands_.begin(vk::CommandBufferBeginInfo());
    commands_.bindPipeline(vk::PipelineBindPoint::eCompute, *pipeline_);
    commands_.bindDescriptorSets(vk::PipelineBindPoint::eCompute, *layout_, 0, *set_, {});
    commands_.dispatch(launch.groups[0], launch.groups[1], 1);
    commands_.end();
  }
  void run() override {
    device_.queue.submit(vk::SubmitInfo({}, {}, *commands_), *fence_);
    if (device_.device.waitForFences(*fence_, VK_TRUE, ~std::uint64_t{0}) != vk::Result::eSuccess)
      throw std::runtime_error("the kernel did not end");
    device_.device.resetFences(*fence_);
  }
  std::vector<std::uint32_t> read(std::size_t buffer) override {
    const Buffer& from = buffers_[buffer];
    std::vector<std::uint32_t> words(from.words);
    std::memcpy(words.data(), from.memory.mapMemory(0, VK_WHOLE_SIZE), words.size() * 4);
    from.memory.unmapMemory();
    return words;
  }

 private:
  vk::raii::DescriptorSetLayout make_set_layout(std::size_t buffers) {
    std::vector<vk::DescriptorSetLayoutBinding> bindings;
    for (std::uint32_t k = 0; k < buffers; ++k)
      bindings.emplace_back(k, vk::DescriptorType::eStorageBuffer, 1, vk::ShaderStageFlagBits::eCompute);
    return {device_.device, vk::DescriptorSetLayoutCreateInfo({}, bindings)};
  }
  vk::raii::Pipeline make_pipeline(const std::string& kernel) {
    const vk::raii::ShaderModule module = load(device_, kernel);
    const vk::PipelineShaderStageCreateInfo stage({}, vk::ShaderStageFlagBits::eCompute, *module, "main");
    return {device_.device, nullptr, vk::ComputePipelineCreateInfo({}, stage, *layout_)};
  }
  vk::raii::DescriptorPool make_pool(std::size_t buffers) {
    const vk::DescriptorPoolSize size(vk::DescriptorType::eStorageBuffer,
                                      static_cast<std::uint32_t>(buffers));
    return {device_.device,
            vk::DescriptorPoolCreateInfo(vk::DescriptorPoolCreateFlagBits::eFreeDescriptorSet, 1, size)};
  }

  Device& device_;
  vk::raii::DescriptorSetLayout set_layout_;
  vk::raii::PipelineLayout layout_;
  vk::raii::Pipeline pipeline_;
  vk::raii::DescriptorPool pool_;
  vk::raii::DescriptorSet set_;
  vk::raii::CommandBuffer commands_;
  vk::raii::Fence fence_;
  std::vector<Buffer> buffers_;
};

}  // namespace

std::unique_ptr<PeerKernel> make_vulkan(const PeerLaunch& launch, std::string& why_not) {
  try {
    return std::make_unique<VulkanKernel>(launch);
  } catch (const std::exception& error) {  // vk::SystemError is one
    why_not = std::string("Vulkan: ") + error.what();
    return nullptr;
  }
}

}  // namespace warpjit::bench
