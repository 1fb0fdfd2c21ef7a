#include "checkpoint/attention_metadata.h"

#include "core/error.h"
#include "support/catch.h"

using namespace gloss;

TEST_CASE("an attention choice is stored and read back", "[checkpoint][unit]") {
  const AttentionChoice choice{.layer = 2, .head = 1, .shift = true};
  const auto read = read_attention_metadata(attention_metadata(choice), {3, 4, /*shifts=*/true}, "model");
  CHECK(read.layer == 2);
  CHECK(read.head == 1);
  CHECK(read.shift);
  CHECK(read_attention_metadata({}, {3, 4, /*shifts=*/true}, "model") == AttentionChoice{});
  CHECK_THROWS_AS(read_attention_metadata(attention_metadata(choice), {3, 4, /*shifts=*/false}, "model"),
                  CheckpointError);
}

TEST_CASE("a choice that the model does not have is refused, with the file named", "[checkpoint][unit]") {
  const auto& [key, value] = GENERATE(table<std::string, std::string>({{"alignment_layer", "99"},
                                                                       {"alignment_layer", "two"},
                                                                       {"alignment_layer", "-1"},
                                                                       {"alignment_layer", "1.5"},
                                                                       {"alignment_head", "5"},
                                                                       {"alignment_shift", "7"}}));
  INFO(key << " " << value);
  auto metadata = attention_metadata({});
  metadata[key] = value;
  CHECK_THROWS_AS(read_attention_metadata(metadata, {3, 4, /*shifts=*/true}, "model"), CheckpointError);
}
