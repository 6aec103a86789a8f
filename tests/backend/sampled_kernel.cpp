#include "backend/sampled_kernel.h"

#include <algorithm>

#include "frontend/interpret/textures/sample.h"
#include "frontend/textures/facts.h"

namespace warpjit::backend {
namespace {

using textures::TextureView;

constexpr std::uint32_t kFirstWord = 64;  // of the sample in the table

ir::Function sampling_function(const ir::SampleKey& key, const ir::SampleUse& use) {
  ir::Function f;
  f.name = "sample";
  f.input_count = 2;
  f.output_count = 1;
  f.uniform_bytes = (kFirstWord + ir::sample_words::kBytes + 63) / 64 * 64;
  f.texture_count = 1;
  f.samples = {{key, kFirstWord}};
  ir::Builder b(f);
  b.set_block(f.add_block());
  const auto first = b.LoadInput(0), second = b.LoadInput(1);
  const auto word = [&](ir::F32 x) { return b.BitcastF32ToI32(x); };
  const auto found = b.Sample(b.constant(true), word(first[0]), word(first[1]), word(first[2]),
                              word(first[3]), word(second[0]), word(second[1]), use.pack());
  const auto real = [&](ir::I32 x) { return b.BitcastI32ToF32(x); };
  b.StoreOutput(b.constant(true), real(found[0]), real(found[1]), real(found[2]), real(found[3]), 0);
  b.ret();
  return f;
}

}  // namespace

std::string text_of(const BoundTexture& bound, const ir::SampleUse& use) {
  const Texture& t = bound.texture;
  std::string text = std::string(name(t.format).value_or("?")) + " " + std::to_string(t.width) + "x" +
                     std::to_string(t.height) + "x" + std::to_string(t.depth_extent) + ", dimension " +
                     std::to_string(static_cast<int>(t.dimension)) + ", layout " +
                     std::to_string(static_cast<int>(t.layout)) + ", levels " + std::to_string(t.levels) +
                     (t.array ? ", array, wraps" : ", wraps");
  for (const Wrap wrap : bound.sampler.wrap) text += " " + std::to_string(static_cast<int>(wrap));
  text += ", filters " + std::to_string(static_cast<int>(bound.sampler.magnify)) +
          std::to_string(static_cast<int>(bound.sampler.minify)) +
          std::to_string(static_cast<int>(bound.sampler.mip));
  if (bound.sampler.compare) text += ", compares";
  return text + ", " + std::string(ir::name(use.operation));
}

SampledKernel::SampledKernel(const ir::SampleKey& key, const ir::SampleUse& use, const Setting& setting)
    : key_(key), use_(use) {
  make(setting);
}

void SampledKernel::make(const Setting& setting) {
  const ir::Function f = sampling_function(key_, use_);
  ir::PipelineOptions options;
  options.verify = true;
  auto program = ir::run_pipeline(f, options);
  ASSERT_TRUE(program.ok()) << to_string(program.error());
  const MachineCode code = compile(*program, setting);
  options.optimize = false;
  auto reference = ir::run_pipeline(f, options);
  ASSERT_TRUE(reference.ok()) << to_string(reference.error());
  reference_ = std::move(*reference);
  auto interpreter = ir::Interpreter::prepare(reference_->kernel, 16);
  ASSERT_TRUE(interpreter.ok()) << to_string(interpreter.error());
  interpreter_ = std::move(*interpreter);
  if (!code.bytes.empty()) code_.emplace(code);
}

Launch SampledKernel::launch_of(const BoundTexture& bound, std::span<const SampleOperands> threads,
                                std::uint32_t table_bytes) const {
  Launch launch;
  launch.threads = threads.size();
  launch.textures = {frontend::texel_view(bound.view)};
  for (int k = 0; k < 2; ++k) launch.inputs.emplace_back(threads.size(), 16);
  launch.outputs.emplace_back(threads.size(), 16);
  for (std::size_t t = 0; t < threads.size(); ++t) {
    launch.inputs[0].set(t, {threads[t][0], threads[t][1], threads[t][2], threads[t][3]});
    launch.inputs[1].set(t, {threads[t][4], threads[t][5], 0, 0});
  }
  launch.table.resize(table_bytes / 4);
  frontend::fill_sample_words(bound.view, bound.sampler, std::span(launch.table).subspan(kFirstWord / 4));
  return launch;
}

Words SampledKernel::sampled(const BoundTexture& bound, const SampleOperands& words,
                             std::int32_t implicit) const {
  interpret::SamplePlace place;
  for (unsigned k = 0; k < 3; ++k) {
    place.coordinates[k] = words[k];
    place.offsets[k] = use_.offsets[k];
  }
  place.mirrors_texels = key_.mirrors_texels;
  if (key_.gives_face) place.on_face = {std::min(words[2], 5U), words[0], words[1]};
  place.layer = words[3];
  place.reference = words[4];
  const std::uint32_t last = words[5];
  const auto filtered = [&](std::int32_t detail) {
    return interpret::sample(bound.view, bound.sampler, place, detail);
  };
  // The component of a gather as the first one; of comparisons it is the border's x, whatever the component.
  TextureView view = bound.view;
  Sampler sampler = bound.sampler;
  view.swizzle[0] = view.swizzle[use_.component];
  if (!sampler.compare) {
    sampler.border[0] = textures::border_of(view, sampler)[use_.component];
    sampler.srgb_border.reset();
  }
  interpret::TexelWords found{};
  switch (use_.operation) {
    case ir::SampleOperation::automatic:
      found = filtered(implicit);
      break;
    case ir::SampleOperation::bias:
      found = filtered(implicit + interpret::detail_operand(last));
      break;
    case ir::SampleOperation::lod:
      found = filtered(interpret::detail_operand(last));
      break;
    case ir::SampleOperation::fetch:
      found = interpret::fetch(bound.view, place, static_cast<std::int32_t>(last));
      break;
    case ir::SampleOperation::gather:
      found = interpret::gather(view, sampler, place);
      break;
    case ir::SampleOperation::size:
      found = interpret::query_size(bound.view, last);
      break;
    case ir::SampleOperation::query_lod: {
      const interpret::Detail detail = interpret::resolve_detail(bound.view, bound.sampler, implicit);
      found = {static_cast<std::uint32_t>(detail.clamped), static_cast<std::uint32_t>(detail.unclamped)};
      break;
    }
  }
  for (unsigned k = 0; k < 4; ++k)
    if ((use_.components >> k & 1) == 0) found[k] = 0;
  return found;
}

// The level of detail of a thread, whose quad's coordinates are these.
std::int32_t SampledKernel::detail_from_quad(const BoundTexture& bound, std::span<const SampleOperands> quad,
                                             unsigned thread) const {
  const auto face = [&](unsigned lane) {
    return interpret::FacePlace{std::min(quad[lane][2], 5U), quad[lane][0], quad[lane][1]};
  };
  const auto place = [&](unsigned lane) {
    if (key_.gives_face) return interpret::point_of_cube(face(lane));
    return std::array<std::uint32_t, 3>{quad[lane][0], quad[lane][1], quad[lane][2]};
  };
  std::uint32_t most = 0;
  const auto pair = [&](unsigned a, unsigned b) {
    const auto other = key_.gives_face ? interpret::seen_on_face(place(b), face(a)) : place(b);
    most = interpret::widen_gradient(most, bound.view, place(a), other);
  };
  if (key_.own_levels) {
    pair(thread, thread ^ 1);
    pair(thread, thread ^ 2);
  } else {
    pair(0, 1);
    pair(0, 2);
    if (key_.four_pairs) pair(2, 3);
    if (key_.four_pairs) pair(1, 3);
  }
  return interpret::detail_of(most);
}

void SampledKernel::compare(const BoundTexture& bound, std::span<const SampleOperands> threads) const {
  if (!code_) return;
  Launch wanted = launch_of(bound, threads, reference_->kernel.uniform_bytes);
  const ir::InputBinding inputs[] = {{wanted.inputs[0].first(), 16}, {wanted.inputs[1].first(), 16}};
  const ir::OutputBinding output{wanted.outputs[0].first(), 16};
  ir::Memory memory;
  memory.inputs = inputs;
  memory.outputs = {&output, 1};
  memory.uniform = wanted.table;
  memory.textures = wanted.textures;
  ASSERT_TRUE(interpreter_->run(memory, 0, threads.size(), 1000).ok());

  for (std::size_t t = 0; key_.without_denormals && t < threads.size(); ++t) {
    const std::span<const SampleOperands> quad = threads.subspan(t / 4 * 4, 4);
    const std::int32_t implicit =
        use_.from_quad ? detail_from_quad(bound, quad, t % 4) : interpret::kNoDetail;
    ASSERT_EQ(wanted.outputs[0].get(t), sampled(bound, threads[t], implicit))
        << t << ": " << ::testing::PrintToString(threads[t]);
  }

  Launch launch = launch_of(bound, threads, code_->code().table_bytes);
  EXPECT_EQ(run(*code_, launch).status, KernelStatus::done);
  for (std::size_t t = 0; t < threads.size(); ++t)
    ASSERT_EQ(launch.outputs[0].get(t), wanted.outputs[0].get(t))
        << t << ": " << ::testing::PrintToString(threads[t]);
}

}  // namespace warpjit::backend
