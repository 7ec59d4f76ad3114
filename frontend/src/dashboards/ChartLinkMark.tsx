/** The mark of a chart that leads somewhere, and its entry in the menu. */
import { ArrowUpRight } from "lucide-react";
import { useReducer } from "react";
import type { Chart } from "../core/api/dashboards";
import type { MenuItem } from "../core/ui/MenuList";
import { hrefOfLink, titleOfLink, type LinkPlace } from "./chartLinks";
import { windowOf } from "./clock";
import { get, rangeOf, selectionOf } from "./store";

/** What the dashboard shows now; a chart of one key leads on with that one. */
function placeNow(pinned: string, isGroup: boolean): LinkPlace {
  const state = get();
  const own = pinned === "" ? null : [pinned];
  return {
    keys: (isGroup ? null : own) ?? selectionOf(state, false),
    groups: (isGroup ? own : null) ?? selectionOf(state, true),
    range: rangeOf(state),
    window: windowOf(state),
    isFixed: state.view.fixed !== null || state.pausedAt !== null,
  };
}

interface Props {
  chart: Chart;
  pinned: string;
  isGroup: boolean;
}

function hrefNow({ chart, pinned, isGroup }: Props): string | null {
  return chart.link == null ? null : hrefOfLink(chart, chart.link, placeNow(pinned, isGroup));
}

/** Other hosts open in a tab of their own, which learns nothing of this page. */
const elsewhere = (href: string) =>
  href.startsWith("https://") ? { target: "_blank", rel: "noopener noreferrer" } : {};

export function ChartLinkMark(props: Props) {
  // The time that is shown moves on: the address is made when the pointer or the focus comes.
  const [, renew] = useReducer((turn: number) => turn + 1, 0);
  const { link } = props.chart;
  const href = hrefNow(props);
  if (link == null || href === null) return null;
  const title = titleOfLink(link);
  return (
    <a
      className="chart-link"
      href={href}
      title={title}
      aria-label={title}
      onPointerEnter={renew}
      onFocus={renew}
      {...elsewhere(href)}
    >
      <ArrowUpRight size={16} aria-hidden="true" />
    </a>
  );
}

/** None where the chart leads nowhere. */
export function linkItems(props: Props): MenuItem[] {
  const { link } = props.chart;
  if (link == null || hrefNow(props) === null) return [];
  const follow = (): void => {
    const href = hrefNow(props);
    if (href?.startsWith("https://")) window.open(href, "_blank", "noopener,noreferrer");
    else if (href !== null) window.location.assign(href);
  };
  return [{ id: "chart-link", title: titleOfLink(link), icon: ArrowUpRight, act: follow }];
}
