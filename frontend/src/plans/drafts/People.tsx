import type { CSSProperties } from "react";
import type { PresentPerson } from "../../core/api/types";
import { useStudio } from "../editor/store";
import { hueOf, initials } from "./colour";
import { peopleAt, useDraft } from "./store";

const MOST = 4;

const hue = (name: string): CSSProperties => ({ "--hue": hueOf(name) }) as CSSProperties;

function words({ name, selected }: PresentPerson, me: string | undefined): string {
  const who = name === me ? "You, on another page" : name;
  return selected.length > 0 ? `${who}: ${selected.slice(0, 5).join(", ")}` : who;
}

/** Who else is on this plan. */
export function People() {
  const people = useDraft((state) => state.people);
  const me = useStudio((state) => state.me?.username);
  if (people.length === 0) return null;
  const all = people.map((one) => words(one, me)).join("\n");
  return (
    <ul className="people" aria-label="Also viewing" data-testid="people">
      {people.slice(0, MOST).map((one) => (
        <li key={one.id} className="person" style={hue(one.name)} title={words(one, me)}>
          <span aria-hidden="true">{initials(one.name)}</span>
          <span className="visually-hidden">{words(one, me)}</span>
        </li>
      ))}
      {people.length > MOST && (
        <li className="person more" title={all}>
          +{people.length - MOST}
        </li>
      )}
    </ul>
  );
}

/** On a node: who has it selected on another page. */
export function PeopleAt({ name: node }: { name: string }) {
  const names = useDraft((state) =>
    peopleAt(state, node)
      .map((one) => one.name)
      .join("\n"),
  );
  if (names === "") return null;
  const [first = ""] = names.split("\n");
  return (
    <span className="person-at" style={hue(first)} data-testid={`person-at-${node}`}>
      {names.split("\n").join(", ")}
    </span>
  );
}
