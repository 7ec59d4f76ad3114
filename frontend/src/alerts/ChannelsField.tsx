import { useCallback } from "react";
import { read } from "../core/api/client";
import { may } from "../core/api/rights";
import { Failure } from "../core/ui/Failure";
import { useLoaded } from "../core/ui/useLoaded";
import { channelApi, type Channel } from "./calls";
import { toneOfChannel } from "./channelState";

const MOST = 200;

interface Props {
  chosen: readonly number[];
  choose: (channels: readonly number[]) => void;
}

interface ChoiceProps {
  id: number;
  channel: Channel | undefined;
  checked: boolean;
  toggle: () => void;
}

function Choice({ id, channel, checked, toggle }: ChoiceProps) {
  return (
    <label className="check">
      <input type="checkbox" data-testid={`alert-channel-${id}`} checked={checked} onChange={toggle} />
      {channel ? (
        <span>
          <span className={`dot ${toneOfChannel(channel)}`} aria-hidden="true" /> {channel.name}
        </span>
      ) : (
        <span className="faint">a channel that you may not view</span>
      )}
    </label>
  );
}

/** Which channels an alert notifies. */
export function ChannelsField({ chosen, choose }: Props) {
  const fetch = useCallback(() => read<{ results: Channel[] }>(channelApi.address(MOST)), []);
  const { value, failure } = useLoaded(fetch);
  const usable = value?.results.filter((one) => may("own", one)) ?? [];
  const numbers = [...new Set([...usable.map(({ id }) => id), ...(value ? chosen : [])])];
  const toggle = (id: number) =>
    choose(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <fieldset className="alert-channels" data-testid="alert-channels">
      <legend>Channels</legend>
      <Failure words={failure} />
      {numbers.map((id) => (
        <Choice
          key={id}
          id={id}
          channel={usable.find((one) => one.id === id)}
          checked={chosen.includes(id)}
          toggle={() => toggle(id)}
        />
      ))}
      {value && numbers.length === 0 && (
        <p className="faint">
          No channels yet: nobody is notified.{" "}
          <a href="/channels/" target="_blank" rel="noopener">
            Create a channel
          </a>
        </p>
      )}
    </fieldset>
  );
}
