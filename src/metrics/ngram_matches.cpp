#include "metrics/ngram_matches.h"

#include <algorithm>
#include <bit>

#include "core/random.h"

namespace gloss {
namespace {

constexpr size_t kSmallestTable = 64;

uint64_t key_of(uint32_t prefix, char32_t last) { return (uint64_t{prefix} << 32) | last; }

template <class Place>
void every_place(std::vector<Place>& places, size_t length) {
  places.resize(length);
  for (size_t i = 0; i < length; ++i) places[i] = {static_cast<uint32_t>(i), 0};
}

}  // namespace

void NgramMatcher::start_round() {
  if (++round_ != 0) return;
  for (auto& slot : slots_) slot.round = 0;
  round_ = 1;
}

/// The slot of the key, or the empty one where it belongs.
NgramMatcher::Slot& NgramMatcher::find(uint64_t key) {
  const size_t mask = slots_.size() - 1;
  for (size_t i = (key * kGoldenGamma) >> shift_;; i = (i + 1) & mask)
    if (slots_[i].round != round_ || slots_[i].key == key) return slots_[i];
}

void NgramMatcher::insert_text(std::u32string_view text, size_t order) {
  for (auto& place : text_places_) {
    const auto key = key_of(place.slot, text[place.at + order - 1]);
    auto& slot = find(key);
    if (slot.round != round_) slot = {key, round_, 0, 0, 0, 0};
    ++slot.in_text;
    place.slot = static_cast<uint32_t>(&slot - slots_.data());
  }
}

/// Matches that this reference adds to those of the references before it.
double NgramMatcher::match_reference(std::u32string_view reference, uint32_t number, size_t order) {
  auto& places = reference_places_[number];
  size_t kept = 0;
  double matches = 0.0;
  for (const auto place : places) {
    const size_t last = place.at + order - 1;
    if (last >= reference.size()) continue;
    auto& slot = find(key_of(place.slot, reference[last]));
    if (slot.round != round_) continue;  // not in the text, and nor is anything longer that begins here
    places[kept++] = {place.at, static_cast<uint32_t>(&slot - slots_.data())};
    if (slot.reference != number) {
      slot.reference = number;
      slot.found = 0;
    }
    if (++slot.found <= slot.allowed) continue;
    slot.allowed = slot.found;
    if (slot.allowed <= slot.in_text) ++matches;
  }
  places.resize(kept);
  return matches;
}

void NgramMatcher::count(std::u32string_view text, std::span<const std::u32string> references,
                         std::span<double> matches) {
  std::fill(matches.begin(), matches.end(), 0.0);
  const size_t size = std::max(kSmallestTable, std::bit_ceil(2 * text.size()));
  if (slots_.size() < size) {
    slots_.assign(size, Slot{});
    round_ = 0;
    shift_ = 64 - std::countr_zero(size);
  }
  every_place(text_places_, text.size());
  if (reference_places_.size() < references.size()) reference_places_.resize(references.size());
  for (size_t r = 0; r < references.size(); ++r) every_place(reference_places_[r], references[r].size());

  for (size_t order = 1; order <= matches.size(); ++order) {
    start_round();
    insert_text(text, order);
    for (size_t r = 0; r < references.size(); ++r)
      matches[order - 1] += match_reference(references[r], static_cast<uint32_t>(r), order);
    if (matches[order - 1] == 0) return;  // nothing longer matches
    std::erase_if(text_places_, [&](const Place& place) {
      return place.at + order >= text.size() || slots_[place.slot].allowed == 0;
    });
  }
}

}  // namespace gloss
