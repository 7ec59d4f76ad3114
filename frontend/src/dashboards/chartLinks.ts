/** Where a chart leads: the key, the group and the time that are shown go along. */
import type { Chart, ChartLink } from "../core/api/dashboards";
import { formatAddress } from "../core/time/parse";
import type { Window } from "../timechart/window";
import { searchOf, type View } from "./link";

/** What is shown when the link is followed. */
export interface LinkPlace {
  /** Of a chart of one key its own, else those that are selected. */
  readonly keys: readonly string[];
  readonly groups: readonly string[];
  /** Null: the range is what is fixed. */
  readonly range: string | null;
  readonly window: Window;
  readonly isFixed: boolean;
}

const PLACEHOLDER = /\{(key|group|from|to)\}/g;

function toView({ keys, groups, range, window, isFixed }: LinkPlace): View {
  const fixed = isFixed ? { start: Math.round(window.start), end: Math.round(window.end) } : null;
  return { version: null, keys, groups, range: isFixed ? null : range, fixed, cursor: null };
}

function fill(address: string, { keys, groups, window }: LinkPlace): string {
  const values: Readonly<Record<string, string>> = {
    key: keys[0] ?? "",
    group: groups[0] ?? "",
    from: formatAddress(Math.round(window.start)),
    to: formatAddress(Math.round(window.end)),
  };
  return address.replace(PLACEHOLDER, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}

/** The address; null where it leads nowhere, whatever wrote the document. */
export function hrefOfLink({ plan }: Pick<Chart, "plan">, link: ChartLink, place: LinkPlace): string | null {
  if (link.to === "dashboard")
    return link.dashboard == null ? null : `/dashboards/${link.dashboard}/${searchOf(toView(place))}`;
  if (link.to === "lanes") return plan === 0 ? null : `/plans/${plan}/${searchOf(toView(place))}`;
  const { address = "" } = link;
  return address.startsWith("https://") ? fill(address, place) : null;
}

const TITLES: Readonly<Record<ChartLink["to"], string>> = {
  dashboard: "Open the dashboard",
  lanes: "Open the lanes",
  address: "Open the link",
};

export const titleOfLink = ({ to, title = "" }: ChartLink): string => (title === "" ? TITLES[to] : title);

/** Why a link is not complete, or null. */
export function refusesLink(link: ChartLink | null | undefined): string | null {
  if (link?.to === "dashboard" && link.dashboard == null) return "Choose the dashboard that the link opens.";
  if (link?.to === "address" && !/^https:\/\/[^/{}@]+/.test(link.address ?? ""))
    return "The address of the link begins with https://.";
  return null;
}
