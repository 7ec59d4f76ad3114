/** The steps of the tour: each points at a real thing of the product, and knows when it is done. */

import { isOfTour, NAME_OF_TOUR, refusal, sendLate, tidyUp } from "./acts";

/** What the tour remembers between pages. */
export interface Memory {
  /** The stream that was declared on the way. */
  stream: string;
}

interface Offer {
  label: string;
  act: (page: Document, memory: Memory) => void | Promise<void>;
  /** Where it is not always offered. */
  isOffered?: (memory: Memory) => boolean;
  /** The tour is over after it. */
  ends?: boolean;
}

export interface Step {
  id: string;
  title: string;
  words: (memory: Memory) => string;
  /** On which page it is, and how one comes there. */
  isHere: (path: string, memory: Memory) => boolean;
  address: (memory: Memory) => string;
  /** What it points at. */
  target: string;
  /** When what it asks for was done; without it one goes on by hand. */
  isDone?: (page: Document, path: string) => boolean;
  /** What the tour can do for the reader. */
  offer?: Offer;
  /** What else it speaks of: the words do not stand over it. */
  spare?: readonly string[];
  /** Done once when it is come to. */
  begin?: (page: Document) => void;
  /** When the greater part is done: what is left to do, and where. */
  then?: { isSo: (page: Document) => boolean; words: string; target: string };
}

const test = (id: string): string => `[data-testid="${id}"]`;
const isStudio = (path: string): boolean => path.startsWith("/plans/");
const aStream = (path: string): string | null => /^\/streams\/(\w+)\/$/.exec(path)?.[1] ?? null;
const theStream = ({ stream }: Memory): string => (stream === "" ? "your stream" : `“${stream}”`);

const WAIT_MS = 5000;
const POLL_MS = 50;

/** An element, once it is on the page and enabled: a slow page may still be loading. */
async function waitFor<E extends Element>(page: Document, selector: string): Promise<E> {
  const last = Date.now() + WAIT_MS;
  for (;;) {
    const found = page.querySelector<E>(`${selector}:not(:disabled)`);
    if (found) return found;
    if (Date.now() > last) throw refusal("The page is still loading. Try again in a moment.");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Sets a field of React as if it were typed. */
async function type(page: Document, selector: string, text: string): Promise<void> {
  const field = await waitFor<HTMLInputElement | HTMLTextAreaElement>(page, selector);
  const kind = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, "value")?.set?.call(field, text);
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

const STATES = ["init", "play", "buffer", "play", "pause", "play", "buffer", "play"];

/** What three players told in the last minutes; some of it came late. */
export function sampleEvents(now: number): string {
  const events = Array.from({ length: 48 }, (_, i) => {
    const late = i % 9 === 8 ? 7000 : 0;
    return {
      session_id: `s${(i % 3) + 1}`,
      event_id: `tour-${now}-${i}`,
      t: now - (48 - i) * 5000 - late,
      player_state: STATES[Math.floor(i / 3) % STATES.length],
      cdn: i % 3 === 2 ? "CDN2" : "CDN1",
    };
  });
  return events.map((event) => JSON.stringify(event)).join("\n");
}

async function giveSample(page: Document): Promise<void> {
  await type(page, test("sample"), sampleEvents(Date.now()));
  (await waitFor<HTMLButtonElement>(page, test("look"))).click();
}

function nameIt(page: Document): Promise<void> {
  return type(page, test("stream-name"), `${NAME_OF_TOUR}${Date.now().toString(36).slice(-4)}`);
}

/** All of the history of a key: what was told may be minutes ago by the time that it can be seen. */
function showAll(page: Document): void {
  const range = page.querySelector<HTMLSelectElement>(test("window"));
  if (!range) return;
  range.value = "all";
  range.dispatchEvent(new Event("change", { bubbles: true }));
}

const chosenKey = (page: Document): string =>
  page.querySelector<HTMLInputElement>(test("key-input"))?.value ?? "";

const isNamed = (page: Document): boolean =>
  (page.querySelector<HTMLInputElement>(test("stream-name"))?.value ?? "") !== "";

/** Nodes of the canvas and how they are. */
const nodes = (page: Document): HTMLElement[] => [
  ...page.querySelectorAll<HTMLElement>('.react-flow__node [data-testid^="node-"]'),
];

export const STEPS: readonly Step[] = [
  {
    id: "begin",
    title: "Events first",
    words: () =>
      "Everything starts with a stream of events: who or what did something, and when. This tour creates a stream and builds a timeline from it. It takes about five minutes; you can leave at any time and continue later.",
    // Streams are one step away on every page that has the header.
    isHere: (path) => !/\/kiosk\/?$/.test(path),
    address: () => "/",
    target: 'nav[aria-label="Main"] a[href="/streams/"]',
  },
  {
    id: "sample",
    title: "Paste some events",
    words: () =>
      "A few events are enough to detect the settings of a stream. Paste your own, or use our sample events from three video players.",
    isHere: (path) => path === "/streams/declare-new/",
    address: () => "/streams/declare-new/",
    target: test("sample"),
    isDone: (page) => page.querySelector(test("preview")) !== null,
    offer: { label: "Use sample", act: giveSample },
  },
  {
    id: "declare",
    title: "Check the detected settings and name it",
    words: () =>
      "Key, time, id, types and lateness are detected, each with a reason. Correct what is wrong, then name and declare the stream: the sample becomes its first events.",
    isHere: (path) => path === "/streams/declare-new/",
    address: () => "/streams/declare-new/",
    target: test("stream-name"),
    isDone: (_, path) => aStream(path) !== null,
    offer: { label: "Name it for me", act: nameIt },
    spare: [test("sample"), test("sample-lateness"), ".declare > .card:not(.preview)", ".declare > .foot"],
    then: {
      isSo: isNamed,
      words:
        "It has a name. Check the settings once more and declare it: the sample becomes its first events.",
      target: test("declare"),
    },
  },
  {
    id: "arrived",
    title: "Your stream is ready",
    words: ({ stream }) =>
      stream === ""
        ? "Each stream has a page with its rate, its lateness and its rejected events. Open one, or continue. Next: ask a question."
        : "This page shows how many events arrive, how late, and which were rejected. The API call to push more is below. Next: ask a question.",
    // Who declared none is shown all of them.
    isHere: (path, { stream }) => aStream(path) !== null || (stream === "" && path === "/streams/"),
    address: ({ stream }) => (stream === "" ? "/streams/" : `/streams/${stream}/`),
    target: `${test("counters")}, ${test("streams")}`,
  },
  {
    id: "operator",
    title: "An operator reads the events",
    words: () =>
      "Drag “Latest value” onto the canvas, or click it. At each instant it is the last value of a field, such as play or buffer.",
    isHere: isStudio,
    address: () => "/plans/new/",
    target: test("palette-latest_event_to_state"),
    isDone: (page) => nodes(page).length > 0,
  },
  {
    id: "set up",
    title: "Choose its input",
    words: (memory) =>
      `Choose the stream ${theStream(memory)} and a field, such as player_state. The list below shows what is still missing; the help button explains the operator.`,
    isHere: isStudio,
    address: () => "/plans/new/",
    target: ".studio > .right",
    isDone: (page) => {
      const run = page.querySelector<HTMLButtonElement>(test("run"));
      const problem = page.querySelector(`${test("problems")} li`);
      return nodes(page).length > 0 && run !== null && !run.disabled && problem === null;
    },
  },
  {
    id: "run",
    title: "Run it",
    words: () => "A dialog shows what will start. Confirm, and the node runs from now on.",
    isHere: isStudio,
    address: () => "/",
    target: test("run"),
    isDone: (page) => nodes(page).some(({ dataset }) => dataset.status === "running"),
    then: {
      isSo: (page) => nodes(page).some(({ dataset }) => dataset.status === "starting"),
      words: "It is starting… The first result arrives within a minute. The side panel shows the progress.",
      target: test("running"),
    },
  },
  {
    id: "key",
    title: "Choose a key",
    words: () => "Choose a key, such as s1, to see the timeline of that player for each node of the plan.",
    isHere: isStudio,
    address: () => "/",
    target: test("key-input"),
    isDone: (page) =>
      [...page.querySelectorAll<HTMLElement>(".lane[data-points]")].some(
        ({ dataset }) => (dataset.points ?? "[]").length > 4,
      ),
    spare: [".lanes-toolbar"],
  },
  {
    id: "late",
    title: "A late event corrects it",
    words: (memory) =>
      `Your own node produces data: this is its timeline so far. Now an event of ${theStream(memory)} arrives late. It redraws its stretch in place, and the lane marks it “corrected”.`,
    isHere: isStudio,
    address: () => "/",
    target: ".lane[data-points]",
    spare: [".lanes"],
    begin: showAll,
    isDone: (page) =>
      [...page.querySelectorAll<HTMLElement>(".lane[data-points]")].some(
        ({ dataset }) => Number(dataset.corrections ?? 0) > 0,
      ),
    offer: {
      label: "Send a late event",
      act: (page, memory) => sendLate(memory.stream, chosenKey(page)),
    },
  },
  {
    id: "why",
    title: "Ask why",
    words: () =>
      "Click the stretch that was corrected. A panel says why the node has this value there, step by step, back to the events.",
    isHere: isStudio,
    address: () => "/",
    target: ".lane[data-points]",
    spare: [".lanes"],
    isDone: (page) => page.querySelector(test("why-panel")) !== null,
  },
  {
    id: "pin",
    title: "Put it on a dashboard",
    words: () =>
      "Select the node on the canvas and press Pin in the inspector: its chart goes onto a dashboard, live. You can do this now or later.",
    isHere: isStudio,
    address: () => "/",
    target: `${test("pin-node")}, .studio > .right`,
  },
  {
    id: "alert",
    title: "Let it call you",
    words: () =>
      "An alert watches a node and opens an incident, with messages to the channels you choose. Its button is below that of the dashboard. You can do this now or later.",
    isHere: isStudio,
    address: () => "/",
    target: `${test("alert-node")}, .studio > .right`,
  },
  {
    id: "end",
    title: "That is all",
    words: (memory) =>
      isOfTour(memory.stream)
        ? `Keep what you have made, or let the tour delete this plan and the stream ${theStream(memory)}. Both stay in the trash for a while, from where they can be restored.`
        : "You have seen a stream, a plan, a correction and its reasons. The documentation goes on from here.",
    isHere: isStudio,
    address: () => "/",
    target: test("run"),
    offer: {
      label: "Delete plan and stream",
      isOffered: ({ stream }) => isOfTour(stream),
      act: (_, memory) => tidyUp(memory.stream, window.location.pathname),
      ends: true,
    },
  },
];

/** The step that one comes to when what this one asks for is done. */
export function after(place: number, page: Document, path: string): number {
  const step = STEPS[place];
  return step?.isDone?.(page, path) === true ? place + 1 : place;
}

/** What is worth remembering of a page. */
export function remember(memory: Memory, path: string): Memory {
  const stream = aStream(path);
  return stream === null || stream === memory.stream ? memory : { stream };
}
