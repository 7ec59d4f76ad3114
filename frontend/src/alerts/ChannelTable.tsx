import { may } from "../core/api/rights";
import { Owner } from "../core/search/ListTools";
import { formatInstant, formatMoment, microsOf } from "../core/time/format";
import { formatCounted } from "../core/ui/format";
import { Ago } from "../core/ui/Ago";
import { MoreButton, onMenu } from "../core/ui/ContextMenu";
import type { MenuGroups } from "../core/ui/MenuList";
import { CirclePause, CirclePlay, Pencil, Send, Trash2, UserRound } from "lucide-react";
import type { Channel } from "./calls";
import { pictureOf, toneOfChannel } from "./channelState";

export type ChannelAct = "edit" | "test" | "pause" | "transfer" | "delete";

interface RowProps {
  channel: Channel;
  now: number;
  act: (act: ChannelAct, channel: Channel) => void;
}

function groupsOf({ channel, act }: Pick<RowProps, "channel" | "act">): MenuGroups {
  if (!may("own", channel)) return [];
  const { paused } = channel;
  const item = (id: ChannelAct, title: string, icon: typeof Send, danger = false) => ({
    id: `channel-${id}`,
    title,
    icon,
    danger,
    act: () => act(id, channel),
  });
  return [
    [
      item("test", "Send a test message", Send),
      item("edit", "Edit…", Pencil),
      paused ? item("pause", "Resume", CirclePlay) : item("pause", "Pause", CirclePause),
      item("transfer", "Change owner…", UserRound),
    ],
    [item("delete", "Delete…", Trash2, true)],
  ];
}

/** What the sender sees, and since when messages wait. */
function State({ channel, now }: Pick<RowProps, "channel" | "now">) {
  const { observed, words, waiting, waiting_since: since, failing_since: failingSince } = channel;
  const isFailing = observed === "retrying";
  return (
    <>
      <span className={`dot ${toneOfChannel(channel)}`} aria-hidden="true" />{" "}
      {isFailing ? "failing" : observed}
      {failingSince !== null && (
        <>
          {" "}
          since{" "}
          <span title={formatMoment(microsOf(failingSince))}>{formatInstant(microsOf(failingSince))}</span>
        </>
      )}
      {isFailing && <small className="bad">{words}</small>}
      {since !== null && (
        <small className="faint">
          {formatCounted(waiting, "messages")} waiting, the oldest made <Ago at={since} now={now} />
        </small>
      )}
    </>
  );
}

function ChannelRow({ channel, now, act }: RowProps) {
  const { id, name, kind, sent, sent_at: sentAt, alerts } = channel;
  const menu = { title: `Actions of ${name}`, groups: groupsOf({ channel, act }) };
  const { icon: Icon } = pictureOf(kind);
  return (
    <tr data-testid={`channel-${id}`} onContextMenu={onMenu(menu)}>
      <td>
        <span className="channel-name">
          <Icon size={16} aria-hidden="true" />
          <b>{name}</b>
        </span>
        <small className="faint">{kind}</small>
      </td>
      <td className="nowrap" data-of="Owner">
        <Owner thing={channel} />
      </td>
      <td data-of="State" data-testid="channel-state">
        <span>
          <State channel={channel} now={now} />
        </span>
      </td>
      <td className="nowrap" data-of="Delivered">
        <span>
          {sentAt === null ? "never" : <Ago at={sentAt} now={now} />}
          {sent > 0 && <small className="faint">{formatCounted(sent, "messages")}</small>}
        </span>
      </td>
      <td className="nowrap" data-of="Used by">
        {alerts === 0 ? <span className="faint">no alert</span> : formatCounted(alerts, "alerts")}
      </td>
      <td className="actions">{menu.groups.length > 0 && <MoreButton {...menu} />}</td>
    </tr>
  );
}

interface TableProps extends Omit<RowProps, "channel"> {
  channels: readonly Channel[];
}

export function ChannelTable({ channels, ...rest }: TableProps) {
  return (
    <table className="stacking" data-testid="channels">
      <thead>
        <tr>
          <th>Channel</th>
          <th>Owner</th>
          <th>State</th>
          <th>Last delivered</th>
          <th>Used by</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {channels.map((channel) => (
          <ChannelRow key={channel.id} channel={channel} {...rest} />
        ))}
      </tbody>
    </table>
  );
}
