#include "shader_engine.h"

#include <utility>

using namespace warpjit;

namespace {

// "v3"; register numbers below 16 always have a name.
template <class Find>
void locate(std::array<Location, 16>& locations, const char* file, Find find) {
  for (unsigned n = 0; n < 16; ++n) locations[n] = *find(file + std::to_string(n));
}

EngineOptions engine_options() {
  EngineOptions options;
  options.cache_bytes = std::size_t{16} << 20;  // a few thousand shaders
  return options;
}

}  // namespace

ShaderEngine::ShaderEngine(bool background) : engine_(engine_options()) { options_.background = background; }

Result<ShaderEngine::Shader*> ShaderEngine::find_shader(const ShaderSetup& setup) {
  std::vector<std::uint32_t> key = setup.code;
  key.insert(key.end(), setup.descriptors.begin(), setup.descriptors.end());
  key.insert(key.end(), {static_cast<std::uint32_t>(setup.code.size()), setup.entry});
  if (const auto known = shaders_.find(key); known != shaders_.end()) return &known->second;

  if (shaders_.size() >= kMostShaders) {
    shaders_.clear();
    current_ = nullptr;
  }
  const auto program =
      pica200::load_words({.code = setup.code, .descriptors = setup.descriptors, .entry = setup.entry});
  if (!program) return program.error();  // hostile code: skip the draw
  Shader shader{Launch(*program), {}, {}, {}, *program->uniform("c0"), *program->uniform("i0")};
  locate(shader.v, "v", [&](const std::string& name) { return program->input(name); });
  locate(shader.o, "o", [&](const std::string& name) { return program->output(name); });
  locate(shader.b, "b", [&](const std::string& name) { return program->uniform(name); });
  return &shaders_.emplace(std::move(key), std::move(shader)).first->second;
}

Status ShaderEngine::setup_batch(ShaderSetup& setup, std::uint16_t outputs) {
  if (std::exchange(setup.code_changed, false) || current_ == nullptr) {
    current_ = nullptr;
    const auto shader = find_shader(setup);
    if (!shader) return shader.error();
    current_ = *shader;
    setup.uniforms_changed = true;
  }
  outputs_ = outputs;
  if (!std::exchange(setup.uniforms_changed, false)) return {};
  Launch& launch = current_->launch;
  if (Status set = launch.set_uniform(current_->c, {setup.c[0].data(), 96 * 4}); !set) return set;
  if (Status set = launch.set_int(current_->i, {setup.i[0].data(), 4 * 4}); !set) return set;
  for (unsigned n = 0; n < 16; ++n)
    if (Status set = launch.set_bool(current_->b[n], (setup.b >> n & 1) != 0); !set) return set;
  return {};
}

Status ShaderEngine::bind(Shader& shader, std::span<const VertexAttribute> attributes, std::size_t first,
                          std::uint16_t outputs, std::span<Output> results) {
  std::uint16_t inputs = 0;
  for (const VertexAttribute& attribute : attributes)
    inputs = static_cast<std::uint16_t>(inputs | 1u << attribute.reg % 16);
  // A launch remembers its kernel as long as the same registers are bound, to whatever memory.
  if (std::exchange(shader.inputs, inputs) != inputs) shader.launch.unbind_inputs();
  if (std::exchange(shader.outputs, outputs) != outputs) shader.launch.unbind_outputs();
  for (const VertexAttribute& attribute : attributes) {
    const std::size_t skipped = first * attribute.stride;
    if (skipped > attribute.bytes) return Error{ErrorCode::bad_input, "vertices outside guest memory", ""};
    const Attribute rows{attribute.data + skipped, attribute.bytes - skipped, attribute.stride,
                         attribute.format};
    if (Status bound = shader.launch.bind_input(shader.v[attribute.reg % 16], rows); !bound) return bound;
  }
  for (unsigned n = 0; n < 16; ++n) {
    if ((outputs >> n & 1) == 0) continue;
    // Rows of one register lie a whole output structure apart.
    OutputBuffer rows{nullptr, 0, sizeof(Output), f32x4};
    if (!results.empty()) {
      rows.data = results[0][n].data();
      rows.size = results.size_bytes() - n * sizeof results[0][n];
    }
    if (Status bound = shader.launch.bind_output(shader.o[n], rows); !bound) return bound;
  }
  shader.launch.set_count(results.size());
  return {};
}

Status ShaderEngine::announce(const ShaderSetup& setup, std::span<const VertexAttribute> attributes,
                              std::uint16_t outputs) {
  const auto known = find_shader(setup);
  if (!known) return known.error();
  Shader shader = **known;  // a copy: what the next draw has bound stays
  for (unsigned n = 0; n < 16; ++n)
    if (Status set = shader.launch.set_bool(shader.b[n], (setup.b >> n & 1) != 0); !set) return set;
  if (Status bound = bind(shader, attributes, 0, outputs, {}); !bound) return bound;
  const auto compilation = engine_.warm(shader.launch, options_);
  return compilation ? Status() : compilation.error();
}

Result<Report> ShaderEngine::run(std::span<const VertexAttribute> attributes, std::size_t first,
                                 std::span<Output> results) {
  if (current_ == nullptr) return Error{ErrorCode::bad_input, "no shader is set up", ""};
  if (Status bound = bind(*current_, attributes, first, outputs_, results); !bound) return bound.error();
  return engine_.run(current_->launch, options_);
}
