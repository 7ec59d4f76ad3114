import type { ChannelKind } from "./calls";
import { pictureOf } from "./channelState";

interface Props {
  kinds: readonly ChannelKind[];
  choose: (kind: ChannelKind) => void;
}

/** The first step to a channel: what it is to be. */
export function KindTiles({ kinds, choose }: Props) {
  return (
    <div className="kind-tiles" role="group" aria-label="Kind of channel">
      {kinds.map((kind) => {
        const { icon: Icon, words } = pictureOf(kind.name);
        return (
          <button
            key={kind.name}
            type="button"
            data-testid={`channel-kind-${kind.name}`}
            onClick={() => choose(kind)}
          >
            <Icon size={24} aria-hidden="true" />
            <span>
              <b>{kind.title}</b>
              {words !== "" && <small className="faint">{words}</small>}
            </span>
          </button>
        );
      })}
    </div>
  );
}
