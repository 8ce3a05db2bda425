"""Units of measure as people write them, and exact conversion between them.

The words of each unit are listed here for several languages; what they are worth comes from pint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: two values can be compared when ``dimension`` is equal; ``base = value * factor + offset``."""

    name: str
    dimension: str
    factor: Decimal
    offset: Decimal = Decimal(0)


# pint's name, then the words for it; a leading "=" keeps the case (mW is not MW)
_ALIASES = """
meter: =m =м metre metres meter meters mètre mètres метр метра метров 미터 米 メートル metro metros
kilometer: =km kilometre kilometres kilometer kilometers kilomètre kilomètres км километр километра километров 킬로미터 公里 千米 キロメートル kilómetro kilómetros
centimeter: =cm centimetre centimetres centimeter centimeters см сантиметр сантиметра сантиметров 센티미터 厘米 公分 センチ
millimeter: =mm millimetre millimetres millimeter millimeters мм миллиметр миллиметра миллиметров 밀리미터 毫米 ミリ
micrometer: =µm =μm micron microns micrometre micrometres
nanometer: =nm nanometre nanometres nanometer nanometers
inch: inch inches zoll pouce pouces
foot: =ft foot feet
yard: =yd yard yards
mile: =mi mile miles meilen
nautical_mile: =nmi nautical-mile nautical-miles
kilogram: =kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes кг килограмм килограмма килограммов 킬로그램 킬로 公斤 千克 キログラム キロ
gram: =g gram grams gramm gramme grammes г грамм грамма граммов 그램 克 グラム gramo gramos
microgram: =µg =μg =mcg =ug microgram micrograms mikrogramm microgramme microgrammes мкг микрограмм микрограмма микрограммов 마이크로그램 微克 マイクログラム
milligram: =mg milligram milligrams мг 毫克 ミリグラム
metric_ton: =t tonne tonnes ton tons metric-ton metric-tons metric-tonne metric-tonnes tonnen т тонна тонны тонн 톤 吨 噸 トン tonelada toneladas
pound: =lb =lbs pound pounds
ounce: =oz ounce ounces
liter: =l =L litre litres liter liters л литр литра литров 리터 升 公升 リットル litro litros
milliliter: =ml =mL millilitre millilitres milliliter milliliters мл 밀리리터 毫升 ミリリットル
centiliter: =cl =cL centilitre centilitres
deciliter: =dl =dL decilitre decilitres
gallon: gallon gallons
pint: us-pint
cup: cup cups tasse tassen 컵 カップ
tablespoon: =tbsp =Tbsp tablespoon tablespoons esslöffel =EL 큰술 大さじ 汤匙 大勺
teaspoon: =tsp teaspoon teaspoons teelöffel =TL 작은술 小さじ 茶匙 小勺
second: =s sec secs second seconds sekunde sekunden seconde secondes сек секунд секунды секунда секунду 초 秒 秒間 segundo segundos
millisecond: =ms millisecond milliseconds millisekunden миллисекунд 밀리초 毫秒 ミリ秒
microsecond: =µs =μs =us microsecond microseconds
nanosecond: =ns nanosecond nanoseconds
minute: min mins minute minutes minuten минут минуты минута минуту мин 분 分 分钟 分間 分鐘 minuto minutos
hour: =h =hr =hrs hour hours stunde stunden heure heures час часа часов ч 시간 小时 小時 时 時間 hora horas
day: =d day days tag tage tagen jour jours день дня дней сутки суток 일 일간 天 日 日間 día días
week: week weeks woche wochen semaine semaines неделя недели недель неделю 주 주일 주간 周 週 週間 星期 semana semanas
fortnight: fortnight fortnights
month: month months monat monate monaten mois месяц месяца месяцев 개월 달 个月 個月 か月 ヶ月 カ月 mes meses
year: =yr =yrs year years jahr jahre jahren jährige an ans année années год года лет году 년 년간 年 年間 año años
decade: decade decades
century: century centuries
meter/second: =m/s m/sec metre-per-second metres-per-second meters-per-second meter-per-second м/с
kilometer/hour: =km/h =kmh =kph kilometres-per-hour kilometers-per-hour км/ч
mile/hour: =mph miles-per-hour
knot: =kn knot knots knoten узел узла узлов 노트 节 節 ノット
revolution/minute: =rpm =RPM revolution-per-minute revolutions-per-minute u/min об/мин rev/min
hertz: =Hz hertz герц
kilohertz: =kHz
megahertz: =MHz
gigahertz: =GHz
watt: =W watt watts ватт
kilowatt: =kW kilowatt kilowatts киловатт квт 킬로와트 千瓦 キロワット
megawatt: =MW megawatt megawatts мегаватт мвт 메가와트 兆瓦 メガワット
gigawatt: =GW gigawatt gigawatts 吉瓦
watt_hour: =Wh watt-hour watt-hours
kilowatt_hour: =kWh kilowatt-hour kilowatt-hours 千瓦时 кВт·ч
megawatt_hour: =MWh megawatt-hour megawatt-hours 兆瓦时
gigawatt_hour: =GWh gigawatt-hour gigawatt-hours 吉瓦时 ギガワット時 гвт·ч
terawatt_hour: =TWh
joule: =J joule joules
kilojoule: =kJ
kilocalorie: =kcal calorie calories kilocalories
horsepower: =hp horsepower
volt: =V volt volts вольт
kilovolt: =kV kilovolt kilovolts
millivolt: =mV
ampere: =A amp amps ampere amperes
milliampere: =mA
ampere_hour: =Ah
pascal: =Pa pascal pascals
hectopascal: =hPa
kilopascal: =kPa
megapascal: =MPa
bar: bar bars
millibar: =mbar
psi: =psi
newton: =N newton newtons
kilonewton: =kN
newton*meter: =Nm =N·m
degC: =°C =℃ ℃ degrees-celsius degree-celsius celsius °c grad-celsius 섭씨 摄氏度 度C градусов-цельсия
degF: =°F =℉ degrees-fahrenheit degree-fahrenheit fahrenheit
kelvin: =K kelvin
degree: =° degree degrees grad градусов градуса 도 度
meter**2: =m² =m2 square-metre square-metres square-meter square-meters sq-m
kilometer**2: =km² square-kilometre square-kilometres square-kilometer square-kilometers
foot**2: =sqft square-feet square-foot
hectare: =ha hectare hectares
acre: acre acres
meter**3: =m³ =m3 cubic-metre cubic-metres cubic-meter cubic-meters
byte: =B byte bytes
kilobyte: =KB =kB kilobyte kilobytes
megabyte: =MB megabyte megabytes
gigabyte: =GB gigabyte gigabytes
terabyte: =TB terabyte terabytes
kibibyte: =KiB =Ki
mebibyte: =MiB =Mi
gibibyte: =GiB =Gi
tebibyte: =TiB =Ti
bit: bit bits
kilobit/second: =kbps =kbit/s
megabit/second: =Mbps =Mbit/s
gigabit/second: =Gbps =Gbit/s
"""
# units that nothing converts to: each is its own dimension
_OWN = """
percent: % ％ percent per-cent percentage prozent pour-cent процент процента процентов 퍼센트 프로 百分 パーセント por-ciento
percentage_point: percentage-point percentage-points pp
permille: ‰
decibel: =dB =dBA decibel decibels
workday: working-day working-days business-day business-days workday workdays arbeitstag arbeitstage arbeitstagen jour-ouvré jours-ouvrés рабочий-день рабочих-дня рабочих-дней 영업일 工作日 営業日 banking-day banking-days
pixel: =px pixel pixels
ppm: =ppm
"""
_MONEY = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "gbp": "GBP", "pounds-sterling": "GBP",
    "$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "¥": "JPY", "￥": "JPY", "jpy": "JPY", "yen": "JPY",
    "pence": "penny", "pennies": "penny", "円": "JPY", "₩": "KRW", "krw": "KRW", "원": "KRW", "元": "CNY", "cny": "CNY", "rmb": "CNY", "人民币": "CNY", "chf": "CHF",
    "₽": "RUB", "rub": "RUB", "рублей": "RUB", "рубля": "RUB", "рубль": "RUB", "₹": "INR", "inr": "INR", "cent": "cent",
    "cents": "cent", "krone": "KR", "kroner": "KR", "kronor": "KR", "유로": "EUR", "달러": "USD", "欧元": "EUR", "美元": "USD",
    "ユーロ": "EUR", "ドル": "USD", "евро": "EUR", "долларов": "USD", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN",
}  # fmt: skip
_TEMPERATURES = {"degC": (Decimal(1), Decimal("273.15")), "degF": (Decimal(5) / 9, Decimal("459.67") * 5 / 9)}
_NOT_AFTER_LETTERS = re.compile(r"[^\W\d_]")


@cache
def _tables() -> tuple[dict[str, str], dict[str, str], int]:
    """Words with case kept, words in lower case, and the longest length of either."""
    exact: dict[str, str] = {}
    folded: dict[str, str] = {}
    for line in (*_ALIASES.strip().splitlines(), *_OWN.strip().splitlines()):
        name, words = line.split(": ", 1)
        for word in words.split():
            spaced = word.replace("-", " ")
            if spaced.startswith("="):
                exact[spaced[1:]] = name
            else:
                folded[spaced.casefold()] = name
                folded[word.casefold()] = name
    for word, code in _MONEY.items():
        folded[word.replace("-", " ")] = code
    return exact, folded, max(map(len, (*exact, *folded)))


def unit_at(text: str, at: int) -> tuple[Unit, int] | None:
    """The unit that ``text`` names at offset ``at`` (spaces already skipped), and where it ends."""
    exact, folded, longest = _tables()
    window = text[at : at + longest]
    for length in range(len(window), 0, -1):
        piece = window[:length]
        if piece[-1].isspace() or not _ends_word(piece, text, at + length):
            continue
        name = exact.get(piece)
        if piece == "p" and at and text[at - 1].isdecimal():
            name = "penny"  # 50p, but not "50 p."
        if name is None and (length > 1 or not piece.isascii() or piece == "%" or piece == "$"):
            name = folded.get(piece.casefold())
        if name is not None:
            return unit(name), at + length
    return None


def money_before(text: str, at: int) -> tuple[Unit, int] | None:
    """A currency sign or code that stands just before offset ``at``, and where it starts."""
    end = at
    while end > 0 and text[end - 1] == " ":
        end -= 1
    for length in (3, 2, 1):
        piece = text[max(0, end - length) : end]
        code = _MONEY.get(piece.casefold())
        if code and (
            not piece[0].isalpha() or (piece.isupper() and not text[max(0, end - length - 1) : end - length].isalnum())
        ):
            return unit(code), end - len(piece)
    return None


@cache
def unit(name: str) -> Unit:
    """The unit with this name of pint's, or one of its own kind that converts to nothing else."""
    if name in _TEMPERATURES:
        factor, offset = _TEMPERATURES[name]
        return Unit(name, "temperature", factor, offset)
    if name == "penny":
        return Unit(name, "money:GBP", Decimal("0.01"))
    if name in _MONEY.values():
        return Unit(name, f"money:{name}", Decimal(1))
    if name in ("degree", "bit", "revolution/minute") or not _is_physical(name):
        return Unit(name, name, Decimal(1))
    if (quick := _QUICK.get(name)) is not None:
        return Unit(name, *quick)
    if name.endswith("byte"):
        return Unit(name, "bytes", Decimal(str(_registry().Quantity(1, name).to("byte").magnitude)))
    quantity = _registry().Quantity(1, name).to_base_units()
    return Unit(name, str(quantity.dimensionality), Decimal(repr(float(quantity.magnitude))))


# What pint says of each unit in base units (a test compares them), so that an answer does not wait for pint to start.
_KNOWN = {
    "[length]": (
        "meter=1 kilometer=1000 centimeter=0.01 millimeter=0.001 micrometer=0.000001 nanometer=1E-9 "
        "inch=0.0254 foot=0.30479999999999996 yard=0.9144 mile=1609.344 nautical_mile=1852"
    ),
    "[mass]": (
        "kilogram=1 gram=0.001 milligram=0.000001 metric_ton=1000 pound=0.4535923700000001 ounce=0.028349523125000005"
    ),
    "[length] ** 3": (
        "liter=0.0010000000000000002 milliliter=0.0000010000000000000002 centiliter=0.000010000000000000003 "
        "deciliter=0.00010000000000000002 gallon=0.0037854117839999993 pint=0.0004731764729999999 "
        "cup=0.00023658823649999996 tablespoon=0.000014786764781249997 teaspoon=0.000004928921593749999 "
        "meter**3=1"
    ),
    "[time]": (
        "second=1 millisecond=0.001 microsecond=0.000001 nanosecond=1E-9 minute=60 hour=3600 day=86400 "
        "week=604800 fortnight=1209600 month=2629800 year=31557600 century=3155760000"
    ),
    "[length] / [time]": ("meter/second=1 kilometer/hour=0.2777777777777778 mile/hour=0.44704 knot=0.5144444444444445"),
    "1 / [time]": (
        "hertz=1 kilohertz=1000 megahertz=1000000 gigahertz=1000000000 kilobit/second=1000 "
        "megabit/second=1000000 gigabit/second=1000000000"
    ),
    "[mass] * [length] ** 2 / [time] ** 3": (
        "watt=1 kilowatt=1000 megawatt=1000000 gigawatt=1000000000 horsepower=745.6998715822701"
    ),
    "[mass] * [length] ** 2 / [time] ** 2": (
        "watt_hour=3600 kilowatt_hour=3600000 megawatt_hour=3600000000 gigawatt_hour=3600000000000 "
        "terawatt_hour=3600000000000000 joule=1 kilojoule=1000 kilocalorie=4184 newton*meter=1"
    ),
    "[mass] * [length] ** 2 / [time] ** 3 / [current]": "volt=1 kilovolt=1000 millivolt=0.001",
    "[current]": "ampere=1 milliampere=0.001",
    "[current] * [time]": "ampere_hour=3600",
    "[mass] / [length] / [time] ** 2": (
        "pascal=1 hectopascal=100 kilopascal=1000 megapascal=1000000 bar=100000 millibar=100 psi=6894.7572931683635"
    ),
    "[mass] * [length] / [time] ** 2": "newton=1 kilonewton=1000",
    "[temperature]": "kelvin=1",
    "[length] ** 2": (
        "meter**2=1 kilometer**2=1000000 foot**2=0.09290303999999999 hectare=10000 acre=4046.8726098742513"
    ),
    "dimensionless": "decade=10.000000000000002",
    "bytes": (
        "byte=1 kilobyte=1000 megabyte=1000000 gigabyte=1000000000 terabyte=1000000000000 kibibyte=1024 "
        "mebibyte=1048576 gibibyte=1073741824 tebibyte=1099511627776"
    ),
}
_QUICK = {
    name: (dimension, Decimal(factor))
    for dimension, units in _KNOWN.items()
    for name, factor in (entry.split("=") for entry in units.split())
}


def _is_physical(name: str) -> bool:
    return any(line.startswith(name + ":") for line in _ALIASES.strip().splitlines())


@cache
def _registry():  # type: ignore[no-untyped-def]  # pint's registry type is built at run time
    import pint

    return pint.UnitRegistry()


def _ends_word(piece: str, text: str, end: int) -> bool:
    if end >= len(text):
        return True
    last, after = piece[-1], text[end]
    if piece in _MONEY and not piece.isalpha() and after.isdecimal():
        return False  # the sign belongs to the amount after it
    if not _NOT_AFTER_LETTERS.match(last):
        return not (last == "°" and after in "CF")
    if not last.isascii() and not ("а" <= last.casefold() <= "я"):
        return True  # CJK and Korean units run into the next word
    if after == "²" or after == "³":
        return False
    if piece.isascii() and ("가" <= after <= "힣" or "\u3040" <= after <= "\u9fff"):
        return True
    return not (
        _NOT_AFTER_LETTERS.match(after)
        or after.isdecimal()
        or (after == "/" and text[end + 1 : end + 2].isalpha() and len(piece) <= 2)
    )
