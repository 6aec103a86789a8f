#include "scene/scene_program.h"

#include <fmt/format.h>

#include "frontend/pica200/fragment_shader.h"
#include "frontend/pixels/facts.h"
#include "output.h"
#include "scene/load_scene.h"

namespace warpjit::tool {

namespace {

class StateFinder final : public pica200::DrawVisitor {
 public:
  explicit StateFinder(std::uint64_t number) : number_(number) {}
  Result<bool> visit(const pica200::DrawView& draw) override {
    if (draw.number == number_) state_ = draw.setup.state;
    ++draws_;
    return false;
  }
  const std::optional<pica200::FragmentState>& state() const { return state_; }
  std::uint64_t draws() const { return draws_; }

 private:
  std::uint64_t number_, draws_ = 0;
  std::optional<pica200::FragmentState> state_;
};

}  // namespace

Result<Translated> translate_scene_draw(const ProgramInput& input) {
  for (const auto& [given, option] :
       {std::pair(&input.entry, "--entry"), std::pair(&input.stage, "--program"),
        std::pair(&input.words, "--words")})
    if (!given->empty())
      return Error{ErrorCode::bad_input, "a scene has draws, which --draw names; the option is for programs",
                   option};
  WARPJIT_TRY(const Scene scene, load_scene(input.file));
  WARPJIT_TRY(const std::unique_ptr<SceneMachine> machine, SceneMachine::make(scene, input.file));
  StateFinder finder(input.draw.value_or(0));
  machine->set_visitor(&finder);
  const Engine engine;
  RunOptions run;
  run.engine = EngineKind::guest;
  const Status status = machine->run(engine, run);
  if (!finder.state()) {
    WARPJIT_CHECK(status);
    return Error{ErrorCode::bad_input,
                 finder.draws() == 0 ? std::string("the scene draws nothing")
                                     : fmt::format("the scene has the draws 0 to {}", finder.draws() - 1),
                 input.draw ? "--draw" : input.file};
  }
  if (!input.draw && finder.draws() > 1)
    print_err(
        "warpjit: note: this is the first of {} draws; --draw names another, `warpjit info` lists them\n",
        finder.draws());
  const pica200::FragmentState& state = *finder.state();
  auto shader = std::make_shared<const pica200::FragmentShader>(state);
  frontend::Facts facts;
  auto& pixels = facts.work.emplace<frontend::PixelFacts>();
  // Targets as FragmentDraws binds them.
  if (state.output.touches_color()) pixels.output.colors[0] = PixelFormat::r32ui;
  if (state.output.touches_depth()) pixels.output.depth_format = PixelFormat::d24s8;
  pixels.uses = shader->varyings().slots_read;
  WARPJIT_TRY(frontend::Shader::Translation translation, shader->translate(facts, false));
  return Translated{&guest_of(Isa::pica200), std::move(shader), std::move(translation.function)};
}

}  // namespace warpjit::tool
