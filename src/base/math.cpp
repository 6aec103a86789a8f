#include "base/math.h"

namespace warpjit::math {

float round_f24(float x) {
  ScalarOps ops;
  return round_f24(ops, x);
}

float exp2(float x) {
  ScalarOps ops;
  return exp2(ops, x);
}

float log2(float x) {
  ScalarOps ops;
  return log2(ops, x);
}

float rcp(float x) {
  ScalarOps ops;
  return rcp(ops, x);
}

float rsqrt(float x) {
  ScalarOps ops;
  return rsqrt(ops, x);
}

}  // namespace warpjit::math
