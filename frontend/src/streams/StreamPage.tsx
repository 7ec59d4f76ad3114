import { may } from "../core/api/rights";
import "./streams.css";
import { useCallback, useState } from "react";
import { streamApi, type Activity, type EventRow } from "../core/api/streams";
import type { Me, Stream } from "../core/api/types";
import { PushExample } from "./PushExample";
import { thingItems } from "../core/sharing/menu";
import { ThingDialogs, type ThingDialog } from "../core/sharing/ThingDialogs";
import type { SharedThing } from "../core/sharing/thing";
import { Menu } from "../core/ui/Menu";
import { Header } from "../core/shell/Header";
import { LoadingText, Loading } from "../core/ui/Loading";
import { useTitle } from "../core/ui/useTitle";
import { formatMoment } from "../core/time/format";
import { RejectedEventsCard } from "./RejectedEventsCard";
import { Counters } from "./Counters";
import { DeclarationCard } from "./DeclarationCard";
import { DisplayCard } from "./DisplayCard";
import { EventTable } from "./EventTable";
import { LatenessCard } from "./LatenessCard";
import { RateChart } from "./RateChart";
import { RemoveStream } from "./RemoveStream";
import type { RemovalKind } from "./removal";
import { SourceCard } from "./SourceCard";
import { Readers } from "./Readers";
import { usePolled } from "../core/ui/usePolled";
import { NotAvailable } from "../core/ui/NotAvailable";
import { declarationOf, draftOf, type Draft } from "./draft";
import { Failure } from "../core/ui/Failure";

const EVERY_MS = 2000;

interface NewestProps {
  stream: Stream;
  events: readonly EventRow[] | null;
  failure: string | null;
}

function Newest({ stream, events, failure }: NewestProps) {
  return (
    <section className="card" data-testid="newest-events">
      <h2>Newest events</h2>
      <Failure words={failure} />
      {events === null && !failure && <LoadingText what="the newest events" />}
      {events?.length === 0 && <p className="faint">No events yet. Push one as shown below.</p>}
      {events && events.length > 0 && <EventTable events={events} names={stream} label="Newest events" />}
    </section>
  );
}

/** An owner empties or deletes the stream; both say first what they cause. */
function Removing({ stream, changed }: { stream: Stream; changed: () => void }) {
  const [way, setWay] = useState<RemovalKind | null>(null);
  const close = () => setWay(null);
  const done = () => {
    close();
    if (way === "delete") window.location.assign("/streams/");
    else changed();
  };
  return (
    <>
      <button type="button" data-testid="empty-stream" onClick={() => setWay("empty")}>
        Empty…
      </button>
      <button type="button" className="danger" data-testid="delete-stream" onClick={() => setWay("delete")}>
        Delete…
      </button>
      {way && <RemoveStream stream={stream} way={way} close={close} done={done} />}
    </>
  );
}

/** Who may see the stream, whose it is, and who did what to it. */
function Access({ stream, changed }: { stream: Stream; changed: () => void }) {
  const [asked, setAsked] = useState<ThingDialog | null>(null);
  const { name, owner, rights } = stream;
  const thing: SharedThing = { kind: "stream", name, owner, rights, path: `/api/streams/${name}/` };
  return (
    <>
      <Menu title="Access" testid="stream-menu" groups={[thingItems(thing, setAsked)]} />
      <ThingDialogs
        thing={thing}
        owner_kind={stream.owner_kind}
        asked={asked}
        close={() => setAsked(null)}
        changed={changed}
      />
    </>
  );
}

interface BodyProps {
  me: Me | null;
  stream: Stream;
  activity: Activity;
  mine: boolean;
  again: () => void;
}

function Body({ me, stream, activity, mine, again }: BodyProps) {
  const [editing, setEditing] = useState<Partial<Draft> | null>(null);
  const fetch = useCallback(() => streamApi.newest(stream.name), [stream.name]);
  const { value: newest, failure } = usePolled(fetch, EVERY_MS);
  const running = activity.plans.some((plan) => plan.running);
  const use = (allowed_lateness: string) => {
    setEditing({ allowed_lateness });
    document.querySelector("[data-testid=declaration]")?.scrollIntoView({ block: "start" });
  };
  return (
    <>
      <section className="card">
        <Counters activity={activity} />
        <RateChart activity={activity} />
      </section>
      <Newest stream={stream} events={newest} failure={failure} />
      <div className="pair">
        <LatenessCard lateness={activity.lateness} stream={stream} use={mine ? use : undefined} />
        <Readers activity={activity} name={stream.name} />
      </div>
      <SourceCard stream={stream} source={activity.source} changed={again} />
      <RejectedEventsCard name={stream.name} mine={mine} pushes={may("operate", stream)} changed={again} />
      <DeclarationCard
        stream={stream}
        mine={mine}
        running={running}
        editing={editing}
        edit={setEditing}
        changed={again}
      />
      <DisplayCard stream={stream} events={newest ?? []} mine={mine} changed={again} />
      <section className="card">
        <h2>Push events</h2>
        <PushExample me={me} stream={stream} newest={newest} />
      </section>
    </>
  );
}

interface GoneProps {
  me: Me | null;
  name: string;
  /** How it was, if this page saw it. */
  stream: Stream | null;
  words: string;
}

/** In place of a stream that is not there: of one that was deleted meanwhile the same declaration makes it again. */
function GoneStream({ me, name, stream, words }: GoneProps) {
  const declare = async () => {
    if (!stream) return;
    await streamApi.declare(declarationOf(draftOf(stream)));
    window.location.reload();
  };
  return (
    <>
      <Header me={me} here="streams" />
      <NotAvailable
        title={stream ? `The stream “${name}” is gone` : "This stream cannot be shown"}
        words={stream ? `Somebody deleted it, or you may not look at it any more. ${words}` : words}
        link="/streams/"
        again={stream ? { words: "Declare it again", act: declare } : undefined}
      >
        All streams
      </NotAvailable>
    </>
  );
}

export function StreamPage({ me, name }: { me: Me | null; name: string }) {
  useTitle(name);
  const fetchStream = useCallback(() => streamApi.stream(name), [name]);
  const fetchActivity = useCallback(() => streamApi.activity(name), [name]);
  const { value: stream, failure, gone, again: againStream } = usePolled(fetchStream, EVERY_MS);
  const { value: activity, failure: away, again: againActivity } = usePolled(fetchActivity, EVERY_MS);
  const mine = stream !== null && may("edit", stream);
  const again = () => {
    againStream();
    againActivity();
  };
  if (gone) return <GoneStream me={me} name={name} stream={stream} words={failure ?? ""} />;
  return (
    <>
      <Header me={me} here="streams" />
      <main className="page wide" data-testid={`stream-${name}`}>
        <p className="crumbs">
          <a href="/streams/">Streams</a>
        </p>
        <div className="row spread">
          <h1>{name}</h1>
          {stream && (
            <span className="row">
              <span className="faint">
                of {stream.owner} · last event {formatMoment(stream.last_event_at)}
                {activity && activity.idle_until !== null && (
                  <span data-testid="idle">
                    {" "}
                    · idle, taken to be complete up to {formatMoment(activity.idle_until)}
                  </span>
                )}
              </span>
              <Access stream={stream} changed={again} />
              {may("own", stream) && <Removing stream={stream} changed={again} />}
            </span>
          )}
        </div>
        <Failure words={failure ?? away} />
        {!(stream && activity) && !(failure ?? away) && (
          <Loading what={stream ? `what comes into ${name}` : `the stream ${name}`} />
        )}
        {stream && activity && <Body me={me} stream={stream} activity={activity} mine={mine} again={again} />}
      </main>
    </>
  );
}
