import { useCallback } from "react";
import { DeleteDialog } from "../core/ui/DeleteDialog";
import { formatCounted } from "../core/ui/format";
import { useLoaded } from "../core/ui/useLoaded";
import { channelApi, type Alert, type Channel } from "./calls";

interface Props {
  channel: Channel;
  close: () => void;
  done: () => void;
}

/** Which alerts it cuts off: those that one may view by name. */
function describeUsers({ alerts: many }: Channel, alerts: readonly Alert[]): string {
  if (many === 0) return "No alert notifies it.";
  const names = alerts.map(({ name }) => `“${name}”`);
  const hidden = many - names.length;
  const all = hidden > 0 ? [...names, `${formatCounted(hidden, "alerts")} that you may not view`] : names;
  const listed = all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all.at(-1) ?? ""}` : (all[0] ?? "");
  return `${listed} ${many === 1 ? "notifies" : "notify"} it, and will not any more.`;
}

export function DeleteChannel({ channel, close, done }: Props) {
  const fetch = useCallback(() => channelApi.alerts(channel.id), [channel.id]);
  const { value } = useLoaded(fetch);
  return (
    <DeleteDialog name={channel.name} remove={() => channelApi.remove(channel.id)} close={close} done={done}>
      <span data-testid="channel-users">
        {value === null ? "Loading which alerts notify it." : describeUsers(channel, value.results)}
      </span>{" "}
      {channel.waiting > 0 && `${formatCounted(channel.waiting, "messages")} that wait will not be sent.`}
    </DeleteDialog>
  );
}
