// The C interface: captures of the Vita.
#include <vector>

#include "capture/c_sink.h"
#include "device/usse/c_api.h"

using namespace warpjit;
using namespace warpjit::c_api;

warpjit_status warpjit_usse_recorder_begin(warpjit_capture_sink sink, void* context,
                                           const warpjit_usse_memory* memory, size_t memory_count,
                                           warpjit_usse_recorder** recorder, warpjit_error* error) {
  return make(recorder, "recorder", error, {}, [&]() -> Result<warpjit_usse_recorder> {
    if (sink == nullptr) return bad("is null", "sink");
    WARPJIT_TRY(const auto given_pieces, array(memory, memory_count, "memory"));
    std::vector<usse::Memory> pieces;
    for (const warpjit_usse_memory& piece : given_pieces) {
      WARPJIT_CHECK(bytes_at(piece.data, piece.byte_count));
      pieces.push_back({piece.address, piece.data, piece.byte_count});
    }
    auto to = std::make_shared<capture::CSink>(capture::CSink{sink, context});
    WARPJIT_TRY(usse::Recorder made, usse::Recorder::begin(capture::write_to, to.get(), pieces));
    return warpjit_usse_recorder{std::move(to), std::move(made)};
  });
}
void warpjit_usse_recorder_destroy(warpjit_usse_recorder* recorder) { delete recorder; }

warpjit_status warpjit_usse_recorder_end_frame(warpjit_usse_recorder* recorder, warpjit_error* error) {
  return call(error, {{recorder, "recorder"}}, [&] { return recorder->recorder.end_frame(); });
}
warpjit_status warpjit_usse_recorder_end(warpjit_usse_recorder* recorder, warpjit_error* error) {
  return call(error, {{recorder, "recorder"}}, [&] { return recorder->recorder.end(); });
}
