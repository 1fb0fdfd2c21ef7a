#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// n-grams of one order in a text of `length` symbols.
constexpr double ngrams_in(size_t length, size_t order) {
  return length < order ? 0.0 : static_cast<double>(length - order + 1);
}

/// Counts n-grams that two texts share. An n-gram is known by the number of its first n-1 symbols and its last symbol,
/// so that a step from one order to the next costs one look into a table of 64-bit keys, and n-grams that differ never
/// count as the same. Keeps its tables from call to call; not to be shared by threads.
class NgramMatcher {
 public:
  /// matches[n-1]: how many n-grams of the text stand in the references; each counts at most as often as in the
  /// reference that has most of it. Symbols are characters or numbered words.
  void count(std::u32string_view text, std::span<const std::u32string> references, std::span<double> matches);

 private:
  struct Slot {
    uint64_t key;
    uint32_t round;      ///< the slot is empty in any other round
    uint32_t in_text;    ///< how often the n-gram stands in the text
    uint32_t allowed;    ///< how often in the reference that has most of it
    uint32_t reference;  ///< the one that `found` is about
    uint32_t found;
  };
  /// A place where an n-gram that may still match begins, and its slot.
  struct Place {
    uint32_t at;
    uint32_t slot;
  };

  void start_round();
  Slot& find(uint64_t key);
  void insert_text(std::u32string_view text, size_t order);
  double match_reference(std::u32string_view reference, uint32_t number, size_t order);

  std::vector<Slot> slots_;
  uint32_t round_ = 0;
  int shift_ = 0;
  std::vector<Place> text_places_;
  std::vector<std::vector<Place>> reference_places_;
};

}  // namespace gloss
