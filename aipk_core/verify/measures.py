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
milligram: =mg milligram milligrams мг 毫克 ミリグラム
metric_ton: =t tonne tonnes ton tons metric-ton metric-tons metric-tonne metric-tonnes tonnen т тонна тонны тонн 톤 吨 噸 トン tonelada toneladas
pound: =lb =lbs pound pounds
ounce: =oz ounce ounces
liter: =l =L litre litres liter liters л литр литра литров 리터 升 公升 リットル litro litros
milliliter: =ml =mL millilitre millilitres milliliter milliliters мл 밀리리터 毫升 ミリリットル
centiliter: =cl =cL centilitre centilitres
deciliter: =dl =dL decilitre decilitres
gallon: gallon gallons
us_pint: us-pint
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
    "円": "JPY", "₩": "KRW", "krw": "KRW", "원": "KRW", "元": "CNY", "cny": "CNY", "rmb": "CNY", "人民币": "CNY", "chf": "CHF",
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
    if name in _MONEY.values():
        return Unit(name, f"money:{name}", Decimal(1))
    if name in ("degree", "bit", "revolution/minute") or not _is_physical(name):
        return Unit(name, name, Decimal(1))
    if name.endswith(("byte",)):
        return Unit(name, "bytes", Decimal(str(_registry().Quantity(1, name).to("byte").magnitude)))
    if (quick := _QUICK.get(name)) is not None:
        return Unit(name, quick[0], Decimal(quick[1]))
    quantity = _registry().Quantity(1, name).to_base_units()
    return Unit(name, str(quantity.dimensionality), Decimal(repr(float(quantity.magnitude))))


# the commonest units, so that a short answer does not wait for pint to start
_QUICK = {
    "meter": ("[length]", "1"), "kilometer": ("[length]", "1000"), "centimeter": ("[length]", "0.01"),
    "millimeter": ("[length]", "0.001"), "kilogram": ("[mass]", "1"), "gram": ("[mass]", "0.001"),
    "metric_ton": ("[mass]", "1000"), "second": ("[time]", "1"), "millisecond": ("[time]", "0.001"),
    "minute": ("[time]", "60"), "hour": ("[time]", "3600"), "day": ("[time]", "86400"), "week": ("[time]", "604800"),
    "fortnight": ("[time]", "1209600"), "month": ("[time]", "2629800"), "year": ("[time]", "31557600"),
}  # fmt: skip


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
