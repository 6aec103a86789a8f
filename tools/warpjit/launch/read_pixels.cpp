// What launches of fragment programs have: targets, vertices, fixed-function state.
#include <algorithm>
#include <utility>

#include "launch/numbers.h"
#include "launch/pixel_words.h"
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

Status read_target(const Guest& guest, const JsonField& field, bool depth, LaunchTarget& target) {
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(depth ? field.expect_keys({"format", "clear", "stencil"})
                      : field.expect_keys({"format", "surface", "clear"}));
  WARPJIT_TRY(target.format, read_target_format(guest, field, depth));
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
  WARPJIT_CHECK(clear->expect_array());
  if (clear->size() != 4) return clear->error("needs 4 numbers: red, green, blue, alpha");
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

Status read_targets(const Guest& guest, const JsonField& root, LaunchPixels& pixels) {
  WARPJIT_TRY(const JsonField targets, root.require("targets"));
  WARPJIT_CHECK(targets.expect_object());
  WARPJIT_CHECK(targets.expect_keys({"size", "colors", "depth"}));
  WARPJIT_TRY(const JsonField size, targets.require("size"));
  WARPJIT_CHECK(size.expect_array());
  if (size.size() != 2) return size.error("needs two numbers: columns and rows");
  WARPJIT_TRY(const std::int64_t width, size.at(std::size_t{0}).integer(1, kMaxTargetExtent));
  WARPJIT_TRY(const std::int64_t height, size.at(std::size_t{1}).integer(1, kMaxTargetExtent));
  pixels.width = static_cast<std::uint32_t>(width);
  pixels.height = static_cast<std::uint32_t>(height);
  if (const auto colors = targets.find("colors")) {
    WARPJIT_CHECK(colors->expect_array());
    if (colors->size() > kMaxColorTargets)
      return colors->error("at most " + std::to_string(kMaxColorTargets) + " colour targets");
    for (std::size_t k = 0; k < colors->size(); ++k) {
      LaunchTarget& target = pixels.colors.emplace_back();
      if (!colors->at(k).json().is_null()) WARPJIT_CHECK(read_target(guest, colors->at(k), false, target));
    }
  }
  if (const auto depth = targets.find("depth")) WARPJIT_CHECK(read_target(guest, *depth, true, pixels.depth));
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
  WARPJIT_CHECK(field->expect_keys(
      {"topology",          "viewport",     "scissor",   "depth-zero-to-one", "clip-near",  "clip-far",
       "positive-is-front", "cull-front",   "cull-back", "provoking",         "shade",      "point-size",
       "point-size-slot",   "line-width",   "distances", "window-positions",  "depth-bias", "depth-bounds",
       "clip-bounds",       "sample-point", "console"}));
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
    WARPJIT_CHECK(viewport->expect_object());
    WARPJIT_CHECK(viewport->expect_keys({"scale", "translate"}));
    WARPJIT_CHECK(read_floats(*viewport, "scale", state.viewport_scale));
    WARPJIT_CHECK(read_floats(*viewport, "translate", state.viewport_translate));
  }
  if (const auto scissor = field->find("scissor")) {
    WARPJIT_CHECK(scissor->expect_array());
    if (scissor->size() != 4) return scissor->error("needs 4 numbers: x, y, width, height");
    std::array<std::uint32_t, 4> numbers{};
    for (std::size_t k = 0; k < 4; ++k) {
      WARPJIT_TRY(const std::int64_t number, scissor->at(k).integer(0, 0xffffffff));
      numbers[k] = static_cast<std::uint32_t>(number);
    }
    state.scissor = {numbers[0], numbers[1], numbers[2], numbers[3]};
  }
  WARPJIT_CHECK(read_flag(*field, "depth-zero-to-one", state.depth_zero_to_one));
  WARPJIT_CHECK(read_flag(*field, "clip-near", state.clip_near));
  WARPJIT_CHECK(read_flag(*field, "clip-far", state.clip_far));
  WARPJIT_CHECK(read_flag(*field, "positive-is-front", state.positive_is_front));
  WARPJIT_CHECK(read_flag(*field, "cull-front", state.cull_front));
  WARPJIT_CHECK(read_flag(*field, "cull-back", state.cull_back));
  WARPJIT_CHECK(read_flag(*field, "window-positions", state.window_positions));
  constexpr std::string_view kProvoking[] = {"first", "last"};
  WARPJIT_CHECK(read_word(*field, "provoking", kProvoking, state.provoking_last));
  WARPJIT_CHECK(read_word(*field, "shade", kShadeModels, state.shade));
  WARPJIT_CHECK(read_float(*field, "point-size", state.point_size));
  WARPJIT_CHECK(read_byte(*field, "point-size-slot", state.point_size_slot, 127));
  WARPJIT_CHECK(read_float(*field, "line-width", state.line_width));
  if (const auto distances = field->find("distances")) {
    WARPJIT_CHECK(distances->expect_object());
    WARPJIT_CHECK(distances->expect_keys({"first", "count", "clip", "cull"}));
    WARPJIT_CHECK(read_byte(*distances, "first", state.distances.first, 127));
    WARPJIT_CHECK(read_byte(*distances, "count", state.distances.count, 8));
    WARPJIT_CHECK(read_byte(*distances, "clip", state.distances.clip));
    WARPJIT_CHECK(read_byte(*distances, "cull", state.distances.cull));
  }
  if (const auto bias = field->find("depth-bias")) {
    WARPJIT_CHECK(bias->expect_object());
    WARPJIT_CHECK(bias->expect_keys({"units", "slope", "clamp"}));
    WARPJIT_CHECK(read_float(*bias, "units", state.depth_bias.units));
    WARPJIT_CHECK(read_float(*bias, "slope", state.depth_bias.slope));
    WARPJIT_CHECK(read_float(*bias, "clamp", state.depth_bias.clamp));
  }
  WARPJIT_CHECK(read_floats(*field, "depth-bounds", state.depth_bounds));
  WARPJIT_CHECK(read_floats(*field, "clip-bounds", state.clip_bounds));
  if (const auto point = field->find("sample-point")) {
    WARPJIT_CHECK(point->expect_array());
    if (point->size() != 2) return point->error("needs 2 numbers: columns and rows in 1/256 pixels");
    for (std::size_t k = 0; k < 2; ++k) {
      WARPJIT_TRY(const std::int64_t number, point->at(k).integer(0, 255));
      state.sample_point[k] = static_cast<std::uint8_t>(number);
    }
  }
  return {};
}

Status read_mix(const JsonField& field, BlendMix& mix) {
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(field.expect_keys({"add", "negate-add", "multiply", "negate-multiply", "by", "invert-by"}));
  WARPJIT_CHECK(read_word(field, "add", kMixAdds, mix.add));
  WARPJIT_CHECK(read_flag(field, "negate-add", mix.negate_add));
  WARPJIT_CHECK(read_word(field, "multiply", kMixMultiplies, mix.multiply));
  WARPJIT_CHECK(read_flag(field, "negate-multiply", mix.negate_multiply));
  mix.invert_by = !field.has("by");
  WARPJIT_CHECK(read_word(field, "by", kMixBys, mix.by));
  return read_flag(field, "invert-by", mix.invert_by);
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

Status read_stencil_face(const JsonField& field, StencilFace& face) {
  WARPJIT_CHECK(field.expect_object());
  WARPJIT_CHECK(
      field.expect_keys({"compare", "fail", "depth-fail", "pass", "reference", "read-mask", "write-mask"}));
  WARPJIT_CHECK(read_word(field, "compare", kCompares, face.compare));
  WARPJIT_CHECK(read_word(field, "fail", kStencilOps, face.fail));
  WARPJIT_CHECK(read_word(field, "depth-fail", kStencilOps, face.depth_fail));
  WARPJIT_CHECK(read_word(field, "pass", kStencilOps, face.pass));
  WARPJIT_CHECK(read_byte(field, "reference", face.reference));
  WARPJIT_CHECK(read_byte(field, "read-mask", face.read_mask));
  return read_byte(field, "write-mask", face.write_mask);
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
    WARPJIT_CHECK(depth->expect_object());
    WARPJIT_CHECK(depth->expect_keys({"compare", "write", "test"}));
    state.depth.test = true;
    WARPJIT_CHECK(read_flag(*depth, "test", state.depth.test));
    WARPJIT_CHECK(read_flag(*depth, "write", state.depth.write));
    WARPJIT_CHECK(read_word(*depth, "compare", kCompares, state.depth.compare));
  }
  if (const auto stencil = field->find("stencil")) {
    WARPJIT_CHECK(stencil->expect_object());
    WARPJIT_CHECK(stencil->expect_keys({"front", "back"}));
    state.stencil.test = true;
    if (const auto front = stencil->find("front"))
      WARPJIT_CHECK(read_stencil_face(*front, state.stencil.front));
    state.stencil.back = state.stencil.front;
    if (const auto back = stencil->find("back")) WARPJIT_CHECK(read_stencil_face(*back, state.stencil.back));
  }
  if (const auto blend = field->find("blend")) {
    WARPJIT_CHECK(blend->expect_array());
    if (blend->size() > kMaxColorTargets) return blend->error("one for each colour target");
    for (std::size_t k = 0; k < blend->size(); ++k) {
      const PixelFormat target = k < pixels.colors.size() ? pixels.colors[k].format : PixelFormat::none;
      WARPJIT_CHECK(read_blend(reading, blend->at(k), target, state.blend[k]));
    }
  }
  WARPJIT_CHECK(read_floats(*field, "blend-constant", state.blend_constant));
  if (const auto test = field->find("alpha-test")) {
    WARPJIT_CHECK(test->expect_object());
    WARPJIT_CHECK(test->expect_keys({"compare", "reference"}));
    state.alpha_test = true;
    WARPJIT_CHECK(read_word(*test, "compare", kCompares, state.alpha_compare));
    WARPJIT_CHECK(read_float(*test, "reference", state.alpha_reference));
  }
  return {};
}

// A list of words, or a file of them.
Status read_word_list(const Reading& reading, const JsonField& field, std::size_t most, bool floats,
                      std::vector<std::uint32_t>& words) {
  if (field.json().is_string()) {
    WARPJIT_TRY(const std::string name, field.string());
    const auto bytes = reading.files(name);
    if (!bytes) return field.wrap(bytes.error());
    auto read = words_from(*bytes, name);
    if (!read) return field.wrap(read.error());
    words = std::move(*read);
  } else {
    WARPJIT_CHECK(field.expect_array());
    if (field.size() <= most)
      for (std::size_t k = 0; k < field.size(); ++k) {
        if (floats) {
          WARPJIT_TRY(const std::uint32_t bits, field.at(k).float_bits());
          words.push_back(bits);
        } else {
          WARPJIT_TRY(const std::int64_t word, field.at(k).integer(0, 0xffffffff, 32));
          words.push_back(static_cast<std::uint32_t>(word));
        }
      }
  }
  const std::size_t size = std::max(words.size(), field.json().is_array() ? field.size() : 0);
  if (size > most) return field.error(std::to_string(size) + " words are more than " + std::to_string(most));
  return {};
}

Status read_vertices(Reading& reading) {
  LaunchPixels& pixels = reading.launch.pixels;
  if (const auto indices = reading.root.find("indices")) {
    pixels.indexed = true;
    WARPJIT_CHECK(read_word_list(reading, *indices, kMaxIndices, false, pixels.indices));
  }
  const auto field = reading.root.find("vertices");
  if (!reading.launch.vertex.empty()) {
    if (field) return field->error("the vertex stage gives the vertices");
    return {};
  }
  if (!field) return reading.root.error("'vertex' is missing, the vertex stage, or 'vertices'");
  WARPJIT_CHECK(field->expect_object());
  WARPJIT_CHECK(field->expect_keys({"slots", "data"}));
  WARPJIT_TRY(pixels.slots, number_at(*field, "slots", 4, 128, 4));
  WARPJIT_TRY(const JsonField data, field->require("data"));
  WARPJIT_CHECK(read_word_list(reading, data, kMaxMemoryBytes / 4, true, pixels.vertices));
  if (pixels.vertices.size() != reading.launch.count * pixels.slots)
    return data.error("has " + std::to_string(pixels.vertices.size()) + " numbers, but " +
                      std::to_string(reading.launch.count) + " vertices of " + std::to_string(pixels.slots) +
                      " slots need " + std::to_string(reading.launch.count * pixels.slots));
  return {};
}

}  // namespace

Status read_pixels(Reading& reading) {
  LaunchPixels& pixels = reading.launch.pixels;
  WARPJIT_CHECK(read_targets(*reading.guest, reading.root, pixels));
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
