import type { Activity } from "../core/api/streams";
import { formatRate } from "../core/ui/format";
import { rateNow } from "./rates";

interface Figure {
  name: string;
  value: string;
  help: string;
  tone?: "bad" | "amber" | undefined;
}

const count = (n: number): string => n.toLocaleString("en");

/** The node that has read most of the stream knows best how many copies there were. */
function copies({ nodes }: Activity): Figure[] {
  const [best] = [...nodes].sort((a, b) => b.counters.events - a.counters.events);
  const help = best
    ? `Counted by the node that has read the most: ${count(best.counters.events)} events.`
    : "Counted by the nodes that read it. None does yet.";
  return [
    { name: "Duplicates", value: best ? count(best.counters.duplicates) : "–", help },
    {
      name: "Conflicts",
      value: best ? count(best.counters.conflicts) : "–",
      help: `Copies with one id that differ. ${help}`,
      tone: best && best.counters.conflicts > 0 ? "amber" : undefined,
    },
  ];
}

function figures(activity: Activity): Figure[] {
  const { totals } = activity;
  return [
    { name: "Accepted", value: count(totals.events), help: "Since the stream was declared; stored on disk." },
    { name: "Per second", value: formatRate(rateNow(activity)), help: "Over the last minute." },
    {
      name: "Late",
      value: count(totals.late),
      help: "Behind the watermark at arrival. They count and correct final results.",
    },
    {
      name: "Too late",
      value: count(totals.too_late),
      help: "Older than the retention at arrival: listed below.",
      tone: totals.too_late > 0 ? "amber" : undefined,
    },
    ...copies(activity),
    {
      name: "Rejected",
      value: count(totals.refused),
      help: "With a reason, such as a clock ahead of time: listed below.",
      tone: totals.refused > 0 ? "bad" : undefined,
    },
  ];
}

export function Counters({ activity }: { activity: Activity }) {
  return (
    <dl className="counters" data-testid="counters">
      {figures(activity).map(({ name, value, help, tone }) => (
        <div key={name} title={help}>
          <dt>{name}</dt>
          <dd className={tone}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
