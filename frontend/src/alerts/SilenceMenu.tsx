import { BellOff, CalendarClock } from "lucide-react";
import { useState } from "react";
import { describeError } from "../core/api/client";
import { Failure } from "../core/ui/Failure";
import { Menu } from "../core/ui/Menu";
import { silenceApi, type Alert } from "./calls";
import { SilenceDialog } from "./SilenceDialog";
import { snooze, SNOOZES } from "./silenceTimes";

interface Props {
  alert: Pick<Alert, "id" | "name">;
  /** Of its keys; empty: all. */
  pattern: string;
  again: () => void;
}

/** Silence an alert, or its incidents of one key: for a while with one press, or as somebody chooses. */
export function SilenceMenu({ alert, pattern, again }: Props) {
  const [isAsked, setAsked] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const silence = (until: number) => {
    setFailure(null);
    silenceApi
      .create(snooze(alert.id, pattern, until))
      .then(again, (error: unknown) => setFailure(describeError(error)));
  };
  const quick = SNOOZES.map(({ id, title, until }) => ({
    id: `snooze-${id}`,
    title,
    icon: BellOff,
    act: () => silence(until(Date.now() * 1000)),
  }));
  const chosen = {
    id: "silence-other",
    title: "Silence…",
    icon: CalendarClock,
    act: () => setAsked(true),
  };
  return (
    <>
      <Failure words={failure} />
      <Menu title="Silence" testid="silence-menu" groups={[quick, [chosen]]} />
      {isAsked && (
        <SilenceDialog
          alert={alert}
          pattern={pattern}
          close={() => setAsked(false)}
          done={() => {
            setAsked(false);
            again();
          }}
        />
      )}
    </>
  );
}
