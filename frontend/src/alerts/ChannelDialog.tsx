import "./alerts.css";
import { useId, useState, type FormEvent } from "react";
import { describeError } from "../core/api/client";
import { Dialog } from "../core/ui/Dialog";
import { DialogFoot } from "../core/ui/DialogFoot";
import { Failure } from "../core/ui/Failure";
import { OptionFields } from "../core/ui/OptionFields";
import { toSentOptions, listKeptSecrets, type Filled } from "../core/ui/options";
import { useLoaded } from "../core/ui/useLoaded";
import { channelApi, type Channel, type ChannelKind } from "./calls";
import { KindTiles } from "./KindTiles";

interface Props {
  /** The one that is changed; null: a new one. */
  channel: Channel | null;
  close: () => void;
  done: (channel: Channel) => void;
}

interface FormProps extends Props {
  kind: ChannelKind;
  /** Choose another kind. */
  back: (() => void) | null;
}

const filledOf = (channel: Channel | null): Filled =>
  Object.fromEntries(Object.entries(channel?.options ?? {}).map(([name, value]) => [name, String(value)]));

function NameField({ name, set }: { name: string; set: (name: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Name</label>
      <input
        id={id}
        data-testid="channel-name"
        placeholder="On call"
        maxLength={200}
        autoFocus
        value={name}
        onChange={(event) => set(event.target.value)}
      />
    </div>
  );
}

function ChannelForm({ channel, kind, back, close, done }: FormProps) {
  const [name, setName] = useState(channel?.name ?? "");
  const [filled, setFilled] = useState<Filled>(() => filledOf(channel));
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const send = (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    const options = toSentOptions(kind.options, filled, listKeptSecrets(kind.options, filled, channel));
    const sent =
      channel === null
        ? channelApi.create(name.trim(), kind.name, options)
        : channelApi.change(channel.id, name.trim(), options);
    sent.then(done, (error: unknown) => setFailure(describeError(error))).finally(() => setBusy(false));
  };
  return (
    <form className="alert-form" data-testid="channel-form" onSubmit={send}>
      {back && (
        <p className="row spread faint">
          {kind.title}
          <button type="button" className="quiet" onClick={back}>
            Choose another kind
          </button>
        </p>
      )}
      <NameField name={name} set={setName} />
      <OptionFields options={kind.options} of="channel" filled={filled} before={channel} change={setFilled} />
      <p className="faint">Only the owner of the channel and administrators see where messages go.</p>
      <DialogFoot
        failure={failure}
        refusal={name.trim() === "" ? "Give the channel a name." : null}
        busy={busy}
        testid="save-channel"
        close={close}
      >
        {channel === null ? "Create channel" : "Save"}
      </DialogFoot>
    </form>
  );
}

/** Make a channel in two steps, its kind and its options; or change one. */
export function ChannelDialog(props: Props) {
  const { channel, close } = props;
  const { value: kinds, failure } = useLoaded(channelApi.kinds);
  const [chosen, setChosen] = useState(channel?.kind ?? null);
  const kind = kinds?.find(({ name }) => name === chosen);
  return (
    <Dialog title={channel === null ? "New channel" : `Edit “${channel.name}”`} close={close}>
      <Failure words={failure} />
      {kinds && chosen === null && (
        <>
          <KindTiles kinds={kinds} choose={({ name }) => setChosen(name)} />
          <button type="button" onClick={close}>
            Cancel
          </button>
        </>
      )}
      {kinds && chosen !== null && kind === undefined && (
        <Failure words={`There is no kind of channel “${chosen}” any more.`} />
      )}
      {kind && <ChannelForm {...props} kind={kind} back={channel ? null : () => setChosen(null)} />}
    </Dialog>
  );
}
