import { go, refuse, STEP_COUNT, useTour } from "./store";

/** In the masthead: the tour can be taken up at any time. */
export function TourButton() {
  const going = useTour((state) => state.going);
  const step = useTour((state) => state.step);
  if (going === "on") return null;
  const left = going === "left" && step > 0;
  return (
    <button
      type="button"
      className="quiet"
      data-testid="take-tour"
      title={left ? "Continue the tour" : undefined}
      onClick={go}
    >
      {left ? `Tour (${step + 1} of ${STEP_COUNT})` : "Tour"}
    </button>
  );
}

/** For who has never been here. */
export function TourOffer() {
  const going = useTour((state) => state.going);
  const user = useTour((state) => state.user);
  if (going !== "never" || user === "") return null;
  return (
    <section className="card tour-offer" data-testid="tour-offer">
      <div className="row">
        <p>
          <b>New here?</b> Take the 5-minute tour: from raw events to a timeline, and why it says what it
          says.
        </p>
        <span className="spacer" />
        <button type="button" className="primary" onClick={go}>
          Take the tour
        </button>
        <button type="button" onClick={refuse}>
          Dismiss
        </button>
      </div>
    </section>
  );
}
