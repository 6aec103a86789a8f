// The draws of the shared corpus by the guest interpreter: their pictures.
#include <png.h>

#include <algorithm>
#include <cstdlib>

#include "base/float_environment.h"
#include "device/usse/state.h"
#include "frontend/usse/container/gxp.h"
#include "frontend/usse/container/texture.h"
#include "frontend/usse/facts/slots.h"
#include "frontend/usse/guest_interpreter.h"
#include "frontend/usse/stage_values.h"
#include "support/engine_ways.h"
#include "support/source_dir.h"
#include "textures/view.h"
#include "usse/launch_file.h"

namespace warpjit::usse {
namespace {

struct Prepared {
  Program program;
  std::unique_ptr<frontend::GuestInterpreter> guest;
  frontend::Values values;
};

Prepared prepare(const LaunchFile& file, const LaunchFile::Stage& stage) {
  Prepared prepared;
  auto program = read_gxp(stage.gxp, "program.gxp");
  EXPECT_TRUE(program.ok()) << to_string(program.error());
  prepared.program = *program;
  auto guest = make_guest_interpreter(prepared.program);
  EXPECT_TRUE(guest.ok()) << to_string(guest.error());
  prepared.guest = std::move(*guest);
  StageValues values;
  std::array<std::vector<std::uint32_t>, kUniformBuffers> buffers;
  for (const auto& [name, words] : stage.uniforms)
    for (const Parameter& parameter : prepared.program.parameters) {
      if (parameter.category != Category::uniform || parameter.name != name) continue;
      std::vector<std::uint32_t>& buffer = buffers.at(parameter.container);
      buffer.resize(std::max<std::size_t>(buffer.size(), parameter.resource + words.size()));
      std::ranges::copy(words, buffer.begin() + parameter.resource);
    }
  for (std::size_t n = 0; n < kUniformBuffers; ++n) values.buffers[n] = buffers[n];
  for (const UniformBufferBinding& buffer : stage.buffers) values.addresses[buffer.buffer] = buffer.address;
  for (const TextureBinding& texture : stage.textures) values.textures[texture.unit] = texture.control;
  prepared.values.words.resize(kMaxRegisters);
  fill_secondary_attributes(prepared.program, values, prepared.values.words);
  for (const Memory& piece : file.memory)
    prepared.values.grid.globals[0].push_back(
        {piece.address, {static_cast<std::byte*>(piece.data), piece.size}});
  return prepared;
}

// Textures, which `kept` holds.
void bind_textures(const LaunchFile& file, frontend::BoundTextures& to, std::vector<BoundTexture>& kept) {
  to.textures.resize(kTextureUnits);
  to.samplers.resize(kTextureUnits);
  for (const TextureBinding& binding : file.fragment.textures) {
    const auto state = read_texture(binding.control);
    ASSERT_TRUE(state.ok()) << to_string(state.error());
    auto bound = bind_texture(*state, [&](std::uint32_t address, std::uint64_t size) {
      for (const Memory& piece : file.memory)
        if (address >= piece.address && address - piece.address + size <= piece.size)
          return std::span(static_cast<const std::byte*>(piece.data) + (address - piece.address),
                           static_cast<std::size_t>(size));
      return std::span<const std::byte>();
    });
    ASSERT_TRUE(bound.ok()) << to_string(bound.error());
    kept.push_back(std::move(*bound));
    const auto view = textures::make_view(kept.back().texture, "texture");
    ASSERT_TRUE(view.ok()) << to_string(view.error());
    to.textures[binding.unit] = std::make_shared<const textures::TextureView>(*view);
    to.samplers[binding.unit] = kept.back().sampler;
  }
}

std::vector<std::uint32_t> shade(const LaunchFile& file, const Prepared& vertex) {
  const std::size_t count = file.stream_bytes.size() / file.stream.stride;
  std::vector<std::uint32_t> rows(count * 64), slots(count * kSlots);
  for (std::size_t n = 0; n < count; ++n)
    for (const VertexAttribute& attribute : file.attributes)
      for (const Parameter& parameter : vertex.program.parameters)
        if (parameter.category == Category::attribute && parameter.resource == attribute.reg) {
          const auto memory = std::span(file.stream_bytes)
                                  .subspan(n * file.stream.stride + attribute.offset,
                                           attribute.components * bytes_of(attribute.format));
          EXPECT_TRUE(store_attribute(parameter, attribute.format, attribute.components, memory,
                                      std::span(rows).subspan(64 * n, 64))
                          .ok());
        }
  frontend::RowFacts facts;
  facts.bound_inputs = 0xffff;
  std::vector<frontend::Rows> inputs, outputs;
  for (std::size_t n = 0; n < 16; ++n)
    inputs.push_back({reinterpret_cast<std::byte*>(rows.data() + 4 * n), 256});
  for (std::size_t n = 0; n < kSlots / 4; ++n) {
    facts.outputs[n] = static_cast<std::uint8_t>(n);
    outputs.push_back({reinterpret_cast<std::byte*>(slots.data() + 4 * n), 4 * kSlots});
  }
  facts.output_count = kSlots / 4;
  const Status ran = vertex.guest->run(vertex.values, {.work = facts}, inputs, outputs, count, 1000);
  EXPECT_TRUE(ran.ok()) << to_string(ran.error());
  return slots;
}

void compare(const LaunchFile& file, const std::vector<std::uint8_t>& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&image, file.picture.string().c_str()), 0);
  image.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> wanted(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, wanted.data(), 0, nullptr), 0);
  ASSERT_EQ(wanted.size(), pixels.size());
  unsigned beyond = 0;
  for (std::size_t pixel = 0; pixel < pixels.size(); pixel += 4) {
    unsigned most = 0;
    for (std::size_t k = pixel; k < pixel + 4; ++k)
      most = std::max(most, static_cast<unsigned>(std::abs(int{pixels[k]} - int{wanted[k]})));
    beyond += most > file.max_difference ? 1 : 0;
  }
  EXPECT_LE(beyond, file.max_pixels_beyond);
}

std::vector<std::filesystem::path> launch_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(tests::corpus_file("usse/launches")))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  EXPECT_EQ(files.size(), tests::has_whole_corpus() ? 13U : 3U);
  return files;
}

TEST(UsseSharedDraws, Pictures) {
  const FloatEnvironment environment;
  for (const std::filesystem::path& path : launch_files()) {
    SCOPED_TRACE(path.string());
    LaunchFile file;
    file.read(path);
    const Prepared vertex = prepare(file, file.vertex);
    Prepared fragment = prepare(file, file.fragment);
    std::vector<BoundTexture> kept;
    bind_textures(file, fragment.values.grid.bound, kept);
    const std::vector<std::uint32_t> slots = shade(file, vertex);
    interpret::PixelWork work;
    const auto raster = convert_raster(file.draw, vertex.program);
    const auto output = convert_output(file.draw, PixelFormat::rgba8, PixelFormat::none,
                                       fragment.program.has(Flag::native_color));
    ASSERT_TRUE(raster.ok() && output.ok());
    work.raster = *raster;
    work.output = *output;
    work.output.colors[0] = PixelFormat::rgba8;
    work.width = file.width;
    work.height = file.height;
    std::vector<std::uint8_t> pixels(std::size_t{4} * file.width * file.height);
    for (std::size_t k = 0; k < pixels.size(); ++k) pixels[k] = file.clear[k % 4];
    work.colors[0] = {reinterpret_cast<std::byte*>(pixels.data()), std::ptrdiff_t{4} * file.width};
    work.vertices = slots;
    work.slots = work.stride = kSlots;
    work.vertex_count = slots.size() / kSlots;
    work.indices = file.indices;
    work.indexed = true;
    work.uses = fragment_uses(fragment.program);
    const Status drawn = fragment.guest->draw(fragment.values, work, 1000);
    ASSERT_TRUE(drawn.ok()) << to_string(drawn.error());
    compare(file, pixels);
  }
}

// The same through the public interface, on every engine and target.
TEST(UsseSharedDraws, Scenes) {
  const Engine engine;
  for (const std::filesystem::path& path : launch_files()) {
    SCOPED_TRACE(path.string());
    LaunchFile file;
    file.read(path);
    const auto vertex = warpjit::Program::load(file.vertex.gxp);
    const auto fragment = warpjit::Program::load(file.fragment.gxp);
    ASSERT_TRUE(vertex.ok()) << to_string(vertex.error());
    ASSERT_TRUE(fragment.ok()) << to_string(fragment.error());
    file.draw.vertex.program = &*vertex;
    file.draw.fragment.program = &*fragment;
    std::vector<std::uint8_t> first;
    for (const test::EngineWay& way : test::engine_ways(engine)) {
      SCOPED_TRACE(way.name);
      std::vector<std::uint8_t> pixels(std::size_t{4} * file.width * file.height);
      for (std::size_t k = 0; k < pixels.size(); ++k) pixels[k] = file.clear[k % 4];
      auto scene = Scene::begin({.width = file.width,
                                 .height = file.height,
                                 .stride = file.width,
                                 .data = pixels.data(),
                                 .size = pixels.size()});
      ASSERT_TRUE(scene.ok()) << to_string(scene.error());
      const auto report = scene->draw(engine, file.draw, way.options);
      ASSERT_TRUE(report.ok()) << to_string(report.error());
      EXPECT_EQ(report->pixels.engine, way.options.engine);
      ASSERT_TRUE(scene->end().ok());
      compare(file, pixels);
      if (first.empty()) first = pixels;
      EXPECT_EQ(pixels, first);
    }
  }
}

}  // namespace
}  // namespace warpjit::usse
