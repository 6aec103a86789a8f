// Improves the coefficients that minimax.py gives, for src/base/math.h: changes them at random by units in
// the last place and keeps what lowers the largest error measured with the very float operations of math.h.
//   g++ -std=c++20 -O3 -march=native -ffp-contract=off scripts/polish_polynomials.cpp -o /tmp/polish
//   /tmp/polish exp2|log2 [seed] [rounds]
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

namespace {

using Coefficients = std::vector<float>;  // of the highest power first

float horner(const Coefficients& c, float f) {
  float p = c[0];
  for (std::size_t i = 1; i < c.size(); ++i) p = std::fma(p, f, c[i]);
  return p;
}

struct Point {
  float f;
  double exact;
};

// `count` points in [low, high], ordered so that any prefix covers the interval roughly.
std::vector<Point> points(double low, double high, int count, const std::function<double(double)>& exact) {
  std::vector<Point> result;
  for (int start = 0; start < 9973; ++start) {
    for (int i = start; i <= count; i += 9973) {
      const float f = static_cast<float>(low + (high - low) * i / count);
      if (f != 0) result.push_back({f, exact(f)});
    }
  }
  return result;
}

// The largest error that `error` gives at a point; stops above `limit`.
template <class Error>
double worst(const std::vector<Point>& points, double limit, Error error) {
  double result = 0;
  for (const Point& point : points) {
    result = std::max(result, error(point));
    if (result > limit) break;
  }
  return result;
}

template <class Cost>
void climb(Coefficients c, std::size_t movable, Cost cost, unsigned seed, int rounds) {
  std::mt19937 random(seed);
  double best = cost(c, HUGE_VAL);
  for (int round = 0; round < rounds; ++round) {
    Coefficients trial = c;
    for (unsigned moves = 1 + random() % 3; moves > 0; --moves) {
      const std::size_t i = random() % movable;
      const std::int32_t step = 1 + static_cast<std::int32_t>(random() % (1u << random() % (i < 4 ? 12 : 5)));
      trial[i] = std::bit_cast<float>(std::bit_cast<std::int32_t>(trial[i]) + (random() % 2 ? step : -step));
    }
    const double trial_cost = cost(trial, best);
    if (trial_cost < best) {
      best = trial_cost;
      c = trial;
    }
  }
  std::printf("2^%.4f:", std::log2(best));
  for (float value : c) std::printf(" %a", value);
  std::printf("\n");
}

void polish_exp2(unsigned seed, int rounds) {
  const auto exact = [](double f) { return std::exp2(f); };
  const std::vector<Point> all = points(-1, 1, 600000, exact);
  const std::vector<Point> denormal = points(-1, 0, 1 << 17, exact);  // every x in [-127, -126]
  const auto cost = [&](const Coefficients& c, double limit) {
    if (horner(c, 1.0f) != 2.0f || horner(c, -1.0f) != 0.5f) return HUGE_VAL;
    const double relative =
        worst(all, limit, [&](const Point& p) { return std::fabs(horner(c, p.f) / p.exact - 1); });
    if (relative > limit) return relative;
    // Errors in ulps of the largest denormals, weighted like 1/0.88 of the same relative error.
    return std::max(relative, worst(denormal, limit, [&](const Point& p) {
                      return std::fabs(horner(c, p.f) * 0x1p-126f - p.exact * 0x1p-126) * (1.14 * 0x1p126);
                    }));
  };
  climb({0x1.f857a6p-17f, 0x1.4847f8p-13f, 0x1.5dafcep-10f, 0x1.3b1ee4p-7f, 0x1.c6afe6p-5f, 0x1.ebfbfep-3f,
         0x1.62e432p-1f, 1.0f},
        7, cost, seed, rounds);
}

void polish_log2(unsigned seed, int rounds) {
  // The variable of math.h is 4 (m - 1), so its coefficients are those of minimax.py over powers of 4.
  const auto exact = [](double f) { return std::log2(1 + f / 4); };
  std::vector<Point> all = points(4 * (std::sqrt(0.5) - 1), 4 * (std::sqrt(2.0) - 1), 600000, exact);
  const std::vector<Point> near_one = points(-0x1p-10, 0x1p-10, 20000, exact);
  all.insert(all.end(), near_one.begin(), near_one.end());
  const auto cost = [&](const Coefficients& c, double limit) {
    return worst(all, limit, [&](const Point& p) { return std::fabs(p.f * horner(c, p.f) / p.exact - 1); });
  };
  climb({0x1.01b6cep-21f, -0x1.a87d0ep-19f, 0x1.b9c920p-17f, -0x1.e95be6p-15f, 0x1.26d384p-12f,
         -0x1.715c4ep-10f, 0x1.ec73d6p-8f, -0x1.715470p-5f, 0x1.715476p-2f},
        9, cost, seed, rounds);
}

}  // namespace

int main(int argc, char** argv) {
  const char* function = argc > 1 ? argv[1] : "";
  const unsigned seed = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 40000;
  if (std::strcmp(function, "exp2") == 0) {
    polish_exp2(seed, rounds);
  } else if (std::strcmp(function, "log2") == 0) {
    polish_log2(seed, rounds);
  } else {
    std::fprintf(stderr, "usage: polish exp2|log2 [seed] [rounds]\n");
    return 2;
  }
}
