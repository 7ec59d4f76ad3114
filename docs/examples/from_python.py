"""From an empty server to a figure: cells for a notebook (or run it as it is; see docs/client.md)."""

# %% One server, as one user: TIMELINES_URL and TIMELINES_TOKEN say which.
import atexit

from timelines import Client, Silent

client = Client()
print("I am", client.me()["username"])

# %% A stream of events, some of them late.
cards = client.streams.declare(
    "cards",
    key="card",
    time="t",
    unit="s",
    id="id",
    fields={"suburb": "text", "amount": "number"},
    exist_ok=True,
)
events = [
    {"card": "c1", "id": "1", "t": 1_783_080_000, "suburb": "Glebe", "amount": 20},
    {"card": "c1", "id": "3", "t": 1_783_080_300, "suburb": "Manly", "amount": 35},
    {"card": "c1", "id": "2", "t": 1_783_080_120, "suburb": "Newtown", "amount": 7},
]
print(cards.push(events).taken, "events are on disk")

# %% A question, as text.
TEXT = """plan "Where cards are"
suburb = latest_event_to_state(cards.suburb)
moved = changed_to(suburb)
results suburb, moved
"""
for problem in client.plans.check(text=TEXT):
    print(problem)
plan = client.plans.create(text=TEXT)  # it goes when Python ends, also after an error; the stream stays
atexit.register(plan.delete)
print(plan, "has", len(plan.problems), "problems")

# %% What running it would do; then run it.
print(plan.consequences())
plan.run()
suburb = plan.node("suburb")

# %% Follow the timeline until the last event is in it, however late the first ones come; the first one takes longest,
# for its query is started. Who hears nothing for four minutes asks the node how it is.
try:
    for update in client.live((suburb, "c1"), patience=240):
        print(update.kind, [point.value for point in update.timeline.points])
        if len(update.timeline.points) >= 4:
            break
except Silent:
    status = suburb.status()["status"]
    print("The node:", status["words"], status["trouble"], status["hint"])
    raise

# %% Look at it: a figure, a table, and why.
timeline = suburb.peek("c1")
figure = timeline.plot()
print(timeline.to_pandas())
print("At 12:03", timeline.value_at(1_783_080_180_000_000))

# %% Enough. (The plan is deleted when Python ends.)
plan.stop("the example is over")
