"""Lies and truths that say a claim's matter in other words: the rules must see the first and leave the second alone."""

from __future__ import annotations

import pytest

from aipk_core.verify.analysis import analyse
from aipk_core.verify.rules import RuleJudgement, judge_by_rules

Pair = tuple[str, str]


def judged(claim: str, sentence: str, lang: str = "en") -> RuleJudgement:
    return judge_by_rules(analyse(sentence, lang), [analyse(part, lang) for part in claim.split(" // ")])


def assert_lie(pair: Pair, lang: str = "en") -> None:
    judgement = judged(*pair, lang)
    assert judgement.contradicted, judgement.findings


def assert_true(pair: Pair, lang: str = "en") -> None:
    judgement = judged(*pair, lang)
    assert not [f for f in judgement.findings if f.contradicts or (f.check == "quantity" and f.unsupported)]


LOGIC_LIES: list[Pair] = [
    ("Beekeepers have no access to the cold store.", "Beekeepers are let into the cold store."),
    ("Crates are not put back on the cart if the lid is cracked.", "Crates with a cracked lid go back on the cart."),
    ("Members may, if they so wish, pay by cheque.", "Members have to pay by cheque."),
    ("The warden must tell the owner about a fallen tree.", "Telling the owner about a fallen tree is left to the warden's discretion."),
    ("A novice may light the smoker only if accompanied by a mentor.", "A novice is free to light the smoker on her own."),
    ("Boots must be scrubbed in the trough.", "Scrubbing your boots in the trough is up to you."),
    ("Do I have to sign up for the Monday walk? No, come as you are.", "Signing up is compulsory for the Monday walk."),
    ("Can I hire a barrow by e-mail? Sorry, no.", "A barrow can be hired by e-mail."),
    ("Picking is fine unless a yellow tag hangs on the tree.", "Yellow tag on the tree or not, go ahead and pick."),
    ("Nobody may enter the still room.", "You're welcome to go into the still room."),
    ("The ledger has yet to be printed.", "The ledger has been printed."),
    ("Keep off the new lawn.", "You may walk on the new lawn."),
]  # fmt: skip
LOGIC_TRUTHS: list[Pair] = [
    ("The memoirs of the founder have never been printed.", "The founder's memoirs have yet to appear in print."),
    ("Nobody under the age of 16 may drive the tractor.", "To drive the tractor you have to be at least 16."),
    ("Carts go on the track, never on the grass.", "Take the cart along the track and keep off the grass."),
    ("The shop is open from 8.30 a.m. to 6 p.m. on weekdays.", "On weekdays the shop opens at 08:30 and closes at 18:00."),
    ("Orders outside opening hours are taken by the porter.", "When the shop is shut, the porter takes the orders."),
    ("The move is expected to be completed in autumn 2026.", "The move should be completed by the end of autumn 2026."),
    ("Crates are not to be returned until the cooper has checked them.", "The cooper checks the crates before they go back."),
    ("The Landlord shall keep the roof in good repair.", "It is up to the Landlord to keep the roof in good repair."),
    ("Singing is fine in the yard. Upstairs, please keep quiet.", "Save your singing for the yard; upstairs we need quiet."),
    ("Can I bring a dog? No.", "You cannot bring a dog."),
    ("Is the cellar heated? No.", "The cellar is not heated."),
]  # fmt: skip


@pytest.mark.parametrize("pair", LOGIC_LIES)
def test_what_is_allowed_or_denied_in_other_words_is_a_lie(pair: Pair) -> None:
    assert_lie(pair)


@pytest.mark.parametrize("pair", LOGIC_TRUTHS)
def test_what_is_allowed_or_denied_in_other_words_is_no_lie(pair: Pair) -> None:
    assert_true(pair)


@pytest.mark.parametrize(
    ("lang", "claim", "lie"),
    [("ja", "庭でお茶を飲んでもかまいません。", "庭ではお茶も飲めません。"), ("de", "Hunde sind im Garten erlaubt.", "Im Garten sind keine Hunde erlaubt.")],
)  # fmt: skip
def test_permission_in_other_languages(lang: str, claim: str, lie: str) -> None:
    assert_lie((claim, lie), lang)


ROW_LIES: list[Pair] = [
    ("The bakery is on Mill Street and the dairy on Ferry Lane.", "You'll find the dairy on Mill Street."),
    ("Elder House is heated by the north boiler, Alder House by the south boiler.", "The north boiler heats Alder House."),
    ("Shed 4 is about grafting and shed 5 about pruning.", "Pruning is what shed 4 is about, while grafting fills shed 5."),
    ("Sales are noted in blue chalk; repairs are noted in white.", "White chalk is used for sales and blue chalk for repairs."),
    ("A guest's day pass is free. // A guest's boat ticket is £3.", "For a guest, both the day pass and the boat ticket are free."),
    ("Honey in jars keeps 3 years. // Honey in combs keeps 1 year.", "Honey in jars keeps for one year, honey in combs for three."),
    ("Adults > Mornings: €7. Evenings: €9.", "Adults pay €7 in the evenings."),
]  # fmt: skip
ROW_TRUTHS: list[Pair] = [
    ("The bakery is on Mill Street and the dairy on Ferry Lane.", "You'll find the dairy on Ferry Lane."),
    ("The bakery is on Mill Street and the dairy on Ferry Lane.", "Ferry Lane has the dairy, Mill Street the bakery."),
    ("The bakery is on Mill Street and the dairy on Ferry Lane.", "The bakery and the dairy are on Mill Street and Ferry Lane."),
    ("Shed 4 is about grafting and shed 5 about pruning.", "Sheds 4 and 5 are about grafting and pruning."),
    ("Sales are noted in blue chalk; repairs are noted in white.", "Blue is for sales, white for repairs."),
    ("In 2005 he moved to Texas. In 2008 he moved to Ohio.", "In 2008 he left Texas."),
]  # fmt: skip


@pytest.mark.parametrize("pair", ROW_LIES)
def test_rows_of_one_pattern_that_are_crossed_are_a_lie(pair: Pair) -> None:
    assert_lie(pair)


@pytest.mark.parametrize("pair", ROW_TRUTHS)
def test_rows_of_one_pattern_in_other_words_are_no_lie(pair: Pair) -> None:
    assert_true(pair)


CONVERSE_LIES: list[Pair] = [
    ("The press is older than the barn it stands in.", "The barn was there before the press that stands in it."),
    ("Ida Holm succeeded Jon Holm as head gardener.", "As head gardener, Ida Holm came before Jon Holm."),
    ("The cooper answers to the cellar master in all matters of wood.", "In matters of wood, the cellar master reports to the cooper."),
    ("The cider is stored below the perry.", "The perry is stored under the cider."),
    ("Rule 4 replaces rule 2.1 of the handbook.", "Rule 2.1 of the handbook replaces rule 4."),
    ("The stewards return unsold jars to the kitchen on Mondays.", "On Mondays the kitchen returns unsold jars to the stewards."),
    ("Each May the school borrows a telescope from the club.", "The school lends the club a telescope each May."),
    ("The farm was bought by the village from the bank.", "The bank bought the farm from the village."),
    ("Rinse the mash first, then the sieve.", "The sieve is rinsed first and the mash afterwards."),
    ("The mill lies north of the weir.", "The weir lies north of the mill."),
    ("The foreman is supervised by the bailiff.", "The foreman supervises the bailiff."),
]  # fmt: skip
CONVERSE_TRUTHS: list[Pair] = [
    ("The press is older than the barn it stands in.", "The press was there before the barn."),
    ("Ida Holm succeeded Jon Holm as head gardener.", "Jon Holm was head gardener before Ida Holm."),
    ("The cooper answers to the cellar master.", "The cellar master supervises the cooper."),
    ("The cider is stored below the perry.", "The perry is stored above the cider."),
    ("Each May the school borrows a telescope from the club.", "The club lends the school a telescope every May."),
    ("The farm was bought by the village from the bank.", "The bank sold the farm to the village."),
    ("Rinse the mash first, then the sieve.", "The sieve is rinsed after the mash."),
    ("After an alarm, wait ten minutes before any restart.", "Ten minutes must pass after an alarm before any restart."),
    ("The mill lies north of the weir.", "The weir lies south of the mill."),
    ("Edition 3 was replaced by edition 4.", "Edition 4 supersedes edition 3."),
]  # fmt: skip


@pytest.mark.parametrize("pair", CONVERSE_LIES)
def test_a_relation_told_with_changed_ends_is_a_lie(pair: Pair) -> None:
    assert_lie(pair)


@pytest.mark.parametrize("pair", CONVERSE_TRUTHS)
def test_a_relation_told_from_its_other_end_is_no_lie(pair: Pair) -> None:
    assert_true(pair)


SLOT_LIES: list[Pair] = [
    ("Peelings are put in the green crate.", "Peelings are dropped into the brown crate."),
    ("The pond is named after the botanist Clara Finch.", "The botanist Edith Finch gave the pond its name."),
    ("The front porch is for coming in; leave by the yard.", "Leave by the front porch, please."),
    ("The lower racks hold the oldest bottles.", "You'll find the most recent bottles on the lower racks."),
    ("Entry to the rose garden is free.", "You'll have to pay to get into the rose garden."),
    ("The yield, which had been 41 t in 2021, rose to 47 t in the following year.", "In 2021 the yield was 47 t."),
    ("Nobody may enter the kiln.", "You're welcome to have a look inside the kiln."),
    ("Dale Haulage brings the malt. // Empty kegs are collected by Morley Freight.", "Dale Haulage collects the empty kegs."),
]  # fmt: skip
SLOT_TRUTHS: list[Pair] = [
    ("Peelings are put in the green crate.", "Peelings go into the green crate."),
    ("Cellar > Hours: weekdays 08:30 to 18:00; Saturdays 09:00 to 13:00; Sundays closed.", "On Saturdays the cellar shuts at 13:00."),
    ("Nobody is allowed to pick the quinces, not even the wardens.", "Hands off the quinces! That goes for the wardens as well."),
    ("The yield rose from 41 t in 2021 to 47 t in 2022.", "The yield was 47 t in 2022, after 41 t in 2021."),
    ("The farms sold 61 t in 2024, of which 38 t came from Holm.", "Holm contributed 38 t of what was sold in 2024."),
    ("Dr Clara Finch keeps the pond.", "Clara Finch keeps the pond."),
]  # fmt: skip


@pytest.mark.parametrize("pair", SLOT_LIES)
def test_another_thing_in_the_same_place_is_a_lie(pair: Pair) -> None:
    assert_lie(pair)


@pytest.mark.parametrize("pair", SLOT_TRUTHS)
def test_the_same_thing_in_other_words_is_no_lie(pair: Pair) -> None:
    assert_true(pair)


def test_another_ward_is_no_mistake_for_this_one() -> None:
    assert not judged("Juniper Ward is restocked at 06:45.", "Restocking on Aspen Ward happens at 06:45.").contradicted


CONDITION_LIES: list[Pair] = [
    ("Visitors under 10 may climb the tree house only with a parent.", "A nine-year-old can climb the tree house without a parent."),
    ("You can hire the tandem, provided you leave a deposit.", "You can hire the tandem without leaving a deposit."),
    ("A ladder needs a second person at its foot.", "A ladder can be used without a second person at its foot."),
    ("All of the barrels were made by one man.", "The barrels were made by several people."),
    ("Nobody on the tasting panel is paid.", "Some members of the tasting panel are paid."),
]  # fmt: skip
CONDITION_TRUTHS: list[Pair] = [
    ("Visitors under 10 may climb the tree house only with a parent.", "A twelve-year-old can climb the tree house without a parent."),
    ("You can hire the tandem, provided you leave a deposit.", "You cannot hire the tandem without leaving a deposit."),
    ("You can hire the tandem, provided you leave a deposit.", "Without a deposit there is no tandem for hire."),
    ("The barrels were made by one man.", "A single man made the barrels."),
    ("No Danish member of the panel is paid.", "Some members of the panel are paid."),
    ("She built the shed on her own.", "She built the shed by herself, if slowly."),
]  # fmt: skip


@pytest.mark.parametrize("pair", CONDITION_LIES)
def test_a_condition_or_a_circle_that_is_dropped_is_a_lie(pair: Pair) -> None:
    assert_lie(pair)


@pytest.mark.parametrize("pair", CONDITION_TRUTHS)
def test_a_condition_or_a_circle_that_is_kept_is_no_lie(pair: Pair) -> None:
    assert not judged(*pair).contradicted


MORE_LIES: list[Pair] = [
    ("The owner pays the port dues, the charterer the fuel.", "The charterer pays the port dues."),
    ("Neither the mast nor the rudder was damaged.", "The rudder was damaged."),
    ("The north tower is 40 m high, the south tower 35 m.", "The south tower is higher than the north tower."),
    ("Most of the crew survived.", "Few of the crew survived."),
    ("The harbour froze every winter except 1710.", "The harbour froze in 1710."),
    ("The tool ignores empty lines.", "Empty lines are processed by the tool."),
]  # fmt: skip
MORE_TRUTHS: list[Pair] = [
    ("The rotor turns clockwise on the flood tide and anticlockwise on the ebb tide.", "It turns clockwise while it floods, anticlockwise while it ebbs."),
    ("Neither the mast nor the rudder was damaged.", "The rudder was not damaged."),
    ("The north tower is 40 m high, the south tower 35 m.", "The north tower is 5 m higher than the south tower."),
    ("The fee rose from £20 to £25.", "The fee went up by £5."),
    ("The bridge was built in 1890 and rebuilt in 1923.", "The bridge was rebuilt 33 years after it was built."),
    ("A notice must be given at least 10 days before arrival.", "Notice has to be given no later than ten days before arrival."),
    ("Replication must be stopped before the upgrade.", "Do not upgrade before replication has been stopped."),
    ("All doors except the fire door are locked at night.", "The fire door is not locked at night."),
    ("The barrels were made by one man.", "A single man made the barrels."),
]  # fmt: skip


@pytest.mark.parametrize("pair", MORE_LIES)
def test_more_lies_in_other_words(pair: Pair) -> None:
    assert_lie(pair)


@pytest.mark.parametrize("pair", MORE_TRUTHS)
def test_more_truths_in_other_words(pair: Pair) -> None:
    assert_true(pair)


@pytest.mark.parametrize(
    ("lang", "claim", "lie"),
    [("ko", "백업은 매일 실행된다.", "백업은 매주 실행된다."), ("zh", "备份每天执行。", "备份每周执行。")],
)
def test_periods_in_other_languages(lang: str, claim: str, lie: str) -> None:
    assert any(f.check == "quantity" for f in judged(claim, lie, lang).findings)


def test_two_who_do_each_other_s_work_is_a_lie() -> None:
    claim = "The clerk writes the letters and the manager signs them."
    assert_lie((claim, "Letters are written by the manager and signed by the clerk."))
    assert_true((claim, "Letters are written by the clerk and signed by the manager."))
