// warpjit info of a capture of any guest: frames, jobs, draws.
#include "capture/neutral.h"
#include "command.h"
#include "output.h"

namespace warpjit::tool {

namespace {

// A job and its draws: those of several jobs may come in turns.
class Lister final : public CaptureVisitor {
 public:
  bool job(const CaptureJob& job) override {
    row(job.number)["frame"] = job.frame;
    row(job.number)["does"] = std::string(job.what);
    return true;
  }
  bool draw(const CaptureDraw& draw) override {
    Json json{{"draw", draw.number}, {"does", std::string(draw.what)}, {"drawn", draw.drawn}};
    Json programs = Json::array();
    for (const CaptureDraw::Program& program : draw.programs) {
      if (program.report == nullptr) continue;
      programs.push_back({{"stage", std::string(program.stage)},
                          {"primitives", program.report->primitives},
                          {"groups", program.report->groups}});
    }
    if (!programs.empty()) json["programs"] = std::move(programs);
    row(draw.job)["draws"].push_back(std::move(json));
    ++draws;
    return true;
  }
  bool picture(const CapturePicture& picture) override {
    Json json{{"name", std::string(picture.name)},
              {"format", name(picture.format)},
              {"width", picture.width},
              {"height", picture.height},
              {"compared", picture.compared.has_value()}};
    if (picture.address != 0) json["address"] = fmt::format("{:#010x}", picture.address);
    row(picture.job)["pictures"].push_back(std::move(json));
    return true;
  }

  std::vector<Json> jobs;
  std::size_t draws = 0;

 private:
  Json& row(std::size_t number) {
    while (jobs.size() <= number)
      jobs.push_back({{"job", jobs.size()}, {"draws", Json::array()}, {"pictures", Json::array()}});
    return jobs[number];
  }
};

const char* name_of_kind(CaptureName::Of of) {
  constexpr const char* kNames[] = {"address", "register", "draw", "uniform"};
  return kNames[static_cast<std::size_t>(of)];
}

void print_job(const Json& job, std::size_t& left) {
  print_out("job {}: {}\n", job["job"].natural(),
            job.contains("does") ? job["does"].string() : std::string("not finished"));
  for (const Json& draw : job["draws"]) {
    if (left == 0) return;
    --left;
    print_out("  draw {}: {}", draw["draw"].natural(), draw["does"].string());
    if (draw.contains("programs"))
      for (const Json& program : draw["programs"])
        print_out("; {} {} primitives, {} groups", program["stage"].string(), program["primitives"].natural(),
                  program["groups"].natural());
    else
      write_out("; nothing drawn");
    write_out("\n");
  }
}

}  // namespace

int show_neutral(const NeutralInfo& options) {
  const auto capture = load_neutral_capture(options.file);
  if (!capture) return fail(capture.error());
  Lister lister;
  const Engine engine;
  RunOptions run;
  run.engine = engine.info().jit ? EngineKind::jit : EngineKind::guest;
  const Status status = capture->run(engine, lister, run);
  if (options.json) {
    Json json{{"file", options.file},        {"isa", name(capture->isa())}, {"product", capture->product()},
              {"frames", capture->frames()}, {"draws", lister.draws},       {"jobs", Json::array()},
              {"names", Json::array()},      {"notes", Json::array()}};
    for (Json& job : lister.jobs) json["jobs"].push_back(std::move(job));
    for (const CaptureName& one : capture->names())
      json["names"].push_back({{"of", name_of_kind(one.of)}, {"number", one.number}, {"text", one.text}});
    for (const std::string& note : capture->notes()) json["notes"].push_back(note);
    if (!status) json["error"] = message_of(status.error());
    print_json(json);
  } else {
    print_out("{}: {}, a capture of {} frame{}, {} job{}, {} draw{}\n", options.file, name(capture->isa()),
              capture->frames(), capture->frames() == 1 ? "" : "s", capture->jobs(),
              capture->jobs() == 1 ? "" : "s", lister.draws, lister.draws == 1 ? "" : "s");
    std::size_t left = options.all ? lister.draws : kShownNeutralDraws;
    for (const Json& job : lister.jobs) print_job(job, left);
    if (!options.all && lister.draws > kShownNeutralDraws)
      print_out("{} more draws: --all\n", lister.draws - kShownNeutralDraws);
    for (const CaptureName& one : capture->names())
      print_out("name: {} {:#x} {}\n", name_of_kind(one.of), one.number, one.text);
    for (const std::string& note : capture->notes()) print_out("note: {}\n", note);
  }
  return status ? kOk : fail(status.error());
}

}  // namespace warpjit::tool
