import { useState } from "react";
import { describeError } from "../core/api/client";
import { refusesMaking } from "../core/api/rights";
import type { Me } from "../core/api/types";
import { ListFoot } from "../core/search/ListTools";
import { listOf, useListing } from "../core/search/useListing";
import { TransferDialog } from "../core/sharing/TransferDialog";
import { Header } from "../core/shell/Header";
import { Failure } from "../core/ui/Failure";
import { Loading } from "../core/ui/Loading";
import { useTitle } from "../core/ui/useTitle";
import { AlertTabs } from "./AlertTabs";
import { channelApi, type Channel } from "./calls";
import { ChannelDialog } from "./ChannelDialog";
import { ChannelTable, type ChannelAct } from "./ChannelTable";
import { DeleteChannel } from "./DeleteChannel";
import { TestChannel } from "./TestChannel";
import { useNow } from "./useNow";

function Empty({ refusal, make }: { refusal: string | null; make: () => void }) {
  return (
    <section className="card empty">
      <h2>No channels yet</h2>
      <p>A channel sends messages about incidents: by mail, to a webhook, or to an Alertmanager.</p>
      {refusal === null ? (
        <button type="button" className="primary" onClick={make}>
          Create a channel
        </button>
      ) : (
        <p className="faint">{refusal}</p>
      )}
    </section>
  );
}

interface AskedProps {
  asked: Exclude<ChannelAct, "pause"> | "created";
  channel: Channel;
  close: () => void;
  done: () => void;
}

function AskedDialog({ asked, channel, close, done }: AskedProps) {
  if (asked === "edit") return <ChannelDialog channel={channel} close={close} done={done} />;
  if (asked === "test" || asked === "created")
    return <TestChannel channel={channel} isNew={asked === "created"} close={close} />;
  if (asked === "delete") return <DeleteChannel channel={channel} close={close} done={done} />;
  return (
    <TransferDialog
      title={`Change owner of “${channel.name}”`}
      path={`/api/channels/${channel.id}/`}
      owner={{ kind: channel.owner_kind, name: channel.owner }}
      close={close}
      done={done}
    >
      Alerts of the new owner can notify it. Alerts that notify it now go on.
    </TransferDialog>
  );
}

/** What is asked of a channel, and what follows. */
function useChannelActs(again: () => void) {
  const [asked, setAsked] = useState<Pick<AskedProps, "asked" | "channel"> | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const act = (next: ChannelAct, channel: Channel) => {
    setFailure(null);
    if (next !== "pause") return setAsked({ asked: next, channel });
    channelApi
      .pause(channel.id, !channel.paused)
      .then(again, (error: unknown) => setFailure(describeError(error)));
  };
  return { asked, setAsked, act, failure };
}

/** All channels that one may view, and how messages get through. */
export function ChannelsPage({ me }: { me: Me | null }) {
  useTitle("Channels");
  const { rows, error, next, busy, more, again } = useListing<Channel>(listOf("/api/channels/", {}));
  const [making, setMaking] = useState(false);
  const { asked, setAsked, act, failure } = useChannelActs(again);
  const close = () => setAsked(null);
  const done = () => {
    close();
    again();
  };
  const made = (channel: Channel) => {
    setMaking(false);
    again();
    setAsked({ asked: "created", channel });
  };
  const make = () => setMaking(true);
  const refusal = refusesMaking(me);
  const now = useNow() / 1000;
  return (
    <>
      <Header me={me} here="alerts" />
      <main className="page" data-testid="channels-page">
        <div className="row spread">
          <h1>Channels</h1>
          {rows !== null && rows.length > 0 && (
            <button
              type="button"
              className="primary"
              data-testid="new-channel"
              disabled={refusal !== null}
              title={refusal ?? undefined}
              onClick={make}
            >
              New channel
            </button>
          )}
        </div>
        <AlertTabs here="channels" />
        <Failure words={failure ?? (error === null ? null : describeError(error))} />
        {rows === null && error === null && <Loading what="channels" />}
        {rows?.length === 0 && <Empty refusal={refusal} make={make} />}
        {rows !== null && rows.length > 0 && (
          <>
            <ChannelTable channels={rows} now={now} act={act} />
            <ListFoot what="channels" many={rows.length} next={next} busy={busy} more={more} />
          </>
        )}
        {making && <ChannelDialog channel={null} close={() => setMaking(false)} done={made} />}
        {asked && <AskedDialog {...asked} close={close} done={done} />}
      </main>
    </>
  );
}
