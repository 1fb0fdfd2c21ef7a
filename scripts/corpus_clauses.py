"""Noun phrases and clauses of the English-French corpus, in both languages at once. Used by corpus_grammar.py."""

from corpus_words import ALLER, AVOIR, DIRECT, FUTURE_ENDINGS, INDIRECT, MODALS, NAMES, PRONOUNS, EMPTY, BE
from corpus_words import Subject, inflect, join, pair, read_lexicon, relinked

DETERMINERS = {  # english: (masculine, feminine, plural); None: not used in that number
    "the": ("LE", "la", "LES"),
    "a": ("un", "une", None),
    "this": ("CE", "cette", None),
    "these": (None, None, "ces"),
    "my": ("mon", "MA", "mes"),
    "your": ("ton", "TA", "tes"),
    "his": ("son", "SA", "ses"),
    "her": ("son", "SA", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
    "two": (None, None, "deux"),
    "three": (None, None, "trois"),
    "four": (None, None, "quatre"),
    "five": (None, None, "cinq"),
    "ten": (None, None, "dix"),
    "many": (None, None, "beaucoup/d de"),
}
RELATIVES = ("child", "friend", "brother", "sister", "teacher", "student", "doctor", "neighbour")  # "my ..."
OWNED = ("house", "garden", "castle", "hotel", "island")  # places a person may have
NUMBERS = ["two", "three", "four", "five", "ten"]


class Clauses:
    def __init__(self, random):
        self.random = random
        self.nouns, self.adjectives, self.verbs = read_lexicon()
        self.by_kind = {k: [n for n in self.nouns if n.kind == k] for k in "PLTBFDXQ"}
        # verbs 1 (open, close) and 2 (sign, accept) take a few nouns only
        self.by_kind["1"] = [n for n in self.nouns if n.one in ("door", "window", "box", "school", "letter")]
        self.by_kind["2"] = [
            n for n in self.nouns if n.one in ("treaty", "agreement", "plan", "project", "programme")
        ]
        self.clitic_verbs = [v for v in self.verbs if "C" in v.objects]

    # -- noun phrases
    def noun_phrase(self, noun, determiner="the", plural=False, adjective=None, negated=False):
        """Phrase; `negated` turns "un" into "de" as after "ne ... pas"."""
        row = DETERMINERS[determiner]
        french_det = row[2] if plural else row[noun.gender == "f"]
        if determiner == "a" and negated:
            french_det = "de"
        french_det = french_det if "/" in french_det else french_det + "/d"
        french_det += "/d" if french_det.endswith(" de") else ""
        english_adj = french_before = french_after = ""
        if adjective:
            english_adj = adjective.english + "/a"
            form = inflect(adjective.m, adjective.f, noun.gender, plural) + "/a"
            french_before, french_after = (form, "") if adjective.place == "before" else ("", form)
        english = f"{determiner}/d {english_adj} {noun.many if plural else noun.one}/n"
        french = (
            f"{french_det} {french_before} {noun.french_many if plural else noun.french}/n {french_after}"
        )
        return pair(english, french)

    def adjective_for(self, kind):
        kind = {"1": "T", "2": "X"}.get(kind, kind)
        return self.random.pick([a for a in self.adjectives if kind in a.kinds])

    def any_noun(self, kinds, adjective_percent=40, negated=False, determiners=None):
        """(phrase, noun, plural) with a random noun of one of the classes."""
        r = self.random
        noun = r.pick(self.by_kind[r.pick(kinds)])
        plural = noun.many != "-" and r.chance(25)
        if not determiners:
            single = ["the"] * 5 + ["this", "my", "your", "his", "her", "our", "their"]
            single += ["a"] * 4 if noun.many != "-" else []
            many = ["the"] * 4 + ["these", "my", "your", "his", "our", "their", "many"] + NUMBERS
            if noun.kind in "XL":  # nobody says "my council"
                single = [d for d in single if d in ("the", "a", "this", "our")]
                many = [d for d in many if d in ("the", "these", "our", "two", "three", "many")]
            elif noun.kind == "P" and noun.one not in RELATIVES:
                single = [d for d in single if d in ("the", "a", "this", "our")]
                many = [d for d in many if d not in ("my", "your", "his")]
            if negated:  # "ne ... pas de" is left to have_sentence
                single = [d for d in single if d != "a"]
            determiners = many if plural else single
        else:
            plural = False
        adjective = self.adjective_for(noun.kind) if r.chance(adjective_percent) else None
        return self.noun_phrase(noun, r.pick(determiners), plural, adjective, negated), noun, plural

    def subject(self, pronoun_percent=70):
        r = self.random
        if r.chance(pronoun_percent):
            pronoun = r.pick(PRONOUNS)
            return pronoun._replace(phrase=relinked(pronoun.phrase))
        if r.chance(30):
            name, gender = r.pick(NAMES)
            return Subject(pair(name + "/a", name + "/a"), 2, gender, False)
        phrase, noun, plural = self.any_noun("P", 30)
        return Subject(phrase, 4 if plural else 2, noun.gender, plural)

    def clitic(self, subject, indirect=False):
        banned = {0: (0, 3), 1: (1,), 2: (), 3: (0, 3), 4: ()}[subject.person]
        return self.random.pick([c for c in (INDIRECT if indirect else DIRECT) if c.person not in banned])

    # -- clauses
    def clause(
        self,
        subject,
        verb,
        clitic=None,
        noun=None,
        tense="present",
        negation="",
        adverb="",
        question=False,
        indirect=False,
        agree=None,
    ):
        """One clause. negation: "", "not", "never"; adverb: "", "always", "often"; agree: (gender, plural) of
        a direct object that stands before the verb without being a clitic."""
        p = subject.person
        third = p == 2
        if clitic and not indirect:
            agree = (clitic.gender, clitic.plural)
        participle = inflect(verb.participle, verb.participle + "e", *agree) if agree else verb.participle
        if question:
            negation = ""
        base = verb.base + "/v"
        do = {"present": "does" if third else "do", "past": "did"}.get(tense)
        word = {"always": "toujours", "often": "souvent", "": ""}[adverb]
        adverb_en, adverb_fr = (adverb + "/w", word + "/w") if adverb else ("", "")
        if tense == "future":
            english = {
                "not": f"will/v not/n {base}",
                "never": f"will/v never/n {base}",
                "": f"will/v {adverb_en} {base}",
            }[negation]
        elif tense == "going":
            be = BE["present"][0][p]
            english = f"{be}/g {'not/n' if negation else adverb_en} going/g to {base}"
            negation = "not" if negation else ""
        elif question:
            english = f"{adverb_en} {base}"
        elif negation == "not":
            english = f"{do}{'/x' if tense == 'past' else ''} not/n {base}"
        else:
            form = verb.past if tense == "past" else verb.third if third else verb.base
            english = f"{'never/n' if negation else adverb_en} {form}/v"
        if verb.particle:
            english += f" {verb.particle}/v"
        if question and tense in ("future", "going"):
            raise ValueError("questions are in the present or the past")

        ne, pas = ("ne/n", "pas/n" if negation == "not" else "jamais/n") if negation else ("", "")
        object_fr = clitic.french + "/o" if clitic else ""
        if tense == "present":
            french = f"{ne} {object_fr} {verb.present[p]}/v {pas} {adverb_fr}"
        elif tense == "past":
            auxiliary = "/x" if negation == "not" else "/v"
            french = f"{ne} {object_fr} {AVOIR[p]}{auxiliary} {pas} {adverb_fr} {participle}/v"
        elif tense == "future":
            french = f"{ne} {object_fr} {verb.future}{FUTURE_ENDINGS[p]}/v {pas} {adverb_fr}"
        else:
            french = f"{ne} {ALLER[p]}/g {pas} {adverb_fr} {object_fr} {verb.infinitive}/v"
        predicate = pair(english + (f" {clitic.english}/o" if clitic else ""), french)
        phrase = join(subject.phrase, predicate, noun or EMPTY)
        if question:
            mark = pair(f"{do}/q", "est-ce/q que/q")
            phrase = join(mark, phrase)
        return phrase

    def modal_clause(self, subject, verb, clitic=None, noun=None, negated=False):
        base, third, particle, present = self.random.pick(MODALS)
        p = subject.person
        if base == "can" and negated:
            english = "cannot/mn"
        elif negated and base == "want":
            english = f"{'does' if p == 2 else 'do'} not/n want/m"
        else:
            english = f"{third if p == 2 else base}/m" + (" not/n" if negated else "")
        english += f" {particle} {verb.base}/v" + (f" {verb.particle}/v" if verb.particle else "")
        ne, pas = ("ne/n", "pas/n") if negated else ("", "")
        predicate = pair(
            english + (f" {clitic.english}/o" if clitic else ""),
            f"{ne} {present[p]}/m {pas} {clitic.french + '/o' if clitic else ''} {verb.infinitive}/v",
        )
        return join(subject.phrase, predicate, noun or EMPTY)

    def tense_for(self, verb):
        tenses = ["present"] * 5 + ["past"] * 3 + ["going"] + (["future"] * 2 if verb.future else [])
        return self.random.pick(tenses)

    def tail(self, tense, percent=45, place_only=False):
        """A time or a place after the clause; after "always" and "never" only a place."""
        r = self.random
        if not r.chance(percent):
            return EMPTY
        if place_only or r.chance(45):
            return self.place()
        times = {
            "present": [
                ("now/a", "maintenant/a"),
                ("today/a", "aujourd'hui/a"),
                ("every/a day/b", "chaque/a jour/b"),
                ("every/a evening/b", "chaque/a soir/b"),
            ],
            "past": [
                ("yesterday/a", "hier/a"),
                ("last/a week/b", "la semaine/b dernière/a"),
                ("last/a year/b", "la année/b dernière/a"),
                ("this/a morning/b", "ce/a matin/b"),
            ],
            "future": [
                ("tomorrow/a", "demain/a"),
                ("next/a week/b", "la semaine/b prochaine/a"),
                ("soon/a", "bientôt/a"),
                ("tonight/a", "ce/a soir/a"),
            ],
        }
        return pair(*r.pick(times["future" if tense == "going" else tense]))

    def place(self):
        r = self.random
        choice = r.below(10)
        if choice < 2:
            return pair(
                *r.pick(
                    [("here/a", "ici/a"), ("in/a Paris/b", "à/a Paris/b"), ("in/a London/b", "à/a Londres/b")]
                )
            )
        if choice < 4:
            phrase, _, _ = self.any_noun("P", 20)
            return join(pair("with/a", "avec/a"), phrase)
        preposition, names = r.pick(
            [
                (
                    ("in/a", "dans/a"),
                    "house city village garden street forest kitchen country hotel museum castle",
                ),
                (("at/a", "à/a"), "school church station hospital museum hotel"),
                (("near/a", "près/a de/a"), "river church station forest bridge castle school square"),
                (("in/a front/a of/a", "devant/a"), "house church station school hotel museum"),
                (("behind/a", "derrière/a"), "house church station garden castle"),
            ]
        )
        noun = r.pick([n for n in self.by_kind["L"] if n.one in names.split()])
        adjective = self.adjective_for("L") if r.chance(20) else None
        determiner = "the" if preposition[0] == "at/a" or r.chance(75) else r.pick(["a", "this", "our"])
        return join(pair(*preposition), self.noun_phrase(noun, determiner, False, adjective))
