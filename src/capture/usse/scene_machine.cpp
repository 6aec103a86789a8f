#include "capture/usse/scene_machine.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/float_environment.h"
#include "capture/section_file.h"

namespace warpjit::usse {
namespace {

using capture::hex_text;

// All scenes together that are open at a time.
constexpr std::uint64_t kMaxOpenPixels = std::uint64_t{1} << 26;
constexpr std::uint64_t kAlignment = 8;  // of a draw's memory

std::vector<std::uint32_t> words_of(DataBytes bytes) {
  std::vector<std::uint32_t> words(bytes.size() / 4);
  for (std::size_t n = 0; n < words.size(); ++n)
    for (std::size_t k = 0; k < 4; ++k) words[n] |= std::to_integer<std::uint32_t>(bytes[4 * n + k]) << 8 * k;
  return words;
}

std::vector<std::uint32_t> indices_of(const DrawData& data) {
  if (data.index_bytes == 4) return words_of(data.indices);
  std::vector<std::uint32_t> indices(data.indices.size() / 2);
  for (std::size_t n = 0; n < indices.size(); ++n)
    indices[n] = std::to_integer<std::uint32_t>(data.indices[2 * n]) |
                 std::to_integer<std::uint32_t>(data.indices[2 * n + 1]) << 8;
  return indices;
}

// A stage's lists, as a draw refers to them.
struct StageLists {
  std::vector<std::vector<std::uint32_t>> words;  // of uniforms, then of buffers
  std::vector<std::uint32_t> default_uniforms;
  std::vector<NamedUniform> uniforms;
  std::vector<UniformBufferBinding> buffers;

  StageSetup setup(const StageData& data, const warpjit::Program& program) {
    words.reserve(data.uniforms.size() + data.buffers.size());
    for (const UniformData& uniform : data.uniforms)
      uniforms.push_back({uniform.name, words.emplace_back(words_of(uniform.words))});
    for (const UniformBufferData& buffer : data.buffers)
      buffers.push_back({buffer.buffer, words.emplace_back(words_of(buffer.words)), buffer.address});
    default_uniforms = words_of(data.default_uniforms);
    return {&program, uniforms, default_uniforms, buffers, data.textures};
  }
};

Result<warpjit::Program> load(const ProgramData& data) {
  const Selection selection{.stage = data.stage, .source_name = data.name};
  const std::string_view text(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size());
  switch (data.form) {
    case ProgramSource::Form::gxp:
      return warpjit::Program::load(data.bytes, selection);
    case ProgramSource::Form::assembly:
      return load_assembly(text, selection);
    case ProgramSource::Form::words:
      break;
  }
  if (data.bytes.size() % 8 != 0)
    return Error{ErrorCode::bad_input,
                 std::to_string(data.bytes.size()) + " bytes of instructions, expected a multiple of 8",
                 data.name};
  std::vector<std::uint64_t> code(data.bytes.size() / 8);
  for (std::size_t n = 0; n < data.bytes.size(); ++n)
    code[n / 8] |= std::to_integer<std::uint64_t>(data.bytes[n]) << 8 * (n % 8);
  return load_words({code, data.stage, data.name});
}

std::size_t scene_of(const SceneStep& step) {
  if (const auto* draw = std::get_if<DrawData>(&step)) return draw->scene;
  if (const auto* end = std::get_if<SceneEnd>(&step)) return end->scene;
  return SIZE_MAX;
}

}  // namespace

SceneMachine::SceneMachine(const SceneList& list, const std::string& file) : list_(list), file_(file) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // begin, end
  for (const capture::MemoryPiece& piece : list.memory) {
    const std::uint64_t begin = piece.address / kAlignment * kAlignment;
    const std::uint64_t end = (piece.address + piece.bytes.size() + kAlignment - 1) / kAlignment * kAlignment;
    if (ranges.empty() || begin > ranges.back().second)
      ranges.emplace_back(begin, end);
    else
      ranges.back().second = end;
  }
  for (const auto& [begin, end] : ranges)
    memory_.push_back({begin, LazyBytes(static_cast<std::size_t>(end - begin))});
  last_steps_.resize(list.scenes);
  std::size_t begun = 0;
  for (std::size_t n = 0; n < list.steps.size(); ++n) {
    if (std::holds_alternative<SceneBegin>(list.steps[n])) last_steps_[begun++] = n;
    if (const std::size_t scene = scene_of(list.steps[n]); scene != SIZE_MAX) last_steps_[scene] = n;
  }
}

Result<std::unique_ptr<SceneMachine>> SceneMachine::make(const SceneList& scenes, const std::string& file) {
  std::unique_ptr<SceneMachine> machine(new SceneMachine(scenes, file));
  for (std::size_t n = 0; n < scenes.programs.size(); ++n) {
    Result<warpjit::Program> program = load(scenes.programs[n]);
    if (!program) {
      Error error = program.error();
      error.where = file + ", program " + std::to_string(n) + (error.where.empty() ? "" : ", ") + error.where;
      return error;
    }
    machine->programs_.push_back(std::move(*program));
  }
  machine->begin();
  return machine;
}

void SceneMachine::begin() {
  std::size_t to = 0;
  for (capture::MemoryPiece& piece : memory_) lazy::clear(piece.bytes.data(), piece.bytes.size());
  for (const capture::MemoryPiece& piece : list_.memory) {
    while (piece.address >= memory_[to].address + memory_[to].bytes.size()) ++to;
    lazy::write(memory_[to].bytes.data() + (piece.address - memory_[to].address), piece.bytes);
  }
  scenes_.clear();
  draws_ = 0;
}

std::span<std::byte> SceneMachine::find(std::uint64_t address, std::uint64_t size) const {
  for (const capture::MemoryPiece& piece : memory_)
    if (address >= piece.address && address - piece.address <= piece.bytes.size() &&
        size <= piece.bytes.size() - (address - piece.address))
      return {const_cast<std::byte*>(piece.bytes.data()) + (address - piece.address),
              static_cast<std::size_t>(size)};
  return {};
}

std::uint64_t SceneMachine::address_of(const std::byte* data) const {
  for (const capture::MemoryPiece& piece : memory_)
    if (data >= piece.bytes.data() && data < piece.bytes.data() + piece.bytes.size()) {
      const std::uint64_t address = piece.address + static_cast<std::uint64_t>(data - piece.bytes.data());
      return address < kOwnMemory ? address : 0;
    }
  return 0;
}

Status SceneMachine::run_step(std::size_t step, const Engine& engine, const RunOptions& options) {
  const SceneStep& what = list_.steps[step];
  const Status done = run(step, what, engine, options);
  if (done) return done;
  Error error = done.error();
  std::string where = file_;
  if (std::holds_alternative<SceneBegin>(what)) where += ", scene " + std::to_string(scenes_.size());
  if (const std::size_t scene = scene_of(what); scene != SIZE_MAX)
    where += ", scene " + std::to_string(scene);
  if (std::holds_alternative<DrawData>(what)) where += ", draw " + std::to_string(draws_ - 1);
  error.where = where + (error.where.empty() ? "" : ", ") + error.where;
  return error;
}

Status SceneMachine::run(std::size_t step, const SceneStep& what, const Engine& engine,
                         const RunOptions& options) {
  if (const auto* begin = std::get_if<SceneBegin>(&what)) return begin_scene(*begin);
  if (const auto* data = std::get_if<DrawData>(&what)) return draw(*data, engine, options);
  if (const auto* end = std::get_if<SceneEnd>(&what)) return end_scene(*end);
  const auto& change = std::get<capture::MemoryChange>(what);
  const std::span<std::byte> to = find(change.address, change.size);
  if (to.size() != change.size)
    return Error{ErrorCode::internal, "a change does not lie in memory", "step " + std::to_string(step)};
  if (change.bytes.empty())
    lazy::clear(to.data(), to.size());
  else
    lazy::write(to.data(), change.bytes);
  return {};
}

Status SceneMachine::begin_scene(const SceneBegin& begin) {
  const std::uint64_t pixels = std::uint64_t{begin.color.width} * begin.color.height;
  std::uint64_t open = pixels;
  for (const auto& scene : scenes_)
    if (scene)
      open += std::uint64_t{scene->state().surface.where().width} * scene->state().surface.where().height;
  if (open > kMaxOpenPixels)
    return Error{ErrorCode::resource_limit, "scenes with more than 2^26 pixels are open at once", {}};
  ColorSurface color = begin.color;
  const std::span<std::byte> bytes = find(begin.address, color.size);
  if (bytes.empty())
    return Error{ErrorCode::bad_input,
                 "the surface of " + std::to_string(color.size) + " bytes at " + hex_text(begin.address) +
                     " does not lie in memory",
                 {}};
  color.data = bytes.data();
  WARPJIT_TRY(Scene scene, Scene::begin(color, begin.depth));
  scenes_.emplace_back(std::move(scene));
  return {};
}

Status SceneMachine::end_scene(const SceneEnd& end) {
  WARPJIT_CHECK(scenes_[end.scene]->end());
  if (stores_ == nullptr) return {};
  const usse::SceneState& scene = state(end.scene);
  const Surface& surface = scene.surface;
  stores_->stored(
      {scene.color,
       {static_cast<const std::byte*>(surface.where().data), static_cast<std::size_t>(surface.extent())},
       [surface](std::size_t byte) { return surface.pixel_of(byte); }});
  return {};
}

Status SceneMachine::draw(const DrawData& data, const Engine& engine, const RunOptions& options) {
  ++draws_;
  report_ = {};
  StageLists vertex, fragment;
  Draw draw = data.state;
  draw.vertex = vertex.setup(data.vertex, programs_[data.vertex.program]);
  draw.fragment = fragment.setup(data.fragment, programs_[data.fragment.program]);
  std::vector<VertexStream> streams;
  for (const StreamData& stream : data.streams) {
    DataBytes bytes = stream.bytes;
    if (stream.address && stream.size != 0) {
      bytes = find(*stream.address, stream.size);
      if (bytes.empty())
        return Error{ErrorCode::bad_input,
                     "a stream of " + std::to_string(stream.size) + " bytes at " + hex_text(*stream.address) +
                         " does not lie in memory",
                     {}};
    }
    streams.push_back({bytes.data(), bytes.size(), stream.stride, stream.per_instance});
  }
  // What there is of the draw's memory.
  std::vector<Memory> memory;
  for (const MemoryData& piece : data.memory)
    for (capture::MemoryPiece& there : memory_) {
      const std::uint64_t first = std::max<std::uint64_t>(piece.address, there.address);
      const std::uint64_t end = std::min(piece.address + piece.size, there.address + there.bytes.size());
      if (first < end)
        memory.push_back({static_cast<std::uint32_t>(first), there.bytes.data() + (first - there.address),
                          static_cast<std::size_t>(end - first)});
    }
  const std::vector<std::uint32_t> indices = indices_of(data);
  draw.streams = streams;
  draw.attributes = data.attributes;
  draw.memory = memory;
  draw.indices = indices;
  if (see_) {
    BoundDraw bound;
    WARPJIT_CHECK(bind_draw(scenes_[data.scene]->state(), draw, bound));
    if (!bound.nothing) see_(*bound.fragment);
  }
  WARPJIT_TRY(report_, scenes_[data.scene]->draw(engine, draw, options));
  return {};
}

}  // namespace warpjit::usse
