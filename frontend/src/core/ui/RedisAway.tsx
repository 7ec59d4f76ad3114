import { useEffect, useState } from "react";
import { askForRedis, RedisWatch } from "../socket/redis";

/** What is not as usual while Redis is away; nothing while it is there. */
export function RedisAway() {
  const [away, setAway] = useState(false);
  useEffect(() => {
    const watch = new RedisWatch({
      ask: askForRedis,
      told: setAway,
      later: (action, ms) => {
        const timer = window.setTimeout(action, ms);
        return () => window.clearTimeout(timer);
      },
      hidden: () => document.hidden,
    });
    return () => watch.end();
  }, []);
  if (!away) return null;
  return (
    <p className="notice-line redis-away" role="status" data-testid="redis-away">
      Live updates are delayed, and Run and Stop wait (Redis unavailable).
    </p>
  );
}
