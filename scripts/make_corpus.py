#!/usr/bin/env python3
"""Makes the English-French corpus in data/ from a small grammar and hand-written sentences.

  scripts/make_corpus.py           write data/{train,dev,test}.{en,fr} and data/test.gold
  scripts/make_corpus.py --check   make them in memory, compare with the files, exit 1 on a difference

Inputs: data/lexicon.txt (words), data/handwritten.tsv (sentences). Same inputs, same bytes: the random
numbers are this script's own. Each grammar rule builds both languages at once, word by word, and marks
which words stand for each other; French elision and contraction are applied afterwards
(corpus_grammar.py, corpus_clauses.py, corpus_words.py).
"""

import argparse
import collections
import sys

from corpus_grammar import Grammar
from corpus_words import DATA, ELIDED, sentence, vowel_start

DEV, TEST, GOLD = 150, 200, 70
ARTICLE = [
    ("I love you", "je t' aime", "0-0 1-2 2-1"),
    ("the zone of international control", "la zone de contrôle international", "0-0 1-1 2-2 3-4 4-3"),
]
ARTICLE_COPIES = 4
RARE = 6  # a word seen less often than this keeps its sentence out of dev and test


class Random:
    """splitmix64, so that no library version changes the corpus."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return (z ^ (z >> 31)) % n

    def pick(self, items):
        return items[self.below(len(items))]

    def chance(self, percent):
        return self.below(100) < percent

    def shuffle(self, items):
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]


def read_handwritten():
    rows = []
    for number, line in enumerate((DATA / "handwritten.tsv").read_text(encoding="utf-8").splitlines(), 1):
        fields = line.split("\t")
        if len(fields) not in (2, 3) or any(f != " ".join(f.split()) for f in fields):
            raise SystemExit(f"data/handwritten.tsv:{number}: expected english, french and optional links")
        words = fields[1].split()
        for word, following in zip(words, words[1:]):
            if word in ELIDED and vowel_start(following):
                raise SystemExit(f"data/handwritten.tsv:{number}: '{word} {following}' needs an elision")
        if any("'" in w[:-1] and w != "aujourd'hui" for w in words):
            raise SystemExit(f"data/handwritten.tsv:{number}: an elided word must stand apart")
        rows.append(tuple(fields) if len(fields) == 3 else (*fields, ""))
    return rows


def acceptable(row):
    return 2 <= len(row[0].split()) <= 16 and len(row[1].split()) <= 18


def make():
    """{file name: text}"""
    random = Random(20140901)
    grammar = Grammar(random)
    handwritten = read_handwritten()
    seen = {e: f for e, f, _ in ARTICLE}
    for english, french, _ in handwritten:
        if seen.setdefault(english, french) != french or [e for e, _, _ in handwritten].count(english) > 1:
            raise SystemExit(f"data/handwritten.tsv: '{english}' stands twice")
    core = []
    for phrase in grammar.core():
        row = sentence(phrase)
        if row[0] not in seen:
            seen[row[0]] = row[1]
            core.append(row)
    types = [
        (grammar.clitic_sentence, 900),
        (lambda: grammar.clitic_sentence(True), 230),
        (grammar.noun_sentence, 500),
        (lambda: grammar.noun_sentence(True), 130),
        (grammar.giving_sentence, 260),
        (grammar.modal_sentence, 330),
        (grammar.intransitive_sentence, 240),
        (grammar.copula_sentence, 260),
        (grammar.compound_sentence, 430),
        (grammar.noun_phrase_alone, 160),
        (grammar.have_sentence, 140),
        (grammar.there_sentence, 110),
        (grammar.some_sentence, 90),
        (grammar.relative_sentence, 170),
        (grammar.joined_sentence, 200),
        (grammar.wh_sentence, 120),
    ]
    made = []
    for rule, wanted in types:
        count = 0
        while count < wanted:
            row = sentence(rule())
            if row[0] not in seen and acceptable(row):
                seen[row[0]] = row[1]
                made.append(row)
                count += 1
    random.shuffle(made)
    return write(*split(random, core, made, handwritten))


def split(random, core, made, handwritten):
    counts = [collections.Counter(), collections.Counter()]
    for row in core + made + handwritten:
        for side in (0, 1):
            counts[side].update(set(row[side].split()))
    known = lambda row: all(counts[s][w] >= RARE for s in (0, 1) for w in row[s].split())
    by_hand = [r for r in handwritten if r[2]]
    plain = [r for r in handwritten if not r[2]]
    held = [r for r in plain if known(r)][::4][:30]
    pool = [r for r in core if known(r) and not r[0].split()[1].startswith("love")]
    random.shuffle(pool)
    held_core = pool[:15]
    candidates = [r for r in made if known(r)]
    needed_test = TEST - len(ARTICLE) - len(by_hand) - 10 - 15
    needed_dev = DEV - 5 - 15
    test_grammar = held_core[:10] + candidates[:needed_test]
    test = ARTICLE + by_hand + test_grammar + held[:15]
    dev = held_core[10:] + candidates[needed_test : needed_test + needed_dev] + held[15:30]
    missing = DEV + TEST - len(test) - len(dev)
    extra = candidates[needed_test + needed_dev : needed_test + needed_dev + missing]
    dev += extra[: DEV - len(dev)]
    test += extra[len(extra) - (TEST - len(test)) :] if len(test) < TEST else []
    outside = {r[0] for r in test + dev}
    train = [r for r in core + made + handwritten if r[0] not in outside] + ARTICLE * ARTICLE_COPIES
    random.shuffle(train)
    random.shuffle(dev)
    return train, dev, test


def write(train, dev, test):
    if any(not r[2] for r in test[:GOLD]):
        raise SystemExit("a test sentence under the gold limit has no links")
    files = {}
    for name, rows in (("train", train), ("dev", dev), ("test", test)):
        for side, suffix in enumerate(("en", "fr")):
            files[f"{name}.{suffix}"] = "".join(r[side] + "\n" for r in rows)
    files["test.gold"] = "".join(r[2] + "\n" for r in test[:GOLD])
    return files


def main():
    parser = argparse.ArgumentParser(description="make the corpus in data/")
    parser.add_argument("--check", action="store_true", help="compare with the files instead of writing them")
    arguments = parser.parse_args()
    status = 0
    for name, text in make().items():
        path, content = DATA / name, text.encode("utf-8")
        if not arguments.check:
            path.write_bytes(content)
        elif not path.exists() or path.read_bytes() != content:
            print(
                f"data/{name}: differs from what scripts/make_corpus.py makes; run it again", file=sys.stderr
            )
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
