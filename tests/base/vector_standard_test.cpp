// The tests of Vector for the form that has no extension of a compiler: compiled with WARPJIT_STANDARD_CXX.
#define WARPJIT_VECTOR_SUITE StandardVector
#include "vector_test.cpp"

static_assert(std::is_class_v<warpjit::Vector<float, 4>>);
