import { useCallback, useState } from "react";
import { Dialog } from "../ui/Dialog";
import { DialogFoot } from "../ui/DialogFoot";
import { ChooseField } from "../search/ChooseField";
import type { Choices } from "../search/choices";
import { formatMoment } from "../time/format";
import { listZones, searchZones } from "../time/zones";
import { readZone } from "../time/zone";

const MOST = 50;

interface Props {
  close: () => void;
  choose: (zone: string) => void;
}

/** Any time zone, by its name or a word of it. */
export default function ZoneDialog({ close, choose }: Props) {
  const [zone, setZone] = useState(readZone);
  const [zones] = useState(listZones);
  const [now] = useState(() => Date.now() * 1000);
  const find = useCallback(
    (text: string): Promise<Choices> => {
      const all = searchZones(zones, text).map(({ name, words }) => ({
        id: name,
        title: name,
        note: words,
        owner: "",
        tone: null,
      }));
      return Promise.resolve({ choices: all.slice(0, MOST), more: all.length > MOST });
    },
    [zones],
  );
  return (
    <Dialog title="Time zone" close={close}>
      <ChooseField
        label="Time zone"
        testid="zone"
        what="time zones"
        value={zone}
        kind={null}
        find={find}
        choose={(choice) => setZone(choice.id)}
      />
      <p className="faint">There it is {formatMoment(now, zone)} now.</p>
      <DialogFoot
        testid="zone-save"
        go={() => {
          choose(zone);
          close();
        }}
        close={close}
      >
        Use this time zone
      </DialogFoot>
    </Dialog>
  );
}
