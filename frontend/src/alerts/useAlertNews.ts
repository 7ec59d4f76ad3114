import { useEffect, useRef } from "react";
import { getConnection } from "../core/socket/pageConnection";

/** Act when incidents change: of this alert, or of any. */
export function useAlertNews(alert: number | null, act: () => void): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  }, [act]);
  useEffect(
    () =>
      getConnection().followAlerts((message) => {
        if (message.type !== "incidents") return;
        if (alert === null || message.alerts.includes(alert)) latest.current();
      }),
    [alert],
  );
}
