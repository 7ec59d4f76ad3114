/** What pages of one plan hear of each other. */

/** How far a plan has come: saved, run, stopped, deleted. */
export interface PlanMessage {
  type: "plan";
  plan: number;
  deleted: boolean;
  version?: number;
  saved_by?: string | null;
  running?: boolean;
  running_version?: number | null;
  /** The number of the newest version. */
  newest?: number | null;
}

/** Somebody on another page of a plan, and what is selected there. */
export interface Person {
  id: string;
  name: string;
  selected: string[];
}

export interface PeopleMessage {
  type: "people";
  plan: number;
  people: Person[];
}
