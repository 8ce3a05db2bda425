"""A made-up ferry company: claims as extraction would give them, questions that they answer, and near misses.

Every question is ``(question, words of the claim that must be among the answer)``; the near misses name things and
places that the claims know, and ask what no claim says.
"""

from __future__ import annotations

from aipk_core.claims.model import Claim, Evidence, Status
from aipk_core.hashing import digest

HANDBOOK = "Crew handbook"
SHEET = "Heron 12 data sheet"
PROCEDURE = "Safety procedure"

STATEMENTS: list[tuple[tuple[str, ...], str]] = [
    (
        (HANDBOOK, "About us"),
        "Saltmarsh Ferries was founded in 2011 in Kilrowan by Aoife Brannigan and Mats Lindqvist.",
    ),
    ((HANDBOOK, "About us"), "The head office is at Pier 4 in Kilrowan."),
    ((HANDBOOK, "About us"), "A second office opened in Stavhaven in 2019."),
    ((HANDBOOK, "About us"), "The company has 86 employees as of January 2026."),
    ((HANDBOOK, "About us"), "Aoife Brannigan is the managing director."),
    ((HANDBOOK, "About us"), "Mats Lindqvist leads engineering."),
    ((HANDBOOK, "Working time"), "A shift lasts no longer than 10 hours."),
    ((HANDBOOK, "Working time"), "Crew members get 28 days of paid leave a year."),
    ((HANDBOOK, "Working time"), "Overtime must be approved by the harbour master before it starts."),
    ((HANDBOOK, "Working time"), "Requests for leave are sent to the crewing desk at least 14 days in advance."),
    ((HANDBOOK, "Working time"), "Remote work is not possible for deck crew."),
    ((HANDBOOK, "Training"), "New deck hands complete a five-day safety course before their first voyage."),
    ((HANDBOOK, "Training"), "First-aid certificates are renewed every two years."),
    ((HANDBOOK, "Training"), "The company pays for all mandatory courses."),
    ((HANDBOOK, "Uniform"), "Uniforms are replaced free of charge once a year."),
    ((HANDBOOK, "Uniform"), "Loose jewellery must not be worn on the car deck."),
    ((HANDBOOK, "Expenses"), "Receipts are submitted within 30 days of the trip."),
    ((HANDBOOK, "Expenses"), "Hotel costs are reimbursed up to 120 euros a night."),
    ((SHEET,), "The Heron 12 is a battery-electric ferry for 12 cars and 98 passengers."),
    ((SHEET, "Hull"), "The hull is 31.5 metres long and 9.2 metres wide."),
    ((SHEET, "Hull"), "The hull is built from welded aluminium."),
    ((SHEET, "Hull", "Value"), "Draught: 1.8 m"),
    ((SHEET, "Hull", "Value"), "Displacement: 142 t"),
    ((SHEET, "Drive"), "Two azimuth thrusters of 320 kW each drive the vessel."),
    ((SHEET, "Drive"), "The service speed is 11 knots and the top speed is 13.5 knots."),
    ((SHEET, "Battery"), "The lithium iron phosphate battery holds 1.9 MWh."),
    ((SHEET, "Battery"), "A full charge takes 48 minutes at the shore station."),
    ((SHEET, "Battery"), "On one charge the Heron 12 sails 22 nautical miles."),
    ((SHEET, "Battery"), "The battery carries a warranty of 8 years."),
    ((SHEET, "Battery"), "The control system refuses to leave the berth below 20 % charge."),
    ((SHEET, "Limits"), "The vessel may operate in waves up to 1.5 metres."),
    ((SHEET, "Limits"), "The operating temperature ranges from −20 to 35 °C."),
    ((SHEET, "Limits"), "Navigation lights conform to COLREG Annex I."),
    ((SHEET, "Certification"), "DNV certified the Heron 12 in May 2024."),
    ((SHEET, "Software"), "Software updates are released on the first Monday of each quarter."),
    ((SHEET, "Software"), "The bridge system is called Tidewise and sends telemetry every 2 seconds."),
    ((PROCEDURE, "Levels", "Level 1"), "Response: stop all sailings within 3 minutes"),
    ((PROCEDURE, "Levels", "Level 1"), "Meaning: injury or fire on board"),
    ((PROCEDURE, "Levels", "Level 2"), "Response: return to berth and report within 2 hours"),
    ((PROCEDURE, "Levels", "Level 2"), "Meaning: damage to the vessel or to a car"),
    ((PROCEDURE, "Levels", "Level 3"), "Response: log entry by the end of the shift"),
    ((PROCEDURE, "On call"), "Four duty officers share the on-call rota."),
    ((PROCEDURE, "On call"), "A duty officer acknowledges a call within 10 minutes."),
    ((PROCEDURE, "On call"), "For Level 1 the duty officer also calls the managing director."),
    ((PROCEDURE, "Records"), "Camera recordings are kept for 45 days."),
    ((PROCEDURE, "Records"), "Voyage data is kept for 365 days."),
    ((PROCEDURE, "Records"), "An investigation report is due within 12 working days of a Level 1 event."),
    ((PROCEDURE, "Records"), "The safety council meets every second Thursday and is chaired by Ines Okafor."),
    ((PROCEDURE, "Evacuation"), "Passengers gather at muster station B on the upper deck."),
    ((PROCEDURE, "Evacuation"), "Life jackets are stored under the seats."),
    ((PROCEDURE, "Evacuation"), "Lifts must not be used during an evacuation."),
]

ANSWERABLE: list[tuple[str, str]] = [
    ("Who founded Saltmarsh Ferries?", "founded in 2011"),
    ("When was the company founded?", "founded in 2011"),
    ("Where is the headquarters of Saltmarsh Ferries?", "Pier 4"),
    ("How many people work at Saltmarsh Ferries?", "86 employees"),
    ("Who is the managing director?", "Aoife Brannigan is the managing"),
    ("Who is in charge of engineering?", "leads engineering"),
    ("What is the maximum length of a shift?", "10 hours"),
    ("How many days of vacation do crew members get?", "28 days"),
    ("Who has to approve overtime?", "harbour master"),
    ("Can deck crew work remotely?", "Remote work"),
    ("How often must first-aid certificates be renewed?", "every two years"),
    ("Who pays for mandatory training?", "pays for all"),
    ("May I wear jewellery on the car deck?", "jewellery"),
    ("How soon do I have to hand in receipts?", "within 30 days"),
    ("How much does the company reimburse for a hotel night?", "120 euros"),
    ("How many cars can the Heron 12 carry?", "12 cars"),
    ("How long is the hull of the Heron 12?", "31.5 metres"),
    ("What is the hull made of?", "aluminium"),
    ("What is the draught of the Heron 12?", "Draught"),
    ("What is the top speed of the Heron 12?", "13.5 knots"),
    ("How long does it take to charge the battery?", "48 minutes"),
    ("What is the range of the Heron 12 on a single charge?", "22 nautical miles"),
    ("How long is the battery guaranteed?", "8 years"),
    ("What is the capacity of the battery?", "1.9 MWh"),
    ("In which waves may the vessel sail?", "1.5 metres"),
    ("At what temperatures can the Heron 12 operate?", "35 °C"),
    ("When are software updates published?", "first Monday"),
    ("Which organisation certified the Heron 12?", "DNV"),
    ("How often is telemetry sent?", "every 2 seconds"),
    ("What is the response to a Level 2 incident?", "return to berth"),
    ("What must happen at Level 1?", "stop all sailings"),
    ("How many duty officers are on call?", "Four duty officers"),
    ("How long are camera recordings kept?", "45 days"),
    ("How long do you retain voyage data?", "365 days"),
    ("Who chairs the safety council?", "Ines Okafor"),
    ("Where do passengers assemble in an evacuation?", "muster station"),
    ("Where can I find the life jackets?", "under the seats"),
    ("May the lifts be used in an evacuation?", "Lifts must not"),
    ("When does the investigation report of a Level 1 event have to be ready?", "12 working days"),
    ("How quickly must the duty officer answer a call?", "10 minutes"),
]

UNANSWERABLE: list[str] = [
    "What does the Heron 12 cost?",
    "How many Heron 12 ferries have been sold?",
    "What was the revenue of Saltmarsh Ferries last year?",
    "Who are the competitors of Saltmarsh Ferries?",
    "When will the Heron 20 be launched?",
    "What is the draught of the Egret 5?",
    "Which processor does the Tidewise system use?",
    "How many ferries are in the fleet?",
    "Can the Heron 12 sail in fog?",
    "What colour are the uniforms?",
    "Who is the chief financial officer?",
    "What is the salary of a deck hand?",
    "What is the response to a Level 5 incident?",
    "How old is Aoife Brannigan?",
    "How much does a ticket cost?",
    "Is there Wi-Fi on board?",
    "What is the weight of the battery?",
    "Which university did Mats Lindqvist attend?",
    "What is the capital of France?",
    "How do I bake sourdough bread?",
    "Who supplies the thrusters?",
    "How many passengers were carried in 2025?",
    "What is the phone number of the crewing desk?",
    "Does the company offer a pension plan?",
]


def claims() -> list[Claim]:
    """All statements as canonical claims, each standing on its own text in a one-line document."""
    made = []
    for context, text in STATEMENTS:
        evidence = Evidence(
            document=f"{context[0].lower().replace(' ', '-')}.md",
            start=0,
            end=len(text),
            quote=text,
            heading_path=context,
            url=f"https://example.org/{context[0].lower().replace(' ', '-')}",
        )
        name = "k" + digest(list(context), text)[:10]
        made.append(Claim(name, text, context, (evidence,), status=Status.CANONICAL))
    return made
