"""Values that fill fact frames: each knows several true ways to write it and near misses that are wrong."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]

FIRST = [
    "Nora",
    "Elias",
    "Judith",
    "Piotr",
    "Amara",
    "Silvan",
    "Teresa",
    "Kofi",
    "Ingmar",
    "Leila",
    "Rosalind",
    "Tobias",
    "Yara",
    "Matteo",
    "Greta",
    "Anselm",
    "Priya",
    "Dmitri",
    "Hanne",
    "Oscar",
    "Beatriz",
    "Callum",
    "Wanda",
    "Felix",
    "Naomi",
    "Rupert",
    "Salma",
    "Viktor",
    "Edith",
    "Joaquin",
    "Mira",
    "Stellan",
]
LAST = [
    "Whitlock",
    "Abernethy",
    "Okafor",
    "Lindqvist",
    "Marchetti",
    "Drummond",
    "Kowalczyk",
    "Ferreira",
    "Hollister",
    "Nakamura",
    "Brandvold",
    "Castellan",
    "Oyelaran",
    "Pemberton",
    "Quillfeather",
    "Rasmussen",
    "Sabatini",
    "Thornbury",
    "Ulvaeus",
    "Vandermeer",
    "Wexford",
    "Yildiz",
    "Zeller",
    "Ashdown",
    "Birchall",
    "Corrigan",
]
PLACES = [
    "Ashwick",
    "Brindlemere",
    "Callowden",
    "Dornhaven",
    "Elmsworth",
    "Farrowgate",
    "Glenmorrow",
    "Hollinsea",
    "Ivybridge",
    "Junction",
    "Kestrelmoor",
    "Larkfield",
    "Maplecross",
    "Northwick",
    "Ottersby",
    "Penhallow",
    "Quarrydale",
    "Redmarsh",
    "Stonebeck",
    "Thistledown",
    "Umberleigh",
    "Valecombe",
    "Westerholt",
    "Yarrowdale",
    "Zandhoven",
    "Lisbon",
    "Turin",
    "Ghent",
    "Bergen",
    "Leeds",
    "Salzburg",
    "Tallinn",
    "Oporto",
    "Galway",
    "Utrecht",
    "Vermont",
    "Osaka",
    "Nairobi",
    "Quebec",
]
ORGS = [
    "Amberline Foods",
    "Brightwater Energy",
    "Cobalt Freight",
    "Delmont & Sons",
    "Easterly Insurance",
    "Fenwick Motors",
    "Goldcrest Bank",
    "Harbourlight Media",
    "Ironbridge Tools",
    "Juniper Textiles",
    "Kingfisher Airways",
    "Lodestar Mapping",
    "Meadowlark Dairies",
    "Nimbus Telecom",
    "Oakhurst Hospital",
    "Pinnacle Optics",
    "Quantock Brewery",
    "Ravenscourt Press",
    "Silverbirch Homes",
    "Tidewater Shipping",
    "Union Glassworks",
    "Vesper Software",
    "Willowbank School",
    "the Yarrow Trust",
    "Zephyr Cycles",
]
PRODUCTS = [
    "Argo",
    "Brisa 3",
    "Cirrus X2",
    "Dolmen",
    "Ember 40",
    "Falco",
    "Gneiss",
    "Heron 7",
    "Ibex Pro",
    "Jolt",
    "Kestrel 210",
    "Lumen",
    "Mistral 5",
    "Nautil",
    "Orbis",
    "Pallas 9",
    "Quill",
    "Rook 12",
    "Sable",
    "Tundra 600",
    "Ursa",
    "Vireo",
    "Wren 88",
    "Xylo",
    "Yonder",
    "Zircon 4",
]
DURATIONS = [
    "2 weeks=14 days=two weeks=a fortnight",
    "3 weeks=21 days=three weeks",
    "6 months=half a year=six months",
    "12 months=one year=a year",
    "18 months=a year and a half=one and a half years",
    "24 months=two years=2 years",
    "36 months=three years=3 years",
    "48 months=four years=4 years",
    "60 months=five years=5 years",
    "10 years=ten years=a decade",
    "72 hours=three days=3 days",
    "48 hours=two days=2 days",
    "36 hours=a day and a half",
    "24 hours=one day",
    "90 minutes=an hour and a half=1.5 hours=1 h 30 min",
    "30 minutes=half an hour=0.5 hours",
    "45 minutes=three quarters of an hour",
    "15 minutes=a quarter of an hour=fifteen minutes",
    "120 minutes=two hours=2 hours=2 h",
    "150 minutes=two and a half hours=2.5 hours",
    "90 seconds=a minute and a half=1.5 minutes",
    "30 seconds=half a minute",
    "10 minutes=ten minutes=600 seconds",
    "20 minutes=twenty minutes",
    "5 days=five days",
    "8 days=eight days",
    "10 days=ten days=240 hours",
    "7 days=one week=a week=seven days",
    "28 days=four weeks=4 weeks",
    "250 ms=0.25 s=a quarter of a second",
    "500 ms=half a second=0.5 seconds",
    "6 hours=six hours=360 minutes",
    "11 hours=eleven hours",
    "40 hours=forty hours",
    "4 hours=four hours=240 minutes",
    "9 months=nine months",
    "15 years=fifteen years",
    "25 years=twenty-five years=a quarter of a century",
]
LENGTHS = [
    "3,400 m=3.4 km=3400 metres",
    "1.2 km=1,200 m=1200 metres",
    "850 m=0.85 km=850 metres",
    "25 cm=0.25 m=250 mm",
    "180 cm=1.8 m=1.80 metres",
    "2.5 m=250 cm=2.5 metres",
    "12 m=twelve metres=12 metres",
    "640 mm=64 cm=0.64 m",
    "45 km=45,000 m=45 kilometres",
    "7.5 km=7,500 m=seven and a half kilometres",
    "90 cm=0.9 m=900 mm",
    "5,250 m=5.25 km",
    "30 mm=3 cm=three centimetres",
    "400 m=0.4 km=four hundred metres",
    "62 m=62 metres",
    "1,500 m=1.5 km=one and a half kilometres",
]
MASSES = [
    "1,500 g=1.5 kg=one and a half kilograms",
    "250 g=0.25 kg=a quarter of a kilogram",
    "2 t=2,000 kg=two tonnes",
    "750 kg=0.75 t",
    "3.2 kg=3,200 g",
    "12 kg=12,000 g=twelve kilograms",
    "94 t=94 tonnes=94t",
    "500 g=half a kilogram=0.5 kg",
    "18.5 kg=18,500 g",
    "4,500 kg=4.5 t=four and a half tonnes",
    "85 kg=85 kilograms=85kg",
    "640 g=0.64 kg",
    "30 t=30,000 kg=thirty tonnes",
    "7 kg=seven kilos=7,000 g",
]
EXTENSIONS = ["", " thousand", " million", " billion"]


@dataclass(frozen=True, slots=True)
class Value:
    """One value: its ways of writing, all true, and what it is a near miss of."""

    kind: str
    forms: tuple[str, ...]

    def text(self, rng: random.Random) -> str:
        """The first form half of the time: most texts write the plain one."""
        return self.forms[0] if rng.random() < 0.5 else rng.choice(self.forms)


def number_words(n: int) -> str:
    """English words of 0..999,999."""
    if n < 20:
        return SMALL[n]
    if n < 100:
        return TENS[n // 10] + (f"-{SMALL[n % 10]}" if n % 10 else "")
    if n < 1000:
        rest = f" and {number_words(n % 100)}" if n % 100 else ""
        return f"{SMALL[n // 100]} hundred{rest}"
    rest = f" {number_words(n % 1000)}" if n % 1000 else ""
    return f"{number_words(n // 1000)} thousand{rest}"


def integer(n: int) -> Value:
    forms = [str(n)]
    if n >= 1000:
        forms.append(f"{n:,}")
    if n <= 100 or n % 100 == 0:
        forms.append(number_words(n))
    if n == 12:
        forms.append("a dozen")
    return Value("int", tuple(forms))


def date(year: int, month: int, day: int) -> Value:
    name = MONTHS[month - 1]
    suffix = "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return Value(
        "date",
        (
            f"{day} {name} {year}",
            f"{name} {day}, {year}",
            f"{year}-{month:02}-{day:02}",
            f"{day}{suffix} {name} {year}",
            f"{name[:3]}. {day}, {year}",
        ),
    )


def clock(hour: int, minute: int) -> Value:
    twelve = (hour - 1) % 12 + 1
    half = "a.m." if hour < 12 else "p.m."
    forms = [f"{hour:02}:{minute:02}", f"{twelve}:{minute:02} {half}"]
    if minute == 0:
        forms += [f"{twelve} {half}", f"{hour}:00"]
    if minute == 30 and hour < 12:
        forms.append(f"half past {number_words(twelve)}")
    return Value("time", tuple(forms))


def percent(tenths: int) -> Value:
    number = f"{tenths / 10:g}"
    forms = [f"{number}%", f"{number} %", f"{number} percent", f"{number} per cent"]
    if tenths % 10 == 0:
        forms.append(f"{number_words(tenths // 10)} percent")
    forms += {
        500: ["half", "one half"],
        250: ["a quarter", "one in four"],
        200: ["a fifth", "one in five"],
        750: ["three quarters"],
    }.get(tenths, [])
    return Value("pct", tuple(forms))


def money(rng: random.Random) -> Value:
    sign = rng.choice("€£$")
    if rng.random() < 0.5:
        million = rng.randint(11, 990)
        return Value(
            "money", (f"{sign}{million / 10:g} million", f"{sign}{million * 100_000:,}", f"{sign}{million / 10:g}m")
        )
    amount = rng.randint(12, 99) * rng.choice([1, 10, 100, 500])
    forms = [f"{sign}{amount:,}", f"{sign}{amount}"]
    name = {"€": "euros", "£": "pounds", "$": "dollars"}[sign]
    return Value("money", (*forms, f"{amount:,} {name}"))


def temperature(rng: random.Random, low: int, high: int) -> Value:
    n = rng.randint(low, high)
    sign = "minus " if n < 0 else ""
    return Value("temp", (f"{n} °C", f"{n}°C", f"{sign}{abs(n)} degrees Celsius", f"{sign}{abs(n)} degrees"))


def draw(kind: str, rng: random.Random) -> Value:
    """A random value of a slot type; ``int(2,9)`` and ``[a/b/c]`` carry their range."""
    if kind.startswith("["):
        return Value(kind, (rng.choice(kind[1:-1].split("/")),))
    if match := re.fullmatch(r"int\((\d+),(\d+)\)", kind):
        return integer(rng.randint(int(match[1]), int(match[2])))
    match kind:
        case "person":
            first, last = rng.choice(FIRST), rng.choice(LAST)
            title = rng.choice(["", "", "", "Dr. "])
            return Value(kind, (f"{title}{first} {last}", f"{first} {last}"))
        case "org":
            return Value(kind, (rng.choice(ORGS),))
        case "place":
            return Value(kind, (rng.choice(PLACES),))
        case "product":
            return Value(kind, (rng.choice(PRODUCTS),))
        case "year":
            return Value(kind, (str(rng.randint(1860, 2026)),))
        case "date":
            return date(rng.randint(2009, 2027), rng.randint(1, 12), rng.randint(1, 28))
        case "time":
            return clock(rng.randint(5, 22), rng.choice([0, 0, 15, 30, 30, 45, 10]))
        case "dur":
            return Value(kind, tuple(rng.choice(DURATIONS).split("=")))
        case "length":
            return Value(kind, tuple(rng.choice(LENGTHS).split("=")))
        case "mass":
            return Value(kind, tuple(rng.choice(MASSES).split("=")))
        case "pct":
            return percent(rng.choice([rng.randint(2, 98) * 10, rng.randint(15, 985), 500, 250, 200, 750]))
        case "money":
            return money(rng)
        case "temp":
            return temperature(rng, -25, 60)
        case "temp2":
            return temperature(rng, 61, 180)
        case "version":
            parts = [rng.randint(0, 14) for _ in range(rng.choice([2, 3]))]
            text = ".".join(map(str, parts))
            return Value(kind, (text,))
        case "flag":
            words = rng.sample(
                [
                    "purge",
                    "keep",
                    "all",
                    "force",
                    "dry",
                    "run",
                    "no",
                    "cache",
                    "cleanup",
                    "deep",
                    "wipe",
                    "prune",
                    "reset",
                    "strict",
                ],
                2,
            )
            return Value(kind, (f"`--{words[0]}-{words[1]}`", f"--{words[0]}-{words[1]}"))
        case "code":
            letter = rng.choice("ABEFHKPRSTX")
            return Value(kind, (f"{letter}{rng.choice(['', '-'])}{rng.randint(2, 940)}",))
    raise ValueError(f"unknown slot type {kind!r}")


def near_miss(value: Value, kind: str, rng: random.Random) -> Value:
    """A value of the same type that is not the same: often close by, as real mistakes are."""
    text = value.forms[0]
    for _ in range(30):
        other = draw(kind, rng)
        number = re.search(r"\d[\d,]*(?:\.\d+)?", text)
        roll = rng.random()
        if value.kind in ("int", "year") and roll < 0.7:
            n = int(text)
            n = rng.choice(
                [n + 1, n - 1, n + 10, max(n - 10, 2), n * 10, n * 2, n + rng.randint(2, 9), int(text[::-1])]
            )
            other = integer(n) if value.kind == "int" else Value("year", (str(min(max(n, 1500), 2099)),))
        elif value.kind == "version" and roll < 0.8:
            parts = text.split(".")
            place = rng.randrange(len(parts))
            parts[place] = str(max(0, int(parts[place]) + rng.choice([-1, 1, 2, 10])))
            other = Value("version", (".".join(parts),))
        elif value.kind == "code" and number and roll < 0.7:
            n = int(number[0]) + rng.choice([1, -1, 10, 2])
            other = Value("code", (text[: number.start()] + str(max(n, 1)),))
        elif value.kind == "temp" and roll < 0.3 and not text.startswith("0"):
            flipped = text[1:] if text.startswith("-") else f"-{text}"
            other = Value("temp", (flipped,))
        elif value.kind in ("dur", "length", "mass", "money") and number and roll < 0.75:
            other = Value(value.kind, (_other_number_or_unit(value, number, rng),))
        elif value.kind == "date" and roll < 0.7:
            day, name, year = text.split()
            month = MONTHS.index(name) + 1
            change = rng.randrange(3)
            other = date(
                int(year) + (rng.choice([-1, 1, 2]) if change == 0 else 0),
                (month + rng.randint(1, 10)) % 12 + 1 if change == 1 else month,
                rng.randint(1, 28) if change == 2 else int(day),
            )
        if not set(other.forms) & set(value.forms):
            return other
    raise ValueError(f"no other value for {value}")


def _other_number_or_unit(value: Value, number: re.Match[str], rng: random.Random) -> str:
    text = value.forms[0]
    units = {"dur": "seconds minutes hours days weeks months years", "length": "mm cm m km", "mass": "g kg t"}.get(
        value.kind
    )
    tail = text[number.end() :].strip()
    if units and tail in units.split() and rng.random() < 0.4:
        return f"{number[0]} {rng.choice([unit for unit in units.split() if unit != tail])}"
    digits = number[0].replace(",", "")
    plain = float(digits)
    changed = rng.choice([plain + 1, plain * 10, plain / 10, plain * 2, plain + 5, plain + 10, plain * 1.5])
    return text[: number.start()] + f"{changed:,.10g}" + text[number.end() :]
