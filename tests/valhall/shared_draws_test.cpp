// Draws and framebuffers of the shared corpus: descriptors are what pandecode.txt says.
#include <filesystem>
#include <map>

#include "frontend/valhall/container/draw.h"
#include "frontend/valhall/container/framebuffer.h"
#include "frontend/valhall/container/texture.h"
#include "support/unpacked.h"
#include "valhall/listing.h"

namespace warpjit::valhall {
namespace {

using Names = std::map<std::string, unsigned>;

// The number of a name of the listing.
unsigned number_of(const Names& names, const Section& section, const std::string& key, std::size_t n = 0) {
  const auto found = names.find(section.at(key, n));
  if (found != names.end()) return found->second;
  ADD_FAILURE() << key << ": " << section.at(key, n);
  return 0;
}

const Names kFunctions = {{"Never", 0},   {"Less", 1},      {"Equal", 2},  {"Lequal", 3},
                          {"Greater", 4}, {"Not Equal", 5}, {"Gequal", 6}, {"Always", 7}};
const Names kOperations = {{"Keep", 0},      {"Replace", 1},   {"Zero", 2},     {"Invert", 3},
                           {"Incr Wrap", 4}, {"Decr Wrap", 5}, {"Incr Sat", 6}, {"Decr Sat", 7}};
const Names kTimes = {{"Force Early", 0}, {"Strong Early", 1}, {"Weak Early", 2}, {"Force Late", 3}};
const Names kSources = {{"Minimum", 0}, {"Maximum", 1}, {"Fixed function", 2}, {"Shader", 3}};
const Names kA = {{"Zero", 1}, {"Src", 2}, {"Dest", 3}};
const Names kB = {{"Src Minus Dest", 0}, {"Src Plus Dest", 1}, {"Src", 2}, {"Dest", 3}};
const Names kC = {{"Zero", 1},      {"Src", 2},        {"Dest", 3},    {"Src x 2", 4},
                  {"Src Alpha", 5}, {"Dest Alpha", 6}, {"Constant", 7}};
const Names kModes = {{"Shader", 0}, {"Opaque", 1}, {"Fixed-Function", 2}, {"Off", 3}};
const Names kWraps = {
    {"Repeat", 8},           {"Clamp to Edge", 9},           {"Clamp to Border", 11},
    {"Mirrored Repeat", 12}, {"Mirrored Clamp to Edge", 13}, {"Mirrored Clamp to Border", 15}};
const Names kMips = {{"Nearest", 0}, {"None", 1}, {"Trilinear", 3}};
const Names kDimensions = {{"Cube", 0}, {"1D", 1}, {"2D", 2}, {"3D", 3}};
const Names kClumps = {{"RAW8", 0}, {"RAW16", 1}, {"RAW32", 2}, {"RAW64", 3}, {"RAW128", 4}};
const Names kOrderings = {{"Tiled U-Interleaved", 1}, {"Linear", 2}};
const Names kPixelFormats = {
    {"RGBA8 UNORM RGBA", 187U << 12}, {"RGBA8 TB RGBA", 237U << 12}, {"Z24X8 UNORM RGBA", 77U << 12}};
const Names kBlocks = {{"No Write", 0}, {"Tiled U-Interleaved", 1}, {"Linear", 2}, {"AFBC", 12}};

void expect_depth_stencil(const Section& listed, const DepthStencilDescriptor& d) {
  const auto side = [&](const std::string& which, const StencilSide& s) {
    EXPECT_EQ(s.function, number_of(kFunctions, listed, which + " compare function"));
    EXPECT_EQ(s.fail, number_of(kOperations, listed, which + " stencil fail"));
    EXPECT_EQ(s.depth_fail, number_of(kOperations, listed, which + " depth fail"));
    EXPECT_EQ(s.depth_pass, number_of(kOperations, listed, which + " depth pass"));
    EXPECT_EQ(s.write_mask, listed.number(which + " write mask"));
    EXPECT_EQ(s.value_mask, listed.number(which + " value mask"));
    EXPECT_EQ(s.reference, listed.number(which + " reference value"));
  };
  side("Front", d.front);
  side("Back", d.back);
  EXPECT_EQ(d.stencil_test, listed.truth("Stencil test enable"));
  EXPECT_EQ(d.stencil_from_shader, listed.truth("Stencil from shader"));
  EXPECT_EQ(d.clamp_to_bounds, listed.at("Depth clamp mode") == "Bounds");
  EXPECT_EQ(static_cast<unsigned>(d.depth_source), number_of(kSources, listed, "Depth source"));
  EXPECT_EQ(d.depth_write, listed.truth("Depth write enable"));
  EXPECT_EQ(d.depth_bias, listed.truth("Depth bias enable"));
  EXPECT_EQ(d.depth_function, number_of(kFunctions, listed, "Depth function"));
  EXPECT_EQ(d.units, std::stof(listed.at("Depth units")));
  EXPECT_EQ(d.factor, std::stof(listed.at("Depth factor")));
  EXPECT_EQ(d.bias_clamp, std::stof(listed.at("Depth bias clamp")));
}

void expect_blend(const Section& listed, const BlendDescriptor& d) {
  EXPECT_EQ(d.alpha_to_one, listed.truth("Alpha To One"));
  EXPECT_EQ(d.enable, listed.truth("Enable"));
  EXPECT_EQ(d.srgb, listed.truth("sRGB"));
  EXPECT_EQ(d.constant, listed.number("Constant"));
  const auto function = [&](const BlendFunction& f, std::size_t n) {
    EXPECT_EQ(f.a, number_of(kA, listed, "A", n));
    EXPECT_EQ(f.b, number_of(kB, listed, "B", n));
    EXPECT_EQ(f.c, number_of(kC, listed, "C", n));
    EXPECT_EQ(f.negate_a, listed.truth("Negate A", n));
    EXPECT_EQ(f.negate_b, listed.truth("Negate B", n));
    EXPECT_EQ(f.invert_c, listed.truth("Invert C", n));
  };
  function(d.color, 0);
  function(d.alpha, 1);
  EXPECT_EQ(d.mask, listed.number("Color Mask"));
  EXPECT_EQ(static_cast<unsigned>(d.mode), number_of(kModes, listed, "Mode"));
  EXPECT_EQ(d.components, listed.number("Num Comps"));
  EXPECT_EQ(d.target, listed.number("RT"));
  EXPECT_EQ(d.format, number_of(kPixelFormats, listed, "Format (v7)"));
  EXPECT_EQ(d.raw, listed.truth("Raw"));
}

void expect_sampler(const Section& listed, const SamplerDescriptor& d) {
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_EQ(d.wrap[k], number_of(kWraps, listed, std::string("Wrap Mode ") + "STR"[k]));
  EXPECT_EQ(d.keep_srgb, listed.truth("sRGB override"));
  EXPECT_EQ(d.seamless, listed.truth("Seamless Cube Map"));
  EXPECT_EQ(d.normalized, listed.truth("Normalized Coordinates"));
  EXPECT_EQ(d.minify_nearest, listed.truth("Minify nearest"));
  EXPECT_EQ(d.magnify_nearest, listed.truth("Magnify nearest"));
  EXPECT_EQ(d.magnify_cutoff, listed.truth("Magnify cutoff"));
  EXPECT_EQ(d.mip, number_of(kMips, listed, "Mipmap Mode"));
  EXPECT_EQ(d.compare, number_of(kFunctions, listed, "Compare Function"));
  EXPECT_EQ(d.minimum_lod, listed.number("Minimum LOD"));
  EXPECT_EQ(d.maximum_lod, listed.number("Maximum LOD"));
  EXPECT_EQ(d.bias, static_cast<std::int64_t>(listed.number("LOD bias")));
  EXPECT_EQ(d.anisotropy, listed.number("Maximum anisotropy"));
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_EQ(d.border[k], listed.number(std::string("Border Color ") + "RGBA"[k]));
}

void expect_texture(const Image& image, const Section& listed, const TextureDescriptor& d) {
  EXPECT_EQ(static_cast<unsigned>(d.kind), number_of(kDimensions, listed, "Dimension"));
  EXPECT_EQ(d.format, number_of(kPixelFormats, listed, "Format (v7)"));
  EXPECT_EQ(d.width, listed.number("Width"));
  EXPECT_EQ(d.height, listed.number("Height"));
  EXPECT_EQ(d.swizzle, listed.number("Swizzle"));
  EXPECT_EQ(d.interleaved, listed.truth("Texel interleave"));
  EXPECT_EQ(d.levels, listed.number("Levels"));
  EXPECT_EQ(d.minimum_level, listed.number("Minimum level"));
  EXPECT_EQ(d.minimum_lod, listed.number("Minimum LOD"));
  EXPECT_EQ(d.maximum_lod, listed.number("Maximum LOD"));
  EXPECT_EQ(d.samples, listed.number("Sample count"));
  EXPECT_EQ(d.surfaces, listed.number("Surfaces"));
  EXPECT_EQ(d.layers, listed.number("Array size"));
  EXPECT_EQ(d.depth, listed.number("Depth"));
  const auto planes = read_planes(image, d);
  ASSERT_TRUE(planes.ok()) << to_string(planes.error());
  for (std::size_t n = 0; n < planes->size(); ++n) {
    const PlaneDescriptor& plane = (*planes)[n];
    const Section part = listed.part("Plane " + std::to_string(n), 0);
    EXPECT_EQ(plane.kind == 1, part.at("Plane type") == "Generic");
    EXPECT_EQ(plane.ordering, number_of(kOrderings, part, "Clump ordering"));
    EXPECT_EQ(plane.clump, number_of(kClumps, part, "Clump format"));
    EXPECT_EQ(plane.size, part.number("Size"));
    EXPECT_EQ(plane.memory, part.number("Pointer"));
    EXPECT_EQ(plane.row_stride, part.number("Row stride"));
    EXPECT_EQ(plane.slice_stride, part.number("Slice stride"));
  }
}

std::size_t samplers_seen = 0, textures_seen = 0, targets_seen = 0;

void expect_resources(const Image& image, Listing& listing, const Environment& environment) {
  for (std::uint32_t n = 0; n < environment.tables.size(); ++n) {
    const Section& section = listing.next("Entry " + std::to_string(n));
    std::size_t samplers = 0, textures = 0;
    for (std::uint32_t k = 0; k < environment.tables[n].count(); ++k) {
      const auto sampler = read_sampler(image, environment, n, k);
      const auto texture = read_texture(image, environment, n, k);
      ASSERT_TRUE(sampler.ok() && texture.ok());
      if (*sampler) expect_sampler(section.part("Sampler", samplers++), **sampler);
      if (*texture) expect_texture(image, section.part("Texture", textures++), **texture);
    }
    EXPECT_EQ(section.part("Sampler", samplers).fields.size(), 0U);
    EXPECT_EQ(section.part("Texture", textures).fields.size(), 0U);
    samplers_seen += samplers;
    textures_seen += textures;
  }
}

void expect_draw(const Image& image, Listing& listing, const Job& job) {
  const auto draw = read_draw(image, job);
  ASSERT_TRUE(draw.ok()) << to_string(draw.error());
  const Section& scissor = listing.next("Scissor");
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string axis(1, "XY"[k]);
    EXPECT_EQ(draw->scissor_first[k], scissor.number("Scissor Minimum " + axis));
    EXPECT_EQ(draw->scissor_last[k], scissor.number("Scissor Maximum " + axis));
  }
  EXPECT_EQ(draw->size, std::stof(listing.next("Primitive Size").at("Constant")));
  const Section& payload = listing.next("Tiler Job Payload");
  const auto tiler = read_tiler(image, "", std::get<MallocVertexPayload>(job.payload).tiler);
  ASSERT_TRUE(tiler.ok());
  EXPECT_EQ(tiler->first_provoking, payload.truth("First provoking vertex"));
  EXPECT_EQ(tiler->width, payload.number("FB Width"));
  EXPECT_EQ(tiler->height, payload.number("FB Height"));
  expect_depth_stencil(listing.next("Depth/stencil  Type"), draw->depth_stencil);
  for (std::size_t n = 0; n < draw->blend.size(); ++n)
    expect_blend(listing.next("Blend RT " + std::to_string(n)), draw->blend[n]);
  expect_resources(image, listing, draw->fragment);
  const Section& listed = listing.next("Draw");
  EXPECT_EQ(static_cast<unsigned>(draw->pixel_kill), number_of(kTimes, listed, "Pixel kill operation"));
  EXPECT_EQ(static_cast<unsigned>(draw->depth_update), number_of(kTimes, listed, "ZS update operation"));
  EXPECT_EQ(draw->front_counterclockwise, listed.truth("Front face CCW"));
  EXPECT_EQ(draw->cull_front, listed.truth("Cull front face"));
  EXPECT_EQ(draw->cull_back, listed.truth("Cull back face"));
  EXPECT_EQ(draw->sample_mask, listed.number("Sample mask"));
  EXPECT_EQ(draw->target_mask, listed.number("Render target mask"));
  EXPECT_EQ(draw->minimum_depth, std::stof(listed.at("Minimum Z")));
  EXPECT_EQ(draw->maximum_depth, std::stof(listed.at("Maximum Z")));
  EXPECT_EQ(draw->depth_stencil.address, listed.number("Depth/stencil"));
  EXPECT_EQ(draw->blend.size(), listed.number("Blend count"));
  EXPECT_EQ(draw->blend.at(0).address, listed.number("Blend"));
  EXPECT_EQ(draw->fragment.program->address, listed.number("Shader", 1));
}

void expect_framebuffer(const Image& image, Listing& listing, const Job& job) {
  const auto read = read_framebuffer(image, job);
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  const Framebuffer& f = *read;
  const Section& listed = listing.next("Framebuffer");
  EXPECT_EQ(f.width, listed.number("Width"));
  EXPECT_EQ(f.height, listed.number("Height"));
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string axis(1, "XY"[k]);
    EXPECT_EQ(f.first[k], listed.number("Bound Min " + axis));
    EXPECT_EQ(f.last[k], listed.number("Bound Max " + axis));
  }
  EXPECT_EQ(f.frame_argument, listed.number("Frame argument"));
  EXPECT_EQ(f.first_provoking, listed.truth("First provoking vertex"));
  EXPECT_EQ(f.points_from_bottom, listed.truth("Point sprite coord origin max Y"));
  EXPECT_EQ(f.targets.size(), listed.number("Render Target Count"));
  EXPECT_EQ(f.depth_format, DepthFormat::d24);
  EXPECT_EQ(listed.at("Z Internal Format"), "D24");
  EXPECT_EQ(f.depth_clear, std::stof(listed.at("Z Clear")));
  EXPECT_EQ(f.stencil_clear, listed.number("S Clear"));
  EXPECT_EQ(f.depth_write, listed.truth("Z Write Enable"));
  EXPECT_EQ(f.stencil_write, listed.truth("S Write Enable"));
  EXPECT_EQ(f.tiler, listed.number("Tiler"));
  EXPECT_EQ(f.depth.has_value(), listed.truth("Has ZS CRC Extension"));
  const Section& extension = listing.next("ZS CRC Extension");
  EXPECT_EQ(f.depth->format, 5);
  EXPECT_EQ(extension.at("ZS Write Format"), "D24S8");
  EXPECT_EQ(static_cast<unsigned>(f.depth->blocks), number_of(kBlocks, extension, "ZS Block Format"));
  EXPECT_EQ(static_cast<unsigned>(f.stencil->blocks), number_of(kBlocks, extension, "S Block Format"));
  EXPECT_EQ(f.depth->memory, extension.number("ZS Writeback Base"));
  EXPECT_EQ(f.depth->row_stride, extension.number("ZS Writeback Row Stride"));
  EXPECT_EQ(f.depth_write_clean, extension.truth("ZS Clean Pixel Write Enable"));
  const Section& targets = listing.next("Color Render Targets");
  for (std::size_t n = 0; n < f.targets.size(); ++n) {
    const RenderTarget& target = f.targets[n];
    const Section part = targets.part("Color Render Target " + std::to_string(n), 0);
    EXPECT_EQ(target.tile_format, 1);
    EXPECT_EQ(part.at("Internal Format"), "R8G8B8A8");
    EXPECT_EQ(target.stored_format, 19);
    EXPECT_EQ(part.at("Writeback Format"), "R8G8B8A8");
    EXPECT_EQ(static_cast<unsigned>(target.blocks), number_of(kBlocks, part, "Writeback Block Format"));
    EXPECT_EQ(target.write, part.truth("Write Enable"));
    EXPECT_EQ(target.write_clean, part.truth("Clean Pixel Write Enable"));
    EXPECT_EQ(target.srgb, part.truth("sRGB"));
    EXPECT_EQ(target.swizzle, part.number("Swizzle", 1));
    EXPECT_EQ(target.memory, part.number("Base"));
    EXPECT_EQ(target.row_stride, part.number("Row Stride"));
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(target.clear[k], part.number("Color " + std::to_string(k)));
    ++targets_seen;
  }
}

TEST(ValhallSharedDraws, Fields) {
  if (!std::filesystem::is_directory(corpus(""))) GTEST_SKIP() << "the shared corpus is not there";
  for (const auto& entry : std::filesystem::directory_iterator(corpus(""))) {
    const std::string folder = entry.path().string();
    const auto bytes = tests::unpacked(folder + "/mem.pages.xz");
    if (bytes.empty()) continue;
    SCOPED_TRACE(folder);
    const auto image = Image::read(bytes, folder);
    ASSERT_TRUE(image.ok()) << to_string(image.error());
    std::ifstream text(folder + "/pandecode.txt");
    Listing listing(folder + "/pandecode.txt");
    for (std::string line; std::getline(text, line);) {
      if (!line.starts_with("Job Header (")) continue;
      const auto job = read_job(*image, std::strtoull(line.c_str() + 12, nullptr, 16));
      ASSERT_TRUE(job.ok()) << to_string(job.error());
      if (job->kind == JobKind::malloc_vertex) expect_draw(*image, listing, *job);
      if (job->kind == JobKind::fragment) expect_framebuffer(*image, listing, *job);
    }
  }
  EXPECT_GE(samplers_seen, 18U);
  EXPECT_GE(textures_seen, 6U);
  EXPECT_GE(targets_seen, 19U);
}

}  // namespace
}  // namespace warpjit::valhall
