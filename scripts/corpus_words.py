"""Words of the English-French corpus: links, French elision, the lexicon, inflection. Used by make_corpus.py."""

import collections
import itertools
import pathlib
import unicodedata

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"

# ---- words and links -------------------------------------------------------------------------------

_tags = itertools.count()


def pair(english, french):
    """'waits/v for/v', 'attend/v' -> two lists of (word, tags); words with one label are linked.

    A label may hold several letters; a word without label has no link."""
    fresh = {}

    def side(text):
        words = []
        for token in text.split():
            word, _, labels = token.partition("/")
            words.append((word, frozenset(fresh.setdefault(c, next(_tags)) for c in labels)))
        return words

    return side(english), side(french)


def join(*pairs):
    return sum((p[0] for p in pairs), []), sum((p[1] for p in pairs), [])


def relinked(phrase):
    """The same words under new tags: a phrase used twice in one sentence must not link to itself."""
    new = collections.defaultdict(lambda: next(_tags))
    return tuple([(w, frozenset(new[t] for t in tags)) for w, tags in side] for side in phrase)


EMPTY = ([], [])
ASPIRATED = {"huit", "onze", "oui"}


def vowel_start(word):
    base = unicodedata.normalize("NFD", word.replace("œ", "oe").lower())
    return base[:1] in set("aeiouyh") and word not in ASPIRATED


ELIDED = {
    "je": "j'",
    "me": "m'",
    "te": "t'",
    "le": "l'",
    "la": "l'",
    "LE": "l'",
    "ne": "n'",
    "de": "d'",
    "que": "qu'",
    "se": "s'",
}
CONTRACTED = {("de", "LE"): "du", ("à", "LE"): "au", ("de", "LES"): "des", ("à", "LES"): "aux"}
# Forms that depend on the next word: (before a consonant, before a vowel). Capitals exist only inside the grammar.
BEFORE = {
    "MA": ("ma", "mon"),
    "TA": ("ta", "ton"),
    "SA": ("sa", "son"),
    "CE": ("ce", "cet"),
    "BEAU": ("beau", "bel"),
    "NOUVEAU": ("nouveau", "nouvel"),
    "VIEUX": ("vieux", "vieil"),
}


def finish_french(words):
    out = []
    for i, (word, tags) in enumerate(words):
        following = words[i + 1][0] if i + 1 < len(words) else ""
        vowel = vowel_start(following)
        if word == "si" and following in ("il", "ils"):
            word = "s'"
        elif word in ELIDED and vowel:
            word = ELIDED[word]
        elif word in BEFORE:
            word = BEFORE[word][vowel]
        elif out and (out[-1][0], word) in CONTRACTED:
            before, before_tags = out.pop()
            word, tags = CONTRACTED[before, word], tags | before_tags
        out.append((word, tags))
    return [({"LE": "le", "LES": "les"}.get(w, w), t) for w, t in out]


def finish_english(words):
    out = []
    for i, (word, tags) in enumerate(words):
        following = words[i + 1][0] if i + 1 < len(words) else ""
        if word == "a" and following[:1].lower() in set("aeiou") and following not in ("European", "union"):
            word = "an"
        out.append((word, tags))
    return out


def sentence(phrase):
    """(english, french, links) of a finished phrase."""
    english, french = finish_english(phrase[0]), finish_french(phrase[1])
    links = [f"{i}-{j}" for i, (_, a) in enumerate(english) for j, (_, b) in enumerate(french) if a & b]
    return " ".join(w for w, _ in english), " ".join(w for w, _ in french), " ".join(links)


# ---- lexicon ---------------------------------------------------------------------------------------

Noun = collections.namedtuple("Noun", "kind one many french gender french_many")
Adjective = collections.namedtuple("Adjective", "english m f place kinds")
Verb = collections.namedtuple("Verb", "base third past particle infinitive present participle future objects")
# person: index into je, tu, il, nous, ils
Subject = collections.namedtuple("Subject", "phrase person gender plural")
Clitic = collections.namedtuple("Clitic", "english french gender plural person")

PRONOUNS = [
    Subject(pair(e + "/a", f + "/a"), p, g, n)
    for e, f, p, g, n in [
        ("I", "je", 0, "m", False),
        ("you", "tu", 1, "m", False),
        ("he", "il", 2, "m", False),
        ("she", "elle", 2, "f", False),
        ("we", "nous", 3, "m", True),
        ("they", "ils", 4, "m", True),
    ]
]
DIRECT = [
    Clitic(*row)
    for row in [
        ("me", "me", "m", False, 0),
        ("you", "te", "m", False, 1),
        ("him", "le", "m", False, 2),
        ("her", "la", "f", False, 2),
        ("us", "nous", "m", True, 3),
        ("them", "les", "m", True, 4),
    ]
]
INDIRECT = [
    c._replace(french={"le": "lui", "la": "lui", "les": "leur"}.get(c.french, c.french)) for c in DIRECT
]
NAMES = [("Paul", "m"), ("Pierre", "m"), ("Marie", "f"), ("Anna", "f")]
AVOIR = ["ai", "as", "a", "avons", "ont"]
ALLER = ["vais", "vas", "va", "allons", "vont"]
BE = {
    "present": (["am", "are", "is", "are", "are"], ["suis", "es", "est", "sommes", "sont"]),
    "past": (["was", "were", "was", "were", "were"], ["étais", "étais", "était", "étions", "étaient"]),
    "future": (["will_be"] * 5, ["serai", "seras", "sera", "serons", "seront"]),
}
FUTURE_ENDINGS = ["ai", "as", "a", "ons", "ont"]
MODALS = [
    ("want", "wants", "to", ["veux", "veux", "veut", "voulons", "veulent"]),
    ("can", "can", "", ["peux", "peux", "peut", "pouvons", "peuvent"]),
    ("must", "must", "", ["dois", "dois", "doit", "devons", "doivent"]),
]


def read_lexicon():
    sections, rows = {}, None
    for line in (DATA / "lexicon.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            rows = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            rows.append(line.split("|"))
    nouns = [Noun(*r[:5], r[5] if len(r) > 5 else r[3] + "s") for r in sections["nouns"]]
    adjectives = [Adjective(*r) for r in sections["adjectives"]]
    verbs = []
    for r in sections["verbs"]:
        stem = r[4][:-2]
        present = [stem + e for e in ("e", "es", "e", "ons", "ent")] if r[5] == "-" else r[5].split(",")
        verbs.append(Verb(*r[:5], present, r[6], "" if r[7] == "-" else r[7], r[8]))
    return nouns, adjectives, verbs


def inflect(m, f, gender, plural):
    if gender == "f":
        return f + ("s" if plural else "")
    if not plural:
        return m
    m = m.lower()
    if m[-1] in "sx":
        return m
    if m.endswith("eau"):
        return m + "x"
    return m[:-2] + "aux" if m.endswith("al") else m + "s"
