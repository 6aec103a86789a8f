// What launches of fragment programs have: targets, vertices, fixed-function state.
#include <algorithm>
#include <utility>

#include "launch/numbers.h"
#include "launch/pixel_fields.h"
#include "launch/reading.h"
#include "launch/words.h"

namespace warpjit::tool {

namespace {

constexpr std::size_t kMaxIndices = 1 << 26;

std::string format_names(bool depth) {
  std::string names;
  for (unsigned n = 1; n <= static_cast<unsigned>(kLastPixelFormat); ++n)
    if (const auto format = static_cast<PixelFormat>(n); is_depth(format) == depth)
      names += (names.empty() ? "" : ", ") + std::string(name(format));
  return names;
}

// A target's format by its name, or `surface`: by the console's number.
Result<PixelFormat> read_target_format(const Guest& guest, const JsonField& field, bool depth) {
  if (const auto surface = field.find("surface")) {
    if (field.has("format")) return surface->error("takes the place of 'format'");
    WARPJIT_TRY(const std::int64_t number, surface->integer(0, 0xffffffff, 32));
    if (guest.console() == nullptr) return surface->error("this guest has no such surfaces; give 'format'");
    const auto format = guest.console()->read_surface_format(static_cast<std::uint32_t>(number));
    if (!format) return surface->wrap(format.error());
    return *format;
  }
  WARPJIT_TRY(const JsonField format, field.require("format"));
  WARPJIT_TRY(const std::string text, format.string());
  const auto parsed = parse_pixel_format(text);
  if (!parsed || *parsed == PixelFormat::none || is_depth(*parsed) != depth)
    return format.error("'" + text + "' is not a format of " + (depth ? "depth" : "colours") + ": one of " +
                        format_names(depth));
  return *parsed;
}

// What a target holds at first.
Status read_target_data(Reading& reading, const JsonField& field, LaunchTarget& target) {
  const auto data = field.find("data");
  if (!data) return {};
  for (const char* key : {"clear", "stencil"})
    if (field.has(key)) return field.at(key).error("'data' takes its place");
  WARPJIT_TRY(target.data, reading.shared_file(*data));
  const LaunchPixels& pixels = reading.launch.pixels;
  const std::uint64_t wanted = std::uint64_t{pixels.width} * pixels.height * pixel_size(target.format);
  if (target.data->size() == wanted) return {};
  return data->error("has " + std::to_string(target.data->size()) + " bytes, but " +
                     std::to_string(pixels.width) + " x " + std::to_string(pixels.height) + " pixels of " +
                     name(target.format) + " have " + std::to_string(wanted));
}

Status read_target(Reading& reading, const JsonField& field, bool depth, LaunchTarget& target) {
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(depth ? field.expect_keys({"format", "clear", "stencil", "data"})
                      : field.expect_keys({"format", "surface", "clear", "data"}));
  WARPJIT_TRY(target.format, read_target_format(*reading.guest, field, depth));
  WARPJIT_CHECK(read_target_data(reading, field, target));
  if (depth) {
    float clear = 1;
    std::uint8_t stencil = 0;
    WARPJIT_CHECK(read_float(field, "clear", clear));
    WARPJIT_CHECK(read_byte(field, "stencil", stencil));
    target.clear = {std::bit_cast<std::uint32_t>(clear), stencil, 0, 0};
    return {};
  }
  const auto clear = field.find("clear");
  if (!clear) return {};
  WARPJIT_CHECK(clear->expect_size(4, "numbers (red, green, blue, alpha)"));
  for (std::size_t k = 0; k < 4; ++k) {
    if (is_integer(target.format)) {
      WARPJIT_TRY(const std::int64_t word, clear->at(k).integer(-(std::int64_t{1} << 31), 0xffffffff, 32));
      target.clear[k] = static_cast<std::uint32_t>(word);
    } else {
      WARPJIT_TRY(target.clear[k], clear->at(k).float_bits());
    }
  }
  return {};
}

Status read_targets(Reading& reading) {
  LaunchPixels& pixels = reading.launch.pixels;
  WARPJIT_TRY(const JsonField targets, reading.root.require("targets"));
  WARPJIT_CHECK(targets.expect_object());
  WARPJIT_CHECK(targets.expect_keys({"size", "colors", "depth"}));
  WARPJIT_TRY(const JsonField size, targets.require("size"));
  WARPJIT_CHECK(size.expect_size(2, "numbers (columns, rows)"));
  WARPJIT_TRY(const std::int64_t width, size.at(std::size_t{0}).integer(1, kMaxTargetExtent));
  WARPJIT_TRY(const std::int64_t height, size.at(std::size_t{1}).integer(1, kMaxTargetExtent));
  pixels.width = static_cast<std::uint32_t>(width);
  pixels.height = static_cast<std::uint32_t>(height);
  if (const auto colors = targets.find("colors")) {
    WARPJIT_CHECK(colors->expect_most(kMaxColorTargets, "colour targets"));
    for (std::size_t k = 0; k < colors->size(); ++k) {
      LaunchTarget& target = pixels.colors.emplace_back();
      if (!colors->at(k).json().is_null()) WARPJIT_CHECK(read_target(reading, colors->at(k), false, target));
    }
  }
  if (const auto depth = targets.find("depth"))
    WARPJIT_CHECK(read_target(reading, *depth, true, pixels.depth));
  std::uint64_t bytes = 0;
  const std::uint64_t count = std::uint64_t{pixels.width} * pixels.height;
  for (const LaunchTarget& target : pixels.colors) bytes += count * pixel_size(target.format);
  bytes += count * pixel_size(pixels.depth.format);
  if (bytes > kMaxMemoryBytes)
    return targets.error("the targets have " + std::to_string(bytes) + " bytes, more than " +
                         std::to_string(kMaxMemoryBytes));
  return {};
}

Status read_raster(const Reading& reading, LaunchPixels& pixels) {
  RasterState& state = pixels.raster;
  // The viewport is the whole target, row 0 at y = -1.
  const float width = static_cast<float>(pixels.width) / 2, height = static_cast<float>(pixels.height) / 2;
  state.viewport_scale = {width, height, 0.5F};
  state.viewport_translate = {width, height, 0.5F};
  const auto field = reading.root.find("raster");
  if (!field) return {};
  WARPJIT_CHECK(field->expect_object());
  WARPJIT_CHECK(raster_fields().expect(
      *field, {"topology", "viewport", "scissor", "distances", "depth-bias", "sample-point", "console"}));
  WARPJIT_CHECK(read_word(*field, "topology", kTopologies, state.topology));
  bool console = false;
  WARPJIT_CHECK(read_flag(*field, "console", console));
  if (console) {
    if (reading.guest->console() == nullptr)
      return field->at("console").error("this guest has no such state; it must be false");
    const auto given = reading.guest->console()->raster(
        reading.launch.vertex.empty() ? nullptr : reading.launch.vertex[0].program.get(), state.topology);
    if (!given) return field->at("console").wrap(given.error());
    const RasterState whole = std::exchange(state, *given);
    state.viewport_scale = whole.viewport_scale;
    state.viewport_translate = whole.viewport_translate;
  }
  if (const auto viewport = field->find("viewport")) {
    WARPJIT_CHECK(viewport_fields().read_all(*viewport, state));
  }
  if (const auto scissor = field->find("scissor")) {
    WARPJIT_CHECK(scissor->expect_size(4, "numbers (x, y, width, height)"));
    std::array<std::uint32_t, 4> numbers{};
    for (std::size_t k = 0; k < 4; ++k) {
      WARPJIT_TRY(const std::int64_t number, scissor->at(k).integer(0, 0xffffffff));
      numbers[k] = static_cast<std::uint32_t>(number);
    }
    state.scissor = {numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  WARPJIT_CHECK(raster_fields().read(*field, state));
  if (const auto distances = field->find("distances"))
    WARPJIT_CHECK(distance_fields().read_all(*distances, state.distances));
  if (const auto bias = field->find("depth-bias"))
    WARPJIT_CHECK(depth_bias_fields().read_all(*bias, state.depth_bias));
  if (const auto point = field->find("sample-point")) {
    WARPJIT_CHECK(point->expect_size(2, "numbers (columns and rows in 1/256 pixels)"));
    for (std::size_t k = 0; k < 2; ++k) {
      WARPJIT_TRY(const std::int64_t number, point->at(k).integer(0, 255));
      state.sample_point[k] = static_cast<std::uint8_t>(number);
    }
  }
  return {};
}

Status read_mix(const JsonField& field, BlendMix& mix) {
  mix.invert_by = !field.has("by");
  return mix_fields().read_all(field, mix);
}

Status read_blend(const Reading& reading, const JsonField& field, PixelFormat target, BlendState& blend) {
  if (!field.json().is_object() && !field.json().is_array()) {
    WARPJIT_TRY(const std::int64_t word, field.integer(0, 0xffffffff, 32));
    if (reading.guest->console() == nullptr)
      return field.error("blending of this guest is an object, not a word");
    const auto given = reading.guest->console()->read_blend(static_cast<std::uint32_t>(word),
                                                            *reading.launch.program, target);
    if (!given) return field.wrap(given.error());
    blend = *given;
    return {};
  }
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(field.expect_keys({"source", "target", "source-alpha", "target-alpha", "op", "op-alpha",
                                   "mix", "mix-alpha", "bytes", "write-mask", "enabled"}));
  blend.mixed = field.has("mix");
  if (blend.mixed)
    for (const char* key : {"source", "target", "source-alpha", "target-alpha", "op", "op-alpha", "bytes"})
      if (field.has(key)) return field.at(key).error("'mix' takes the place of factors and operation");
  if (!blend.mixed && field.has("mix-alpha")) return field.error("'mix-alpha' needs 'mix'");
  if (const auto mix = field.find("mix")) WARPJIT_CHECK(read_mix(*mix, blend.mix));
  blend.mix_alpha = blend.mix;
  if (const auto alpha = field.find("mix-alpha")) {
    blend.mix_alpha = {};
    WARPJIT_CHECK(read_mix(*alpha, blend.mix_alpha));
  }
  blend.enabled = field.has("source") || field.has("target") || field.has("op") || blend.mixed;
  WARPJIT_CHECK(read_flag(field, "enabled", blend.enabled));
  WARPJIT_CHECK(read_word(field, "source", kFactors, blend.source));
  WARPJIT_CHECK(read_word(field, "target", kFactors, blend.target));
  blend.source_alpha = blend.source;
  blend.target_alpha = blend.target;
  WARPJIT_CHECK(read_word(field, "source-alpha", kFactors, blend.source_alpha));
  WARPJIT_CHECK(read_word(field, "target-alpha", kFactors, blend.target_alpha));
  WARPJIT_CHECK(read_word(field, "op", kBlendOps, blend.op));
  blend.op_alpha = blend.op;
  WARPJIT_CHECK(read_word(field, "op-alpha", kBlendOps, blend.op_alpha));
  WARPJIT_CHECK(read_flag(field, "bytes", blend.bytes));
  return read_byte(field, "write-mask", blend.write_mask, 15);
}

Status read_output(const Reading& reading, LaunchPixels& pixels) {
  OutputState& state = pixels.output;
  const auto field = reading.root.find("output");
  if (!field) return {};
  WARPJIT_CHECK(field->expect_object());
  WARPJIT_CHECK(
      field->expect_keys({"depth", "stencil", "blend", "blend-constant", "alpha-test", "early-tests"}));
  WARPJIT_CHECK(read_flag(*field, "early-tests", state.early_tests));
  if (const auto depth = field->find("depth")) {
    state.depth.test = true;
    WARPJIT_CHECK(depth_fields().read_all(*depth, state.depth, {"test"}));
    WARPJIT_CHECK(read_flag(*depth, "test", state.depth.test));
  }
  if (const auto stencil = field->find("stencil")) {
    WARPJIT_CHECK(stencil->expect_object());
    WARPJIT_CHECK(stencil->expect_keys({"front", "back"}));
    state.stencil.test = true;
    if (const auto front = stencil->find("front"))
      WARPJIT_CHECK(stencil_fields().read_all(*front, state.stencil.front));
    state.stencil.back = state.stencil.front;
    if (const auto back = stencil->find("back"))
      WARPJIT_CHECK(stencil_fields().read_all(*back, state.stencil.back));
  }
  if (const auto blend = field->find("blend")) {
    WARPJIT_CHECK(blend->expect_most(kMaxColorTargets, "states, one for each colour target"));
    for (std::size_t k = 0; k < blend->size(); ++k) {
      const PixelFormat target = k < pixels.colors.size() ? pixels.colors[k].format : PixelFormat::none;
      WARPJIT_CHECK(read_blend(reading, blend->at(k), target, state.blend[k]));
    }
  }
  WARPJIT_CHECK(read_floats(*field, "blend-constant", state.blend_constant));
  if (const auto test = field->find("alpha-test")) {
    state.alpha_test = true;
    WARPJIT_CHECK(alpha_test_fields().read_all(*test, state));
  }
  return {};
}

Status read_vertices(Reading& reading) {
  LaunchPixels& pixels = reading.launch.pixels;
  if (const auto indices = reading.root.find("indices")) {
    pixels.indexed = true;
    WARPJIT_CHECK(read_word_list(reading.files, *indices, kMaxIndices, false, pixels.indices));
  }
  const auto field = reading.root.find("vertices");
  if (!reading.launch.vertex.empty()) {
    if (field) return field->error("does not go with 'vertex', the vertex stage, which gives the vertices");
    return {};
  }
  if (!field) return reading.root.error("needs either 'vertex', a vertex stage, or 'vertices'");
  WARPJIT_CHECK(field->expect_object());
  WARPJIT_CHECK(field->expect_keys({"slots", "data"}));
  WARPJIT_TRY(pixels.slots, number_at(*field, "slots", 4, 128, 4));
  WARPJIT_TRY(const JsonField data, field->require("data"));
  WARPJIT_CHECK(read_word_list(reading.files, data, kMaxMemoryBytes / 4, true, pixels.vertices));
  if (pixels.vertices.size() != reading.launch.count * pixels.slots)
    return data.error("has " + std::to_string(pixels.vertices.size()) + " numbers, but " +
                      std::to_string(reading.launch.count) + " vertices of " + std::to_string(pixels.slots) +
                      " slots need " + std::to_string(reading.launch.count * pixels.slots));
  return {};
}

}  // namespace

Status read_pixels(Reading& reading) {
  LaunchPixels& pixels = reading.launch.pixels;
  WARPJIT_CHECK(read_targets(reading));
  WARPJIT_CHECK(read_raster(reading, pixels));
  WARPJIT_CHECK(read_output(reading, pixels));
  return read_vertices(reading);
}

namespace {

std::string target_names(const LaunchPixels& pixels) {
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  for (std::size_t k = 0; k < pixels.colors.size(); ++k)
    if (pixels.colors[k].format != PixelFormat::none) add("color" + std::to_string(k));
  if (pixels.depth.format != PixelFormat::none) add("depth");
  return names.empty() ? "none" : names;
}

}  // namespace

Status read_pictures(Reading& reading, const JsonField& expect) {
  LaunchPixels& pixels = reading.launch.pixels;
  WARPJIT_CHECK(expect.expect_object());
  for (const auto& [key, value] : expect.json().members()) {
    const JsonField field = expect.at(key);
    ExpectedPicture wanted;
    wanted.name = key;
    if (key == "depth") {
      wanted.target = kDepthPicture;
      if (pixels.depth.format == PixelFormat::none)
        return field.error("the launch has no depth target; it has " + target_names(pixels));
    } else {
      const bool is_color = key.size() == 6 && key.starts_with("color") && key[5] >= '0' && key[5] <= '7';
      wanted.target = is_color ? static_cast<unsigned>(key[5] - '0') : 0;
      if (!is_color || wanted.target >= pixels.colors.size() ||
          pixels.colors[wanted.target].format == PixelFormat::none)
        return field.error("the launch has no target '" + key + "'; it has " + target_names(pixels));
    }
    WARPJIT_CHECK(field.expect_keys({"hash", "file"}));
    if (field.has("hash") == field.has("file")) return field.error("must have either 'hash' or 'file'");
    if (const auto hash = field.find("hash")) {
      WARPJIT_TRY(const std::string text, hash->string());
      char* end = nullptr;
      wanted.hash = std::strtoull(text.c_str(), &end, 16);
      if (text.size() != 18 || !text.starts_with("0x") || *end != 0)
        return hash->error("must be 0x and 16 hexadecimal digits");
    } else {
      WARPJIT_TRY(const std::string name, field.at("file").string());
      const auto bytes = reading.files(name);
      if (!bytes) return field.at("file").wrap(bytes.error());
      wanted.bytes.assign(bytes->begin(), bytes->end());
    }
    pixels.expected.push_back(std::move(wanted));
  }
  return {};
}

}  // namespace warpjit::tool
